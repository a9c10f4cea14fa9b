package import CueStorage

/// Passes everything on to a store in memory; a test decides how objects are written, and sees what is read.
package final class HookedStore: ObjectStore {
    /// Gives the writer of an object, from that of the store in memory.
    package typealias Hook = @Sendable (ObjectName, any ObjectWriter) throws(StorageError) -> any ObjectWriter

    /// Where the objects are.
    package let inner: MemoryStore
    private let hook: Hook

    private let onRead: @Sendable (ObjectName, Int) -> Void

    package var readsAreDownloads: Bool { inner.readsAreDownloads }

    /// `onRead`: called with the name and the offset of each read before it is done.
    package init(
        _ inner: MemoryStore, _ hook: @escaping Hook,
        onRead: @escaping @Sendable (ObjectName, Int) -> Void = { _, _ in }
    ) {
        (self.inner, self.hook, self.onRead) = (inner, hook, onRead)
    }

    package func makeWriter(for name: ObjectName) throws(StorageError) -> any ObjectWriter {
        try hook(name, try inner.makeWriter(for: name))
    }

    package func read(_ name: ObjectName, at offset: Int, into buffer: inout MutableSpan<UInt8>) throws(StorageError) {
        onRead(name, offset)
        try inner.read(name, at: offset, into: &buffer)
    }

    package func size(of name: ObjectName) throws(StorageError) -> Int? { try inner.size(of: name) }

    package func list(_ folder: String, after: String?) throws(StorageError) -> ObjectPage {
        try inner.list(folder, after: after)
    }

    package func delete(_ name: ObjectName) throws(StorageError) { try inner.delete(name) }
}

/// Passes everything on to another writer; a test decides how an object is finished.
package final class HookedWriter: ObjectWriter {
    private let inner: any ObjectWriter
    private let end: (any ObjectWriter) throws(StorageError) -> Void

    /// `end`: finishes the given writer, or not.
    package init(_ inner: any ObjectWriter, _ end: @escaping (any ObjectWriter) throws(StorageError) -> Void) {
        (self.inner, self.end) = (inner, end)
    }

    package func write(_ bytes: Span<UInt8>) throws(StorageError) { try inner.write(bytes) }
    package func finish() throws(StorageError) { try end(inner) }
    package func cancel() { inner.cancel() }
}
