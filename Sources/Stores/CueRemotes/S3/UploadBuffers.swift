import CueBase
import Synchronization

/// The memory of packs that are sent. While other packs are written, the memory of one is used for the next: the system
/// clears each page of new memory.
final class UploadBuffers: Sendable {
    /// The buffers that are kept.
    private static let atMost = 4
    /// A smaller one is not worth it.
    private static let least = 1 << 20
    /// What a buffer has room for once it has more than the least: a pack, which has mostly this size.
    private static let usual = 33 << 20

    private let state = Mutex((writers: 0, spare: [[UInt8]]()))

    /// An empty buffer, which `giveBack` must get.
    func take() -> [UInt8] {
        state.withLock { state in
            state.writers += 1
            return state.spare.popLast() ?? []
        }
    }

    /// Makes room for bytes that are added.
    static func grow(_ buffer: inout [UInt8], by count: Int) {
        let size = buffer.count + count
        // An array that grows by itself is copied each time.
        if size > least, size <= usual, buffer.capacity < size { buffer.reserveCapacity(usual) }
    }

    /// Takes a buffer whose content is no longer needed.
    func giveBack(_ buffer: consuming [UInt8]) {
        buffer.removeAll(keepingCapacity: true)
        state.withLock { [buffer] state in
            state.writers -= 1
            if state.writers == 0 {
                state.spare = []
            } else if buffer.capacity >= Self.least, state.spare.count < Self.atMost {
                state.spare.append(buffer)
            }
        }
    }
}
