import CueBase

/// A place for sealed objects: write-once, uniquely named (docs/format.md §2).
///
/// Calls block; they run on threads that may (docs/decisions/0001-threads.md). Every implementation passes `ObjectStoreSuite`.
package protocol ObjectStore: Sendable {
    /// Whether each reading costs a download, so that what need not be read now is read in a calm moment.
    var readsAreDownloads: Bool { get }

    /// Begins an object. It is nowhere to be seen until `finish` returns.
    func makeWriter(for name: ObjectName) throws(StorageError) -> any ObjectWriter

    /// Fills `buffer` from `offset` on; `shortRead` when the object ends before that.
    func read(_ name: ObjectName, at offset: Int, into buffer: inout MutableSpan<UInt8>) throws(StorageError)

    /// The size of an object in bytes; nil if there is none.
    func size(of name: ObjectName) throws(StorageError) -> Int?

    /// The objects below a folder (`log` or `packs/ab`) whose names come after `after`, in the order of their names: as many as the
    /// store gives at once. Other files there are left out.
    func list(_ folder: String, after: String?) throws(StorageError) -> ObjectPage

    /// Removes an object; only prune does that. An object that is gone already is no error.
    func delete(_ name: ObjectName) throws(StorageError)

    /// Drops what is remembered of an object, as what was read of it did not open.
    func forget(_ name: ObjectName)

    /// Names the unfinished objects of this process; empty where a store keeps none.
    var writer: String { get }

    /// Removes the unfinished objects that an earlier, killed writer left; those of others stay. Failing to is no error.
    func removeLeftovers(of writer: String)
}

/// An object that is being written. One that is not finished leaves nothing behind.
package protocol ObjectWriter: AnyObject {
    func write(_ bytes: Span<UInt8>) throws(StorageError)
    /// Makes it durable under its name. Throws `alreadyThere` rather than replace another.
    func finish() throws(StorageError)
    func cancel()
}

extension ObjectStore {
    package var readsAreDownloads: Bool { false }
    package var writer: String { "" }
    /// How many pages in a row may hold nothing.
    static var emptyPagesAtMost: Int { 1000 }

    package func removeLeftovers(of writer: String) {}
    package func forget(_ name: ObjectName) {}

    /// A page that is what it promises, whatever the store gave: names below the folder, each after the one before, and progress.
    func checkedPage(_ folder: String, after: String?) throws(StorageError) -> ObjectPage {
        let page = try list(folder, after: after)
        if let next = page.next, let after, next <= after { throw .endlessList(folder) }
        var (last, entries) = (after ?? "", [ObjectEntry]())
        entries.reserveCapacity(page.entries.count)
        for entry in page.entries where entry.name.text > last && entry.name.text.hasPrefix(folder + "/") {
            entries.append(entry)
            last = entry.name.text
        }
        return ObjectPage(entries, next: page.next)
    }

    /// All objects below a folder, in the order of their names.
    package func list(_ folder: String) throws(StorageError) -> [ObjectEntry] {
        var page = try checkedPage(folder, after: nil)
        var (entries, empty) = (page.entries, 0)
        while let next = page.next {
            page = try checkedPage(folder, after: next)
            entries += page.entries
            // A store may leave other files out, but not for ever.
            empty = page.entries.isEmpty ? empty + 1 : 0
            guard empty < Self.emptyPagesAtMost else { throw .endlessList(folder) }
        }
        return entries
    }

    /// Writes a whole object, durably.
    package func put(_ name: ObjectName, _ bytes: [UInt8]) throws(StorageError) {
        let writer = try makeWriter(for: name)
        do {
            try writer.write(bytes.span)
            try writer.finish()
        } catch {
            writer.cancel()
            throw error
        }
    }

    /// Reads a whole object of at most `limit` bytes.
    package func get(_ name: ObjectName, upTo limit: Int) throws(StorageError) -> [UInt8] {
        guard let size = try size(of: name) else { throw .notFound(name.text) }
        guard size <= limit else { throw .tooLarge(name.text) }
        var bytes = [UInt8](repeating: 0, count: size)
        var span = bytes.mutableSpan
        try read(name, at: 0, into: &span)
        return bytes
    }
}
