package import CueBase
import CueSystem

/// Tries out what a vault needs of a store, with one small object that is removed at the end.
package struct StoreProbe: Sendable {
    /// One thing that is tried, in this order.
    package enum Step: String, CaseIterable, Sendable, Codable {
        case list, write, keep, read, range, listNew = "list-new", clock, lock, delete

        /// True if no vault can be there without it.
        package var isNeeded: Bool {
            switch self {
            case .list, .write, .read, .range, .listNew, .lock: true
            // The names of objects are random, so that nothing is replaced by accident. Only key slots are ever deleted.
            case .keep, .clock, .delete: false
            }
        }
    }

    /// What came of a step.
    package enum Outcome: Hashable, Sendable {
        case works
        case failed(StorageError)
        /// The store did something else than what it promised: gave other bytes, replaced an object, listed none.
        case wrong
        /// This device's clock is ahead by so many seconds; negative if it is behind.
        case clockOff(Int)
        /// An earlier step failed that this one needs, or the store has nothing to say about it.
        case notTried
    }

    /// The seconds by which clocks may differ without a word.
    private static let patience = 60
    /// The seconds for which the object is locked, where the store locks objects: long enough for its clock to be some
    /// seconds ahead.
    private static let lockSeconds: Int64 = 60

    /// In the order of the steps; without `lock` where the store locks nothing.
    package let outcomes: [(step: Step, outcome: Outcome)]

    /// True if everything works that a vault needs.
    package var isEnough: Bool { firstNeeded == nil }

    /// The first step that is needed and does not work, with what came of it.
    package var firstNeeded: (step: Step, outcome: Outcome)? {
        outcomes.first { $0.step.isNeeded && $0.outcome != .works }
    }

    /// Tries `store` out. `number` makes the name of the object, which nothing else may have.
    package init(of store: any ObjectStore, number: UInt64 = .random(in: 0 ... .max), now: Timestamp = Environment.now)
    {
        let name = ObjectName("tmp/probe-\(String(number, radix: 16))")
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ Int(truncatingIfNeeded: number)) }
        var outcomes: [(Step, Outcome)] = []
        func note(_ step: Step, _ body: () throws(StorageError) -> Outcome) {
            let needed: Step? = step == .write ? .list : step == .list || step == .clock ? nil : .write
            guard needed.map({ needed in outcomes.contains { $0 == (needed, .works) } }) ?? true else {
                return outcomes.append((step, .notTried))
            }
            do throws(StorageError) { outcomes.append((step, try body())) } catch {
                outcomes.append((step, .failed(error)))
            }
        }
        note(.list) { () throws(StorageError) in
            _ = try store.list("tmp", after: nil)
            return .works
        }
        note(.write) { () throws(StorageError) in
            try store.put(name, bytes)
            return .works
        }
        note(.keep) { () throws(StorageError) in
            do throws(StorageError) { try store.put(name, [1]) } catch {
                if case .alreadyThere = error { return .works }
                throw error
            }
            return .wrong
        }
        let isKept = outcomes.contains { $0 == (.keep, .works) }
        let there = isKept ? bytes : [1]
        note(.read) { () throws(StorageError) in
            let found = try store.get(name, upTo: bytes.count)
            return found == there || found == bytes ? .works : .wrong
        }
        note(.range) { () throws(StorageError) in
            var part = [UInt8](repeating: 0, count: isKept ? 100 : 1)
            var span = part.mutableSpan
            try store.read(name, at: isKept ? 300 : 0, into: &span)
            return !isKept || part.elementsEqual(bytes[300..<400]) ? .works : .wrong
        }
        note(.listNew) { () throws(StorageError) in
            try store.list("tmp").contains { $0.name == name } ? .works : .wrong
        }
        note(.clock) { () throws(StorageError) in
            guard let ahead = store.secondsAhead else { return .notTried }
            return abs(ahead) <= Self.patience ? .works : .clockOff(ahead)
        }
        if let locking = store.locking {
            note(.lock) { () throws(StorageError) in
                let ahead = Int64(store.secondsAhead ?? 0)
                let until = Timestamp(milliseconds: now.milliseconds + (Self.lockSeconds - ahead) * 1000)
                try locking.lock(name, until: until)
                return .works
            }
        }
        note(.delete) { () throws(StorageError) in
            try store.delete(name)
            return try store.size(of: name) == nil ? .works : .wrong
        }
        self.outcomes = outcomes.map { (step: $0.0, outcome: $0.1) }
    }
}
