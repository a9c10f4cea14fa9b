import CueBase
package import CueSystem
import Synchronization

/// Answers the listings of a moment from one request to a service.
///
/// A command lists the folders of a vault several times within a second: to see whether another device changed the
/// keys, what it stored, and which packs are there. The first page of everything says all of that for most vaults. It
/// is kept for some seconds, and what this process writes or removes meanwhile is added to it. A listing is only ever
/// true for the moment at which the service answered, so one that is as old as a slow request changes nothing.
///
/// The log of a vault with very many objects does not fit on a page, and only its end is of interest. From then on the
/// page is asked for as long as what stands in front of the log takes.
package final class ListingStore: ObjectStore {
    /// The seconds for which a page is kept.
    private static let keptFor = 3.0
    /// The most objects of a page, as S3 allows.
    private static let pageSize = 1000
    /// The room on a page for objects that come in front of the log meanwhile.
    private static let spare = 64
    /// All names in front of the log sort before this.
    private static let log = "log/"

    private let inner: any ObjectStore
    private let clock: Clock
    /// The file that keeps the number of objects to ask for; nil if none does.
    private let memory: FilePathBytes?
    private let kept = Mutex<Kept?>(nil)
    /// The number of times that this process wrote or removed something.
    private let changes = Atomic<Int>(0)

    private struct Kept {
        var entries: [ObjectEntry]
        let next: String?
        /// When it was asked for, in seconds of the clock.
        let asked: Double

        /// The part of a folder that the page has; nil if the page ends before the folder does and has nothing new of
        /// it.
        func page(_ folder: String, after: String?) -> ObjectPage? {
            // "0" follows "/": all names of the folder come before this one.
            let isWhole = next.map { $0 >= folder + "0" } ?? true
            let found = entries.filter { $0.name.text.hasPrefix(folder + "/") && $0.name.text > after ?? "" }
            if isWhole { return ObjectPage(found) }
            return found.isEmpty ? nil : ObjectPage(found, next: next)
        }

        func entry(_ name: ObjectName) -> ObjectEntry? {
            entries.first { $0.name == name }
        }

        mutating func add(_ entry: ObjectEntry) {
            guard next.map({ entry.name.text <= $0 }) ?? true else { return }
            let place = entries.firstIndex { $0.name >= entry.name } ?? entries.count
            if place < entries.count, entries[place].name == entry.name { return entries[place] = entry }
            entries.insert(entry, at: place)
        }
    }

    /// Asks nothing yet. `memory`: a file of its own in which it remembers how long a page it needs.
    package init(_ inner: any ObjectStore, memory: FilePathBytes? = nil, clock: Clock = .system) {
        (self.inner, self.memory, self.clock) = (inner, memory, clock)
    }

    /// As in the store below.
    package var readsAreDownloads: Bool { inner.readsAreDownloads }
    /// As in the store below.
    package var writer: String { inner.writer }
    /// As in the store below.
    package var secondsAhead: Int? { inner.secondsAhead }
    /// As in the store below.
    package var locking: (any ObjectLocking)? { inner.locking }

    /// Returns what the kept page has, or asks for it; what it lacks comes from the store below.
    package func list(_ folder: String, after: String?) throws(StorageError) -> ObjectPage {
        if let page = try page(begins: after == nil)?.page(folder, after: after) { return page }
        return try inner.list(folder, after: after)
    }

    /// The same.
    package func listFew(_ folder: String, after: String) throws(StorageError) -> ObjectPage {
        if let page = try page(begins: false)?.page(folder, after: after) { return page }
        return try inner.listFew(folder, after: after)
    }

    /// The tag that the kept page has, which is asked for if there is none. nil too if the key may not list.
    package func tag(of name: ObjectName) throws(StorageError) -> String? {
        do { return try page(begins: true)?.entry(name)?.tag } catch {
            guard case .service(.denied) = error else { throw error }
            return nil
        }
    }

    /// The kept page, or a new one if a listing `begins`; nil if the store below has to be asked. A listing that goes
    /// on needs no new first page: the hundreds of pages of a large folder take longer than one is kept.
    private func page(begins: Bool) throws(StorageError) -> Kept? {
        let now = clock.seconds
        var known = kept.withLock(\.self)
        if known.map({ now - $0.asked >= Self.keptFor }) ?? true {
            guard begins else { return nil }
            let count = remembered ?? Self.pageSize
            let before = changes.load(ordering: .acquiring)
            guard let page = try inner.firstPage(upTo: count) else { return nil }
            // The same order that callers demand of each listing.
            var (last, entries) = ("", [ObjectEntry]())
            for entry in page.entries where entry.name.text > last {
                entries.append(entry)
                last = entry.name.text
            }
            let new = Kept(entries: entries, next: page.next, asked: now)
            // An object that was written meanwhile may be missing from the page, and a removed one be in it.
            kept.withLock { kept in if changes.load(ordering: .acquiring) == before { kept = new } }
            known = new
            remember(new, askedFor: count)
        }
        return known
    }

    private func changed(_ change: (inout Kept?) -> Void) {
        kept.withLock { kept in
            changes.add(1, ordering: .acquiringAndReleasing)
            change(&kept)
        }
    }

    private var remembered: Int? {
        guard let memory, let bytes = try? Folder.open(memory.parent).contents(of: memory.name, upTo: 16) else {
            return nil
        }
        return Int(String(decoding: bytes, as: UTF8.self)).flatMap { (1...Self.pageSize).contains($0) ? $0 : nil }
    }

    /// Notes how long the next page is to be: all, while that is one page. Errors cost a longer page.
    private func remember(_ page: Kept, askedFor count: Int) {
        guard let memory, let folder = try? Folder.open(memory.parent) else { return }
        let front = page.entries.prefix { $0.name.text < Self.log }.count
        let isCut = front == page.entries.count
        let next = page.next == nil || isCut ? Self.pageSize : min(front + Self.spare, Self.pageSize)
        guard next != count else { return }
        try? folder.replace(String(decoding: memory.name, as: UTF8.self), with: Array("\(next)".utf8))
    }

    /// The objects that are written here appear in the listings at once.
    package func makeWriter(for name: ObjectName) throws(StorageError) -> any ObjectWriter {
        NotingWriter(try inner.makeWriter(for: name)) { [self] size in
            changed { kept in
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
        defer { changed { $0 = nil } }
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
