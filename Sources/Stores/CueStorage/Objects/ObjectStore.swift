import CueBase

/// A place for sealed objects, each written once under a name of its own (docs/format.md §2).
///
/// Calls block, so they run on threads that may block (docs/decisions/0001-threads.md). Threads may share a store. Each
/// implementation passes `ObjectStoreSuite`.
package protocol ObjectStore: Sendable {
    /// True if each read costs a download. Callers then list only what is new and put off reads that can wait.
    var readsAreDownloads: Bool { get }

    /// Begins an object. It has no name in the store until `finish` returns.
    func makeWriter(for name: ObjectName) throws(StorageError) -> any ObjectWriter

    /// Fills `buffer` from `offset` on, in bytes. Throws `.notFound`, or `.shortRead` if the object ends before the
    /// buffer is full.
    func read(_ name: ObjectName, at offset: Int, into buffer: inout MutableSpan<UInt8>) throws(StorageError)

    /// Reads a whole object. Throws `.notFound`, or `.tooLarge` for more than `limit` bytes.
    func get(_ name: ObjectName, upTo limit: Int) throws(StorageError) -> [UInt8]

    /// The size of an object in bytes; nil if there is none.
    func size(of name: ObjectName) throws(StorageError) -> Int?

    /// Prepares for the reading of these objects, one after the other: a store that keeps copies may read several at
    /// once now. Errors show when the objects are read.
    func bringNear(_ objects: [ObjectEntry])

    /// Returns one page of the objects below a folder (`log` or `packs/ab`) whose names come after `after`, in the
    /// order of the names. The store decides how many a page has. Files that are no objects are left out.
    ///
    /// Services that list folder by folder put `a/1` before `a-b/1`, and skip `a/1` if `after` is `a`. A vault has no
    /// such names: all that stand side by side in one of its folders are equally long. `after` is always the beginning
    /// of an object's name that ends below all of its folders.
    func list(_ folder: String, after: String?) throws(StorageError) -> ObjectPage

    /// The same for a caller that expects few objects after `after`: the page may be shorter, and is quicker to bring.
    func listFew(_ folder: String, after: String) throws(StorageError) -> ObjectPage

    /// The first page of all objects, in the order of their names, of at most `count`; nil if the store lists single
    /// folders only.
    func firstPage(upTo count: Int) throws(StorageError) -> ObjectPage?

    /// The tag of an object in a listing of a moment ago, for which a request may be made; nil if it is not known so.
    func tag(of name: ObjectName) throws(StorageError) -> String?

    /// Removes an object, which only key slots and unfinished vaults need. An object that is gone already is no error.
    func delete(_ name: ObjectName) throws(StorageError)

    /// Drops everything that is remembered of an object, because what was read of it does not open.
    func forget(_ name: ObjectName)

    /// The name under which this process's unfinished objects stand; empty if the store keeps none.
    var writer: String { get }

    /// How many seconds this device's clock is ahead of the store's, as of its last answer; nil if it has none.
    var secondsAhead: Int? { get }

    /// The locks of objects; nil if the store locks none.
    var locking: (any ObjectLocking)? { get }

    /// Removes the unfinished objects of an earlier, killed writer. Those of other writers stay. Errors are ignored.
    func removeLeftovers(of writer: String)
}

/// An object that is being written. If it is not finished, it leaves nothing behind.
package protocol ObjectWriter: AnyObject {
    /// Appends bytes. The order of calls is the order of the bytes.
    func write(_ bytes: Span<UInt8>) throws(StorageError)
    /// Makes the object durable under its name. Throws `.alreadyThere` if the name is taken, and replaces nothing.
    func finish() throws(StorageError)
    /// Drops the object. After `finish` has returned it does nothing.
    func cancel()
}

extension ObjectStore {
    /// False: most stores are folders.
    package var readsAreDownloads: Bool { false }
    /// Empty: the store keeps no unfinished objects.
    package var writer: String { "" }
    /// nil: most stores have no clock of their own.
    package var secondsAhead: Int? { nil }
    /// nil: a folder locks nothing.
    package var locking: (any ObjectLocking)? { nil }
    /// Does nothing: most stores keep no copies.
    package func bringNear(_ objects: [ObjectEntry]) {}
    /// The usual page.
    package func listFew(_ folder: String, after: String) throws(StorageError) -> ObjectPage {
        try list(folder, after: after)
    }
    /// nil: a folder on a disk is listed as fast in parts.
    package func firstPage(upTo count: Int) throws(StorageError) -> ObjectPage? { nil }
    /// nil: only a store that keeps listings knows tags.
    package func tag(of name: ObjectName) throws(StorageError) -> String? { nil }
    /// The most pages in a row that may have no object.
    static var emptyPagesAtMost: Int { 1000 }

    /// Does nothing.
    package func removeLeftovers(of writer: String) {}
    /// Does nothing: the store remembers nothing.
    package func forget(_ name: ObjectName) {}

    /// Returns a page that keeps the promises of `list`, whatever the store reports: names below the folder, each after
    /// the one before. Entries that break them are dropped. Throws `.endlessList` if `next` does not lead beyond
    /// `after`. `few`: whether few objects are expected.
    func checkedPage(_ folder: String, after: String?, few: Bool = false) throws(StorageError) -> ObjectPage {
        let page =
            if few, let after { try listFew(folder, after: after) } else { try list(folder, after: after) }
        if let next = page.next, let after, next <= after { throw .endlessList(folder) }
        var (last, entries) = (after ?? "", [ObjectEntry]())
        entries.reserveCapacity(page.entries.count)
        for entry in page.entries where entry.name.text > last && entry.name.text.hasPrefix(folder + "/") {
            entries.append(entry)
            last = entry.name.text
        }
        return ObjectPage(entries, next: page.next)
    }

    /// Returns all objects below a folder, in the order of their names. Throws `.endlessList` if the listing does not
    /// end.
    package func list(_ folder: String) throws(StorageError) -> [ObjectEntry] {
        var page = try checkedPage(folder, after: nil)
        var (entries, empty) = (page.entries, 0)
        while let next = page.next {
            page = try checkedPage(folder, after: next)
            entries += page.entries
            // Pages of other files alone are possible, but not without end.
            empty = page.entries.isEmpty ? empty + 1 : 0
            guard empty < Self.emptyPagesAtMost else { throw .endlessList(folder) }
        }
        return entries
    }

    /// Writes a whole object durably. Throws `.alreadyThere` if the name is taken, and leaves nothing behind if it
    /// fails.
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

    /// Removes an object; false if the place does not allow that, or says that it did and has the object still.
    package func deleteIfAllowed(_ name: ObjectName) throws(StorageError) -> Bool {
        do { try delete(name) } catch {
            guard error.isForbidden else { throw error }
            return false
        }
        // A service that may not tell what it has refuses this question about an object that is gone.
        do { return try size(of: name) == nil } catch {
            guard error.isForbidden else { throw error }
            return true
        }
    }

    /// Asks for the size, then reads all of it. A store that can do both at once does so.
    package func get(_ name: ObjectName, upTo limit: Int) throws(StorageError) -> [UInt8] {
        guard let size = try size(of: name) else { throw .notFound(name.text) }
        guard size <= limit else { throw .tooLarge(name.text) }
        var bytes = [UInt8](repeating: 0, count: size)
        var span = bytes.mutableSpan
        try read(name, at: 0, into: &span)
        return bytes
    }
}
