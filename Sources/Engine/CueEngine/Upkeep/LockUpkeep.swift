package import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueVault

/// Keeps the objects of a vault locked, where its place locks each for a time (docs/append-only.md).
///
/// One pass gives all objects the same end, a whole period away, and `vault.json` last: the lock of that one object
/// says when the last pass ended that any device made. Objects that are newer than the beginning of the pass are locked
/// for longer by themselves. So one request a day shows whether a pass is due, and nothing has to be remembered of
/// single objects.
package struct LockUpkeep {
    /// The result of one run.
    package struct Summary: Sendable, Equatable {
        /// The objects that are locked until `until` now.
        package var extended = 0
        /// The objects that are left for later runs.
        package var left = 0
        package let until: Timestamp
    }

    /// The memory that this device keeps of one place.
    struct Memory: Codable {
        /// The place, as the marker writes it.
        let place: String
        /// The time of the first lock by this device there.
        let since: Timestamp
        /// When this device last looked whether a pass is due.
        var looked: Timestamp?
        /// The end of the locks that the pass under way sets; nil if none is.
        var goal: Timestamp?
        /// The last object that it locked.
        var last = ""
        /// The end of the locks that the last pass of this device set. It counts where the key may not ask for it.
        var done: Timestamp?

        init(place: String, since: Timestamp) { (self.place, self.since) = (place, since) }
    }

    /// The object that says when the last pass ended.
    private static let header = ObjectName("vault.json")
    private static let day: Int64 = 86_400_000
    /// The objects of one run, if the locks last long enough: some ten seconds of requests.
    private static let pieceAtLeast = 1000
    private static let batch = 256
    /// As many requests at once as a client has connections.
    private static let threads = 8

    private let context: EngineContext
    private let locking: any ObjectLocking
    private var memory: Memory
    private var now: Timestamp { context.clock.now }
    private var period: Int64 { Int64(locking.days) * Self.day }

    /// Extends the locks of a bounded number of objects, if that is due. Returns nil if it is not, or if the place
    /// locks nothing.
    ///
    /// `place`: where the vault of the context is. Throws `StorageError`. After an error or a stop the next run goes on
    /// from there.
    package static func run(_ context: EngineContext, at place: VaultLocation) throws -> Summary? {
        guard let locking = context.vault.objects.locking else { return nil }
        let memory = try Memory.of(place, context.library)
        var upkeep = LockUpkeep(context, locking, memory ?? Memory(place: place.stored, since: context.clock.now))
        return try upkeep.run()
    }

    private init(_ context: EngineContext, _ locking: any ObjectLocking, _ memory: Memory) {
        (self.context, self.locking, self.memory) = (context, locking, memory)
    }

    private mutating func run() throws -> Summary? {
        // A clock that was set back is no reason to wait.
        if memory.goal == nil, let looked = memory.looked, (0..<Self.day).contains(now - looked) { return nil }
        let known = try locking.lockedUntil(Self.header)
        let until = until(known)
        memory.looked = now
        if let goal = memory.goal {
            let isDone = until.map { $0.milliseconds >= goal.milliseconds } ?? false
            // Another device was quicker, or this one was away for so long that the pass would be due again at its end.
            if isDone || goal - now <= period / 3 { (memory.goal, memory.last) = (nil, "") }
        }
        if memory.goal == nil {
            let isDue = until.map { $0 - now <= period / 3 } ?? true
            guard isDue else {
                try save()
                return nil
            }
            (memory.goal, memory.last) = (Timestamp(milliseconds: now.milliseconds + period), "")
        }
        try save()
        return try extend(left: until.map { $0 - now } ?? period / 3)
    }

    /// The time until which all objects are locked, as far as that is known. `known`: that of `vault.json`.
    private func until(_ known: Timestamp?) -> Timestamp? {
        if let known, known - now > period + Self.day {
            // Another device locks for longer, or this one did. Objects that it stores now are locked for a shorter
            // time.
            return memory.done ?? Timestamp(milliseconds: memory.since.milliseconds + period)
        }
        return [known, memory.done].compactMap(\.self).max { $0.milliseconds < $1.milliseconds }
    }

    /// Goes on with the pass. `left`: the milliseconds for which all objects are still locked.
    private mutating func extend(left: Int64) throws -> Summary? {
        guard let goal = memory.goal else { return nil }
        let names = try namesLeft()
        // With one run a day the pass ends in half of the time that there is.
        let runs = max(1, Int(left / Self.day / 2))
        let piece = names.prefix(max(Self.pieceAtLeast, (names.count + runs - 1) / runs))
        var summary = Summary(left: names.count, until: goal)
        for start in stride(from: 0, to: piece.count, by: Self.batch) {
            guard !context.cancellation.isRequested else { return summary }
            let batch = Array(piece[start..<min(start + Self.batch, piece.count)])
            try lock(batch, until: goal)
            memory.last = batch.last?.text ?? memory.last
            try save()
            summary.extended += batch.count
            summary.left -= batch.count
        }
        guard summary.left == 0 else { return summary }
        try locking.lock(Self.header, until: goal)
        (memory.goal, memory.last, memory.done) = (nil, "", goal)
        try save()
        summary.extended += 1
        return summary
    }

    private func lock(_ names: [ObjectName], until goal: Timestamp) throws {
        let locking = locking
        try Workers.forEach(names.count, on: min(Self.threads, names.count), context: {}) { number, _ in
            // A key slot may be removed meanwhile.
            do { try locking.lock(names[number], until: goal) } catch StorageError.notFound {}
        }
    }

    /// The objects that the pass has not come to, in the order of their names, without `vault.json`.
    private func namesLeft() throws -> [ObjectName] {
        var names: [ObjectName] = []
        // "0" follows "/": all names of a folder come before this one.
        for folder in VaultCopy.folders.sorted() where folder + "0" > memory.last {
            names += try context.vault.objects.list(folder).map(\.name).filter { $0.text > memory.last }
        }
        return names
    }

    private func save() throws {
        let memory = memory
        try context.library.store.write { store in
            let others = (try store.value(.locks)?.value(as: [Memory].self) ?? []).filter { $0.place != memory.place }
            try store.set(.locks, to: FactCode(others + [memory]))
        }
    }
}

extension LockUpkeep.Memory {
    fileprivate static func of(_ place: VaultLocation, _ library: OpenLibrary) throws -> Self? {
        try library.store.read { try $0.value(.locks) }?.value(as: [Self].self)?.first { $0.place == place.stored }
    }
}

extension Timestamp {
    /// The milliseconds between two times.
    fileprivate static func - (x: Timestamp, y: Timestamp) -> Int64 { x.milliseconds - y.milliseconds }
}
