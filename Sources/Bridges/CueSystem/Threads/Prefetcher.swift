import Synchronization

/// Makes values on threads of its own before they are asked for, in the order in which that is expected.
///
/// It helps where making a value waits for something, as a read over a network does.
package final class Prefetcher<Value: Sendable>: Sendable {
    private enum Slot {
        /// On its way, with those that wait for it.
        case begun([Semaphore])
        case made(Value)
        /// A reader has the value, or made it itself, or making it failed.
        case done
    }

    private struct State {
        var slots: [Int: Slot] = [:]
        var next = 0
        /// All before this one were given or passed over.
        var oldest = 0
        /// The cost of the values that were begun and not yet given.
        var held = 0
        var isStopped = false
    }

    /// A value that was passed over by so many later ones is not asked for any more.
    private static var patience: Int { 64 }

    private let count: Int
    private let room: Int
    private let cost: @Sendable (Int) -> Int
    private let make: @Sendable (Int) throws -> Value
    private let state = Mutex(State())
    private let work = Semaphore()
    private let threads = Mutex<[Thread]>([])

    /// Begins at once. Values are numbered from 0 in the order in which they will be asked for.
    ///
    /// `room`: the cost of all values that may wait to be asked for; a single one may cost more. `make` runs on any of
    /// the threads, also for several values at once. If it throws, the value is not there (`value`).
    package init(
        count: Int, threads: Int, room: Int, cost: @escaping @Sendable (Int) -> Int,
        make: @escaping @Sendable (Int) throws -> Value
    ) {
        (self.count, self.room, self.cost, self.make) = (count, room, cost, make)
        for _ in 0..<min(count, threads) {
            work.signal()
            let thread = Thread { [self] in run() }
            // If the system has no thread to give, nothing is made ahead of time.
            if thread.isRunning { self.threads.withLock { $0.append(thread) } }
        }
    }

    /// What to do with a slot that was asked for.
    private enum Step {
        case take(Value)
        case wait(Semaphore)
        case make
        case none
    }

    /// The value of a number, for which it waits if it is on its way; if it was not begun yet, the caller's thread makes
    /// it. nil if it was given before, or could not be made.
    package func value(of number: Int) -> Value? {
        let step: Step = state.withLock { state in
            switch state.slots[number] {
            case .made(let value)?:
                give(number, &state)
                return .take(value)
            case .begun(let others)?:
                let wait = Semaphore()
                state.slots[number] = .begun(others + [wait])
                return .wait(wait)
            case nil:
                state.slots[number] = .done
                // Whoever asks is ahead: those in between would come too late.
                state.next = max(state.next, number + 1)
                passOver(before: number, &state)
                return .make
            case .done?: return .none
            }
        }
        switch step {
        case .take(let value): return value
        case .make: return try? make(number)
        case .none: return nil
        case .wait(let wait):
            wait.wait()
            return state.withLock { state in
                guard case .made(let value)? = state.slots[number] else { return nil }
                give(number, &state)
                return value
            }
        }
    }

    /// Ends the threads, after the values that they are making.
    package func stop() {
        state.withLock { $0.isStopped = true }
        let all = threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for _ in all { work.signal() }
        for thread in all { thread.join() }
    }

    /// Makes room for further values.
    private func give(_ number: Int, _ state: inout State) {
        state.held -= cost(number)
        state.slots[number] = .done
        passOver(before: number, &state)
        work.signal()
    }

    /// Drops the values that stand more than `patience` before this one: the readers have passed over them, and they
    /// would hold room for ever.
    private func passOver(before number: Int, _ state: inout State) {
        guard state.oldest < number - Self.patience else { return }
        while state.oldest < number - Self.patience {
            if case .made = state.slots[state.oldest] {
                state.held -= cost(state.oldest)
                state.slots[state.oldest] = .done
            }
            state.oldest += 1
        }
        work.signal()
    }

    /// The work of one thread.
    private func run() {
        while true {
            work.wait()
            while let number = begin() { end(number, with: try? make(number)) }
            if state.withLock({ $0.isStopped }) { return }
        }
    }

    /// The next value to make; nil if there is none, or no room.
    private func begin() -> Int? {
        state.withLock { state in
            while state.next < count, state.slots[state.next] != nil { state.next += 1 }
            guard !state.isStopped, state.next < count, state.held == 0 || state.held + cost(state.next) <= room else {
                return nil
            }
            let number = state.next
            state.slots[number] = .begun([])
            state.next += 1
            state.held += cost(number)
            return number
        }
    }

    private func end(_ number: Int, with value: Value?) {
        let waiting = state.withLock { state in
            guard case .begun(let waiting)? = state.slots[number] else { return [Semaphore]() }
            if let value, number >= state.oldest || !waiting.isEmpty {
                state.slots[number] = .made(value)
            } else {
                state.held -= cost(number)
                state.slots[number] = .done
            }
            return waiting
        }
        for one in waiting { one.signal() }
    }
}
