import CueBase
import CueStorage
import CueSystem
import CueTestSupport
import Foundation
import Synchronization
import Testing

@testable import CueVault

/// Lets nobody go on before two have come.
private final class Meeting: Sendable {
    private let waiting = Mutex(0)
    private let opening = DispatchSemaphore(value: 0)

    func meet() {
        let count = waiting.withLock { waiting in
            waiting += 1
            return waiting
        }
        if count == 2 { opening.signal() }
        opening.wait()
        opening.signal()
    }
}

@Suite("Packs on their way to the store")
struct PackUploadTests {
    /// Chunks that fill a pack each.
    private static func fill(_ writer: PackWriter, packs: Int, in vault: Vault) throws {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<packs * 17 {
            let chunk = random.bytes(2 << 20)
            try writer.add(chunk.span, id: vault.chunkID(of: chunk.span))
        }
    }

    @Test("A writer fills the next pack while the store takes the last ones")
    func beside() throws {
        // A writer that waited until its first pack is durable would wait for ever.
        let meeting = Meeting()
        let store = HookedStore(MemoryStore()) { _, writer in
            HookedWriter(writer) { writer throws(StorageError) in
                meeting.meet()
                try writer.finish()
            }
        }
        let vault = TestVault.open(store)
        let uploads = PackUploads()
        let writer = try PackWriter(for: vault, uploads)

        try Self.fill(writer, packs: 2, in: vault)
        try writer.finish()
        let packs = try uploads.finish()

        #expect(packs.count >= 2)
        let index = ChunkIndex(packs)
        let reader = try ContentReader(of: vault, index, vault.presentPacks())
        for pack in packs { try reader.verify(pack) }
        #expect(try uploads.finish().isEmpty)
    }

    @Test("A pack that the store refuses is named when the work ends, and no pack is counted that is not there")
    func refused() throws {
        let store = HookedStore(MemoryStore()) { _, writer in
            HookedWriter(writer) { _ throws(StorageError) in throw .noSpace }
        }
        let vault = TestVault.open(store)
        let uploads = PackUploads { pack in Issue.record("\(pack.id) is not durable") }
        let writer = try PackWriter(for: vault, uploads)

        #expect(throws: StorageError.noSpace) {
            try Self.fill(writer, packs: 2, in: vault)
            try writer.finish()
            _ = try uploads.finish()
        }

        #expect(throws: StorageError.noSpace) { _ = try uploads.finish() }
        #expect(store.inner.names.isEmpty)
    }
}
