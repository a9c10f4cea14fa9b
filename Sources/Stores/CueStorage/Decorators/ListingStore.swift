import CueBase
package import CueSystem
import Synchronization

/// Answers the listings of a moment from one request to a service.
///
/// A command lists the folders of a vault several times within a second: to see whether another device changed the
/// keys, what it stored, and which packs are there. The first page of everything says all of that for most vaults. It is
/// kept for some seconds, and what this process writes or removes meanwhile is added to it. A listing is only ever true
/// for the moment at which the service answered, so one that is as old as a slow request changes nothing.
package final class ListingStore: ObjectStore {
    /// The seconds for which a page is kept.
    private static let keptFor = 3.0

    private let inner: any ObjectStore
    private let clock: Clock
    private let kept = Mutex<Kept?>(nil)

    private struct Kept {
        var entries: [ObjectEntry]
        let next: String?
        /// When it was asked for, in seconds of the clock.
        let asked: Double

        /// What the page says of a folder; nil if it ends before the folder does and has nothing new of it.
        func page(_ folder: String, after: String?) -> ObjectPage? {
            // "0" follows "/": all names of the folder come before this one.
            let isWhole = next.map { $0 >= folder + "0" } ?? true
            let found = entries.filter { $0.name.text.hasPrefix(folder + "/") && $0.name.text > after ?? "" }
            if isWhole { return ObjectPage(found) }
            return found.isEmpty ? nil : ObjectPage(found, next: next)
        }

        mutating func add(_ entry: ObjectEntry) {
            guard next.map({ entry.name.text <= $0 }) ?? true else { return }
            let place = entries.firstIndex { $0.name >= entry.name } ?? entries.count
            if place < entries.count, entries[place].name == entry.name { return entries[place] = entry }
            entries.insert(entry, at: place)
        }
    }

    /// Asks nothing yet.
    package init(_ inner: any ObjectStore, clock: Clock = .system) { (self.inner, self.clock) = (inner, clock) }

    /// As in the store below.
    package var readsAreDownloads: Bool { inner.readsAreDownloads }
    /// As in the store below.
    package var writer: String { inner.writer }
    /// As in the store below.
    package var secondsAhead: Int? { inner.secondsAhead }

    /// Returns what the kept page has, or asks for it; what it lacks comes from the store below.
    package func list(_ folder: String, after: String?) throws(StorageError) -> ObjectPage {
        if let page = try keptPage(folder, after: after) { return page }
        return try inner.list(folder, after: after)
    }

    /// The same.
    package func listFew(_ folder: String, after: String) throws(StorageError) -> ObjectPage {
        if let page = try keptPage(folder, after: after) { return page }
        return try inner.listFew(folder, after: after)
    }

    /// What the kept page has of the folder, or a new one if the listing begins; nil if the store below has to be asked.
    private func keptPage(_ folder: String, after: String?) throws(StorageError) -> ObjectPage? {
        let now = clock.seconds
        var known = kept.withLock(\.self)
        if known.map({ now - $0.asked >= Self.keptFor }) ?? true {
            // A listing that goes on needs no new first page. The hundreds of pages of a large folder take longer than one
            // is kept.
            if after != nil { return nil }
            guard let page = try inner.firstPage() else { return nil }
            // The same order that callers demand of each listing.
            var (last, entries) = ("", [ObjectEntry]())
            for entry in page.entries where entry.name.text > last {
                entries.append(entry)
                last = entry.name.text
            }
            let new = Kept(entries: entries, next: page.next, asked: now)
            kept.withLock { $0 = new }
            known = new
        }
        return known?.page(folder, after: after)
    }

    /// The objects that are written here appear in the listings at once.
    package func makeWriter(for name: ObjectName) throws(StorageError) -> any ObjectWriter {
        NotingWriter(try inner.makeWriter(for: name)) { [self] size in
            kept.withLock { kept in
                guard let size else { return kept = nil }
                kept?.add(ObjectEntry(name: name, size: size))
            }
        }
    }

    /// As in the store below.
    package func read(_ name: ObjectName, at offset: Int, into buffer: inout MutableSpan<UInt8>) throws(StorageError) {
        try inner.read(name, at: offset, into: &buffer)
    }

    /// As in the store below.
    package func get(_ name: ObjectName, upTo limit: Int) throws(StorageError) -> [UInt8] {
        try inner.get(name, upTo: limit)
    }

    /// As in the store below.
    package func size(of name: ObjectName) throws(StorageError) -> Int? { try inner.size(of: name) }

    /// Removes the object, also from the page.
    package func delete(_ name: ObjectName) throws(StorageError) {
        kept.withLock { $0 = nil }
        try inner.delete(name)
    }

    /// As in the store below.
    package func removeLeftovers(of writer: String) { inner.removeLeftovers(of: writer) }

    /// Drops the page too.
    package func forget(_ name: ObjectName) {
        kept.withLock { $0 = nil }
        inner.forget(name)
    }
}

/// Tells how many bytes an object has once it is there; nil if that is not known.
private final class NotingWriter: ObjectWriter {
    private let inner: any ObjectWriter
    private let note: (Int?) -> Void
    private var size = 0

    init(_ inner: any ObjectWriter, note: @escaping (Int?) -> Void) { (self.inner, self.note) = (inner, note) }

    func write(_ bytes: Span<UInt8>) throws(StorageError) {
        try inner.write(bytes)
        size += bytes.count
    }

    func finish() throws(StorageError) {
        do { try inner.finish() } catch {
            // It may be there all the same: the next listing says so.
            note(nil)
            throw error
        }
        note(size)
    }

    func cancel() { inner.cancel() }
}
