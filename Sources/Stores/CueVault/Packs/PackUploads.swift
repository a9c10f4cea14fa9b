import CueBase
import CueSystem
import Synchronization

/// Makes packs durable beside the workers that fill them: a worker goes on with the next pack while a disk or a network takes the last one.
///
/// A bounded number of packs is under way at once, so memory stays bounded where a store holds a pack until it is sent.
package final class PackUploads: Sendable {
    private static let atMost = 4

    private struct State {
        var started = 0
        var finished: [(number: Int, pack: PackRecord)] = []
    }

    private let threads = BoundedThreads(atMost: atMost)
    private let state = Mutex(State())
    private let note: (@Sendable (PackRecord) throws -> Void)?

    /// `note` receives each pack once it is durable, on any thread.
    package init(note: (@Sendable (PackRecord) throws -> Void)? = nil) { self.note = note }

    /// Takes a pack whose last byte is written. Throws the first error of an earlier one, and then cancels this one.
    func finish(_ output: SealedWriter, _ pack: PackRecord) throws {
        let number = state.withLock { state in
            state.started += 1
            return state.started
        }
        let handed = HandedOver(output)
        do {
            try threads.start { [self] in
                do { try handed.value.makeDurable() } catch {
                    handed.value.cancel()
                    throw error
                }
                state.withLock { $0.finished.append((number, pack)) }
                try note?(pack)
            }
        } catch {
            output.cancel()
            throw error
        }
    }

    /// Waits until all packs are durable, and returns those since the last call, in the order in which they were begun. Throws the first
    /// error.
    package func finish() throws -> [PackRecord] {
        try threads.wait()
        return state.withLock { state in
            defer { state.finished = [] }
            return state.finished.sorted { $0.number < $1.number }.map(\.pack)
        }
    }
}
