import CueBase
package import CueStorage
package import CueSystem
import CueVault
import Synchronization

/// Brings the objects of a vault into another place, which becomes a copy of it, or already is one and then gets what
/// it lacks. Two copies of a vault become one by a copy each way: objects are written once, and their names are random.
///
/// It needs no key: objects are copied as they are sealed. It can be cut off at any point and run again. An object
/// stands in the new place only after all that it may name: packs before the commits that need them, and `vault.json`
/// at the very end, so that half a copy is not taken for a vault.
package struct VaultCopy: Sendable {
    /// The folders of a vault (docs/format.md §2) in the order in which they are copied.
    static let folders = ["keys", "epochs", "packs", "checkpoints", "log", "events"]
    /// Objects up to this size are held in memory; no pack is larger. Larger ones are read in pieces of `piece`.
    private static let wholeAtMost = 33 << 20
    private static let piece = 8 << 20

    /// The result of a copy or a comparison.
    package struct Summary: Sendable {
        /// The objects that were copied, and their bytes.
        package var copied = 0
        package var bytes = 0
        /// The objects that were in both places before.
        package var there = 0
        /// The objects of the first place that the second lacks; only of a comparison.
        package var missing: [String] = []
        /// The objects that have another size, or other bytes, in the second place.
        package var different: [String] = []
        /// The objects of the second place that the first lacks.
        package var extra = 0
    }

    /// An error of the second place. All others are of the first.
    package struct OfTarget: Error {
        package let cause: any Error

        package init(cause: any Error) { self.cause = cause }
    }

    private let source: any ObjectStore
    private let target: any ObjectStore
    private let threads: Int
    private let reporter: any Reporter
    private let cancellation: Cancellation

    /// `threads`: the objects that are copied at once.
    package init(
        from source: any ObjectStore, to target: any ObjectStore, threads: Int = 4,
        reporter: any Reporter = SilentReporter(), cancellation: Cancellation = .system
    ) {
        (self.source, self.target, self.threads) = (source, target, threads)
        (self.reporter, self.cancellation) = (reporter, cancellation)
    }

    /// Returns the sizes of the objects in the second place by their names, and whether `vault.json` is there. Throws
    /// unless it holds the same vault, or none and nothing else.
    ///
    /// Throws `VaultError.notAVault` if the first place holds none, `.notEmpty` if objects that are not of this vault
    /// stand in the second, `EngineError.placeOfOtherVault`, and `StorageError`.
    private func look(targetName: String) throws -> (there: [String: Int], isVault: Bool) {
        let id = try Vault.id(in: source)
        var there: [String: Int] = [:]
        for folder in Self.folders {
            for entry in try atTarget({ try target.list(folder) }) { there[entry.name.text] = entry.size }
        }
        do {
            guard try Vault.id(in: target) == id else { throw EngineError.placeOfOtherVault(targetName) }
            return (there, isVault: true)
        } catch VaultError.notAVault {
            // The beginning of a copy of this vault is one that was cut off.
            for name in there.keys where try source.size(of: ObjectName(name)) == nil {
                throw OfTarget(cause: VaultError.notEmpty)
            }
            return (there, isVault: false)
        } catch { throw OfTarget(cause: error) }
    }

    /// Makes a folder for a copy. Throws `OfTarget` if it is in a library, or holds anything that is not of a vault.
    package static func prepare(_ folder: FilePathBytes) throws {
        do {
            guard try OpenLibrary.root(around: folder) == nil else {
                throw EngineError.vaultInsideLibrary
            }
            try folder.refuseForVault()
            do { try folder.makeFoldersDurably(mode: 0o755) } catch {
                // That no folder can be made there is no damage.
                guard error.isNotFound else { throw StorageError(error, of: folder.description) }
                throw error
            }
            let names = try Folder.open(folder).names().map { String(decoding: $0, as: UTF8.self) }
            guard names.allSatisfy({ (Self.folders + ["vault.json", "tmp", "lost+found"]).contains($0) }) else {
                throw VaultError.notEmpty
            }
        } catch { throw OfTarget(cause: error) }
    }

    private func atTarget<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch { throw OfTarget(cause: error) }
    }

    /// The objects that the second place lacks, in the order in which they are to be copied.
    struct Plan: Sendable {
        /// The objects of each folder that the second place lacks.
        fileprivate let open: [[ObjectEntry]]
        /// Whether the second place lacks `vault.json`.
        fileprivate let lacksHeader: Bool
        /// The comparison of the two places; nothing is copied yet.
        fileprivate var summary = Summary()
    }

    /// Compares the names in both places. `targetName`: how errors call the second. `isWanted`: objects of the first
    /// for which it returns false are not copied. Throws as `look`.
    func plan(targetName: String, isWanted: (ObjectName) -> Bool = { _ in true }) throws -> Plan {
        let (there, isVault) = try look(targetName: targetName)
        let lists = try Self.folders.map { try source.list($0).filter { isWanted($0.name) } }
        var plan = Plan(
            open: lists.map { list in list.filter { there[$0.name.text] == nil } },
            lacksHeader: !isVault)
        plan.summary.different = Self.differing(lists.joined(), there)
        plan.summary.there = lists.joined().count - plan.open.joined().count
        plan.summary.extra = there.count - plan.summary.there
        return plan
    }

    /// Copies what the second place lacks. Throws as `look`, and `Interrupted`.
    package func run(targetName: String) throws -> Summary { try carryOut(try plan(targetName: targetName)) }

    /// Copies all of a plan. Throws as `run`.
    func carryOut(_ plan: Plan) throws -> Summary {
        let all = Progress(plan.open.joined(), reporter)
        for list in plan.open {
            // A place where a larger object of one folder is still under way gets none of the next.
            try Workers.forEach(list.count, on: min(threads, list.count), context: {}) { number, _ in
                try cancellation.throwIfRequested()
                try copy(list[number])
                all.add(list[number])
            }
        }
        var summary = plan.summary
        (summary.copied, summary.bytes) = (all.files, all.bytes)
        if plan.lacksHeader {
            let header = ObjectName("vault.json")
            try copy(ObjectEntry(name: header, size: try source.size(of: header) ?? 0))
            summary.copied += 1
        }
        return summary
    }

    /// Copies one object. One that another copy has brought meanwhile is no error.
    private func copy(_ entry: ObjectEntry) throws {
        let writer = try atTarget { try target.makeWriter(for: entry.name) }
        // After the end this does nothing.
        defer { writer.cancel() }
        if entry.size <= Self.wholeAtMost {
            let bytes = try source.get(entry.name, upTo: entry.size)
            guard bytes.count == entry.size else { throw StorageError.shortRead(entry.name.text) }
            try atTarget { try writer.write(bytes.span) }
        } else {
            var start = 0
            while start < entry.size {
                try cancellation.throwIfRequested()
                let bytes = try range(entry, from: start)
                try atTarget { try writer.write(bytes.span) }
                start += Self.piece
            }
        }
        do { try writer.finish() } catch StorageError.alreadyThere { return } catch { throw OfTarget(cause: error) }
    }

    private func range(_ entry: ObjectEntry, from start: Int) throws(StorageError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: min(Self.piece, entry.size - start))
        var span = bytes.mutableSpan
        try source.read(entry.name, at: start, into: &span)
        return bytes
    }

    private static func differing(_ entries: some Sequence<ObjectEntry>, _ there: [String: Int]) -> [String] {
        entries.filter { entry in there[entry.name.text].map { $0 != entry.size } ?? false }.map(\.name.text)
    }

    /// Compares the two places by names and sizes, and changes nothing. `readingAll`: compares the bytes as well.
    /// Throws as `run`.
    package func compare(readingAll: Bool, targetName: String) throws -> Summary {
        let (there, _) = try look(targetName: targetName)
        let entries = try Self.folders.flatMap { try source.list($0) }
        var summary = Summary()
        summary.missing = entries.map(\.name.text).filter { there[$0] == nil }
        summary.different = Self.differing(entries, there)
        summary.there = entries.count - summary.missing.count
        summary.extra = there.count - summary.there
        guard readingAll else { return summary }
        let same = entries.filter { there[$0.name.text] == $0.size }
        let (all, different) = (Progress(same, reporter), Names())
        try Workers.forEach(same.count, on: min(threads, same.count), context: {}) { number, _ in
            try cancellation.throwIfRequested()
            if try !isSame(same[number]) { different.add(same[number].name.text) }
            all.add(same[number])
        }
        summary.different = (summary.different + different.all).sorted()
        summary.bytes = all.bytes
        return summary
    }

    private func isSame(_ entry: ObjectEntry) throws -> Bool {
        var start = 0
        repeat {
            var bytes = [UInt8](repeating: 0, count: min(Self.piece, entry.size - start))
            var span = bytes.mutableSpan
            do { try target.read(entry.name, at: start, into: &span) } catch { throw OfTarget(cause: error) }
            guard try range(entry, from: start) == bytes else { return false }
            start += Self.piece
        } while start < entry.size
        return true
    }

    private final class Names: Sendable {
        private let names = Mutex<[String]>([])
        var all: [String] { names.withLock(\.self) }
        func add(_ name: String) { names.withLock { $0.append(name) } }
    }

    private final class Progress: Sendable {
        private let done = Mutex((files: 0, bytes: 0))
        private let total: (files: Int, bytes: Int64)
        private let reporter: any Reporter

        init(_ entries: some Sequence<ObjectEntry>, _ reporter: any Reporter) {
            var total: (files: Int, bytes: Int64) = (0, 0)
            for entry in entries {
                total.files += 1
                total.bytes = total.bytes.saturatingAdding(Int64(entry.size))
            }
            (self.total, self.reporter) = (total, reporter)
        }

        var files: Int { done.withLock { $0.files } }
        var bytes: Int { done.withLock { $0.bytes } }

        func add(_ entry: ObjectEntry) {
            let now = done.withLock { done in
                done.files += 1
                done.bytes += entry.size
                return done
            }
            var progress = WorkProgress(.copying)
            (progress.files, progress.totalFiles) = (now.files, total.files)
            (progress.bytes, progress.totalBytes) = (Int64(now.bytes), total.bytes)
            reporter.progress(progress)
        }
    }
}
