import CueBase

/// The name of an object in a vault: lower-case letters, digits, `-`, `.` and `/` (docs/format.md §2).
package struct ObjectName: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let text: String

    /// Takes a name that this program made.
    package init(_ text: String) {
        precondition(Self.isAllowed(text), "an object name is lower-case letters, digits, '-', '.' and '/'")
        self.text = text
    }

    /// Checks a name that a store listed; nil for what no object is called.
    package init?(listed text: String) {
        guard Self.isAllowed(text) else { return nil }
        self.text = text
    }

    private static func isAllowed(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: 0x2f, omittingEmptySubsequences: false)
        return parts.allSatisfy { part in
            !part.isEmpty && part.first != 0x2e
                && part.allSatisfy {
                    (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d || $0 == 0x2e
                }
        }
    }

    package var components: [Substring] { text.split(separator: "/") }
    package var description: String { text }
    package static func < (x: ObjectName, y: ObjectName) -> Bool { x.text < y.text }
}

/// Why a store did not do what was asked.
public enum StorageError: Error, Sendable, Equatable {
    /// No object of that name.
    case notFound(String)
    /// An object of that name is there already; nothing was written.
    case alreadyThere(String)
    /// The store cannot be reached at all: unplugged, unmounted, no network.
    case unreachable(String)
    case noSpace
    case readOnly
    case noPermission(String)
    /// Fewer bytes than the object has.
    case shortRead(String)
    /// Anything else; says what.
    case failed(String)
}

package struct ObjectEntry: Hashable, Sendable {
    /// What a store says of a size is a claim: no object is larger, and the sum of some thousand of these does not overflow.
    private static let largest = 1 << 50

    package let name: ObjectName
    /// In bytes; at most 2^50.
    package let size: Int

    package init(name: ObjectName, size: Int) { (self.name, self.size) = (name, min(max(0, size), Self.largest)) }
}

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

    /// The objects whose names begin with a folder (`log/`), in no order. Other files there are left out.
    func list(_ folder: String) throws(StorageError) -> [ObjectEntry]

    /// Removes an object; only prune does that. An object that is gone already is no error.
    func delete(_ name: ObjectName) throws(StorageError)
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
        guard size <= limit else { throw .failed("\(name) is larger than any object of its kind") }
        var bytes = [UInt8](repeating: 0, count: size)
        var span = bytes.mutableSpan
        try read(name, at: 0, into: &span)
        return bytes
    }
}
