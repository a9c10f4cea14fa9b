import CueBase
import CueSystem
import Synchronization

/// Makes packs durable on threads of their own. A worker fills its next pack while a disk or a network takes the last
/// one.
///
/// Only a few packs are under way at once. So memory is bounded even if a store holds a pack until it is sent.
package final class PackUploads: Sendable {
    /// The number of packs under way at once.
    private static let atMost = 4

    private struct State {
        var started = 0
        /// The sizes of all packs so far, in bytes.
        var bytes = 0
        var finished: [(number: Int, pack: PackRecord)] = []
        var inline = InlineBlocks()
    }

    private let threads = BoundedThreads(atMost: atMost)
    private let state = Mutex(State())
    private let note: (@Sendable (PackRecord) throws -> Void)?
    private let isForCommit: Bool

    /// `isForCommit`: the next commit takes `takeInline` with it. Otherwise little content becomes a pack too.
    ///
    /// `note` receives each pack once it is durable, on any thread. An error that it throws counts as that of the pack.
    package init(isForCommit: Bool = false, note: (@Sendable (PackRecord) throws -> Void)? = nil) {
        (self.isForCommit, self.note) = (isForCommit, note)
    }

    /// Takes the blocks of a writer that has no pack open, for the commit; false if they do not fit beside those of the
    /// other writers.
    func add(_ blocks: InlineBlocks) -> Bool { isForCommit && state.withLock { $0.inline.add(blocks) } }

    /// The bytes of all packs that were taken so far.
    var bytes: Int { state.withLock { $0.bytes } }

    /// Returns the blocks for the commit, once.
    package func takeInline() -> InlineBlocks {
        state.withLock { state in
            defer { state.inline = InlineBlocks() }
            return state.inline
        }
    }

    /// Takes a pack whose last byte is written. Waits until fewer than the most packs are under way.
    ///
    /// Throws the first error of an earlier pack, and cancels this one then. The error of this one comes with a later
    /// call.
    func finish(_ output: SealedWriter, _ pack: PackRecord) throws {
        let number = state.withLock { state in
            state.started += 1
            state.bytes += pack.size
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

    /// Waits until all packs are durable. Returns those since the last call, in the order in which they were taken.
    /// Throws the first error.
    package func finish() throws -> [PackRecord] {
        try threads.wait()
        return state.withLock { state in
            defer { state.finished = [] }
            return state.finished.sorted { $0.number < $1.number }.map(\.pack)
        }
    }
}
