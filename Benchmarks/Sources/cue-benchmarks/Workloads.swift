import CueBase
import CueCrypto
import CueLibrary
import CueSodium
import CueStorage
import CueSystem
import CueVault

@testable import CueEngine

/// One piece of work whose cost is counted.
struct Workload: Sendable {
    let name: String
    /// What the numbers are for one of.
    let unit: String
    /// What is promised: memory grows by at most so many bytes for one unit.
    var mostMemory: Double?
    /// Makes what is needed; the work itself comes after it. Its result is held until memory was looked at.
    let prepare: @Sendable (Scale) throws -> Job

    struct Job {
        let units: Int
        let run: () throws -> Any
    }

    /// Under valgrind everything takes about fifty times as long.
    struct Scale {
        let isSmall: Bool
        var mebibytes: Int { isSmall ? 8 : 64 }
        var files: Int { isSmall ? 2_000 : 10_000 }
        var events: Int { isSmall ? 5_000 : 100_000 }
        var chunks: Int { isSmall ? 100 << 10 : 1_000 << 10 }
    }
}

extension Workload {
    static let all: [Workload] =
        ["prose", "noise"].flatMap { [chunking($0), packing($0), reading($0)] } + [
            smallPacking, naming, sealing, opening, index, lookups, remembering, remembered, scanning, unchanged,
            history,
            planning,
        ] + garden

    private static func perMebibyte(_ name: String, _ body: @escaping @Sendable (Scale) throws -> () throws -> Void)
        -> Workload
    {
        Workload(name: name, unit: "MiB") { Job(units: $0.mebibytes, run: try body($0)) }
    }

    // MARK: Content

    private static func chunking(_ kind: String) -> Workload {
        perMebibyte("chunking, \(kind)") { scale in
            let bytes = Material.bytes(kind, scale.mebibytes << 20)
            let chunker = Chunker(average: 128 << 10, gear: Material.key.gear)
            return {
                var rest = bytes.span.extracting(first: bytes.count)
                while !rest.isEmpty { rest = rest.extracting(droppingFirst: chunker.nextLength(in: rest)) }
            }
        }
    }

    private static func pack(_ bytes: [UInt8], by size: Int, to store: Shelf) throws -> [PackRecord] {
        let vault = Vault(VaultStorage(store), key: Material.key)
        let uploads = PackUploads()
        let writer = try PackWriter(for: vault, uploads)
        for start in stride(from: 0, to: bytes.count, by: size) {
            let id = ChunkID(a: UInt64(start), b: 1, c: 2, d: 3)
            try writer.add(bytes.span.extracting(start..<start + size), id: id)
        }
        try writer.finish()
        return try uploads.finish()
    }

    private static func packing(_ kind: String) -> Workload {
        perMebibyte("packing, \(kind)") { scale in
            let bytes = Material.bytes(kind, scale.mebibytes << 20)
            return { _ = try pack(bytes, by: 32 << 10, to: Shelf(keeps: false)) }
        }
    }

    /// As many short files bring it.
    private static let smallPacking = perMebibyte("packing, 2 KiB each") { scale in
        let bytes = Material.prose(scale.mebibytes << 20)
        return { _ = try pack(bytes, by: 2 << 10, to: Shelf(keeps: false)) }
    }

    private static func reading(_ kind: String) -> Workload {
        perMebibyte("reading, \(kind)") { scale in
            let bytes = Material.bytes(kind, scale.mebibytes << 20)
            let vault = Vault(VaultStorage(Shelf(keeps: true)), key: Material.key)
            let uploads = PackUploads()
            let writer = try PackWriter(for: vault, uploads)
            var ids: [ChunkID] = []
            for start in stride(from: 0, to: bytes.count, by: 32 << 10) {
                let chunk = bytes.span.extracting(start..<start + 32 << 10)
                ids.append(vault.chunkID(of: chunk))
                try writer.add(chunk, id: vault.chunkID(of: chunk))
            }
            try writer.finish()
            var index = ChunkIndex()
            let made = try uploads.finish()
            for pack in made { index.add(pack) }
            index.prepare()
            let packs = PresentPacks(sizes: Dictionary(uniqueKeysWithValues: made.map { ($0.id, $0.size) }))
            return { [ids, index] in
                let reader = try ContentReader(of: vault, index, packs)
                for id in ids { try reader.withChunk(id) { _ in } }
            }
        }
    }

    private static let naming = perMebibyte("naming") { scale in
        let bytes = Material.noise(scale.mebibytes << 20)
        let vault = Vault(VaultStorage(Shelf(keeps: false)), key: Material.key)
        return {
            for start in stride(from: 0, to: bytes.count, by: 32 << 10) {
                _ = vault.chunkID(of: bytes.span.extracting(start..<start + 32 << 10))
            }
        }
    }

    private static let context = SealContext(vault: VaultID(high: 1, low: 2), kind: .pack, name: [1])

    private static let sealing = perMebibyte("sealing") { scale in
        let bytes = Material.noise(scale.mebibytes << 20)
        return {
            var sealer = Sealer(key: Material.key.current.packs, context: context)
            for start in stride(from: 0, to: bytes.count, by: 1 << 20) {
                sealer.update(bytes.span.extracting(start..<start + 1 << 20)) { _ in }
            }
            sealer.finish { _ in }
        }
    }

    private static let opening = perMebibyte("opening") { scale in
        let sealed = Message.seal(
            Material.noise(scale.mebibytes << 20), key: Material.key.current.packs, context: context)
        let opener = try Opener(
            header: Array(sealed[..<Cobblestone.header]), sealedSize: sealed.count, key: Material.key.current.packs,
            context: context)
        var output = [UInt8](repeating: 0, count: 1 << 20)
        return {
            for start in stride(from: 0, to: opener.plainSize, by: 1 << 20) {
                let range = opener.sealedRange(of: start..<start + 1 << 20)
                var target = output.mutableSpan
                _ = try opener.open(sealed.span.extracting(range), firstChunk: start / Cobblestone.chunk, into: &target)
            }
        }
    }

    // MARK: Chunks

    private static func makeIndex(_ packs: [PackRecord]) -> ChunkIndex {
        var index = ChunkIndex()
        // As a commit does that brings them, in the fewest bytes: room for more is addresses that are never touched.
        index.reserve(forRecordsOf: 33 * packs.reduce(0) { $0 + $1.blocks.reduce(0) { $0 + $1.chunks.count } })
        for pack in packs { index.add(pack) }
        index.prepare()
        return index
    }

    private static let index = Workload(name: "index", unit: "chunk", mostMemory: 48) { scale in
        let packs = Material.packs(chunks: scale.chunks)
        return Job(units: scale.chunks) { makeIndex(packs) }
    }

    private static func ids(_ packs: [PackRecord]) -> [ChunkID] {
        packs.flatMap { $0.blocks.flatMap { $0.chunks.map(\.id) } }
    }

    private static let lookups = Workload(name: "index, look-ups", unit: "chunk") { scale in
        let packs = Material.packs(chunks: scale.chunks)
        let (index, ids) = (makeIndex(packs), ids(packs))
        return Job(units: ids.count) { ids.forEach { _ = index.location(of: $0) } }
    }

    private static func store(_ ids: [ChunkID]) throws -> (LocalStore, TemporaryFolder) {
        let folder = try TemporaryFolder()
        let store = try LocalStore(in: FilePathBytes(folder.path))
        try store.write { try $0.addChunks(ids) }
        return (store, folder)
    }

    /// What a backup that has something to store reads out of the local store: the names of all chunks that the vault has.
    private static let remembering = Workload(name: "known chunks", unit: "chunk", mostMemory: 48) { scale in
        let (store, folder) = try store(ids(Material.packs(chunks: scale.chunks)))
        return Job(units: scale.chunks) {
            withExtendedLifetime(folder) {}; return try store.read { try $0.knownChunks() }
        }
    }

    private static let remembered = Workload(name: "known chunks, look-ups", unit: "chunk") { scale in
        let ids = ids(Material.packs(chunks: scale.chunks))
        let (store, _) = try store(ids)
        let known = try store.read { try $0.knownChunks() }
        return Job(units: ids.count) { ids.forEach { _ = known.contains($0) } }
    }

    // MARK: Documents

    private static func perFile(
        _ name: String, _ body: @escaping @Sendable (BackedUpLibrary) throws -> () throws -> Any
    ) -> Workload {
        Workload(name: name, unit: "file") { scale in
            let library = try BackedUpLibrary(files: scale.files)
            return Job(units: scale.files, run: try body(library))
        }
    }

    private static let scanning = perFile("scanning") { backedUp in
        {
            var scanner = Scanner(
                bundles: backedUp.library.bundles, known: try backedUp.library.store.read { try KnownTree($0) },
                checkInterruption: {})
            let scan = try scanner.run(backedUp.library.root)
            precondition(scan.candidates.isEmpty && scan.missing.isEmpty, "nothing has changed")
            return scan
        }
    }

    private static let unchanged = perFile("backup, nothing changed") { backedUp in
        { try Backup.run(EngineContext(backedUp.library, backedUp.vault)) }
    }

    private static let history = perFile("history") { backedUp in
        { try History.loadLatest(backedUp.vault) }
    }

    private static let planning = perFile("planning") { backedUp in
        let history = try History.loadLatest(backedUp.vault)
        return { try RestorePlan.make(RestoreRequest(), history, at: Timestamp(milliseconds: 0)) }
    }
}
