import CueBase
import CueCrypto
import CueEngine
import CueLibrary
import CueSodium
import CueStorage
import CueSystem
import CueVault
import Foundation
import Synchronization

/// Numbers that are the same in every run (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators").
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}

/// What the workloads chew on: the same bytes in every run.
enum Material {
    static let key = VaultKey(
        SecretBytes(copying: [UInt8](repeating: 7, count: EpochKey.length).span), vault: VaultID(high: 1, low: 2))

    static func noise(_ count: Int) -> [UInt8] {
        var random = SplitMix(state: 1)
        return [UInt8](capacity: count) { out in
            while out.count < count { out.append(UInt8(truncatingIfNeeded: random.next())) }
        }
    }

    /// Words of which few are frequent and most are rare, so that it compresses as prose does.
    static func prose(_ count: Int) -> [UInt8] {
        var random = SplitMix(state: 2)
        let words = (0..<8192).map { _ in
            (0..<Int.random(in: 1...10, using: &random)).map { _ in UInt8.random(in: 0x61...0x7a, using: &random) }
        }
        var text: [UInt8] = []
        text.reserveCapacity(count + 16)
        while text.count < count {
            text += words[Int(exp2(Double.random(in: 0..<13, using: &random)))]
            text.append(0x20)
        }
        text.removeLast(text.count - count)
        return text
    }

    static func bytes(_ kind: String, _ count: Int) -> [UInt8] { kind == "noise" ? noise(count) : prose(count) }

    /// Packs as a vault of small prose has them: blocks of 32 chunks, 32 blocks each.
    static func packs(chunks count: Int) -> [PackRecord] {
        var random = SplitMix(state: 3)
        func chunk() -> ChunkEntry {
            ChunkEntry(
                id: ChunkID(a: random.next(), b: random.next(), c: random.next(), d: random.next()), length: 32 << 10)
        }
        return (0..<count / 1024).map { _ in
            let blocks = (0..<32).map { _ in
                BlockRecord(
                    codec: .zstd, storedLength: 400 << 10, rawLength: 1 << 20, chunks: (0..<32).map { _ in chunk() })
            }
            return PackRecord(id: .random(using: &random), size: 13 << 20, blocks: blocks)
        }
    }
}

/// A store in memory, or one that throws away what it is given.
final class Shelf: ObjectStore {
    private let keeps: Bool
    fileprivate let objects = Mutex<[String: [UInt8]]>([:])

    init(keeps: Bool) { self.keeps = keeps }

    func makeWriter(for name: ObjectName) throws(StorageError) -> any ObjectWriter {
        Writer(name: name.text, shelf: keeps ? self : nil)
    }

    func read(_ name: ObjectName, at offset: Int, into buffer: inout MutableSpan<UInt8>) throws(StorageError) {
        guard let bytes = objects.withLock({ $0[name.text] }) else { throw .notFound(name.text) }
        guard offset + buffer.count <= bytes.count else { throw .shortRead(name.text) }
        unsafe buffer.withUnsafeMutableBytes { out in
            unsafe bytes.withUnsafeBytes {
                unsafe out.copyMemory(from: .init(rebasing: $0[offset..<offset + out.count]))
            }
        }
    }

    func size(of name: ObjectName) throws(StorageError) -> Int? { objects.withLock { $0[name.text]?.count } }
    func list(_ folder: String, after: String?) throws(StorageError) -> ObjectPage { ObjectPage([]) }
    func delete(_ name: ObjectName) throws(StorageError) {}

    private final class Writer: ObjectWriter {
        private let name: String
        private let shelf: Shelf?
        private var bytes: [UInt8] = []

        init(name: String, shelf: Shelf?) { (self.name, self.shelf) = (name, shelf) }

        func write(_ more: Span<UInt8>) throws(StorageError) {
            if shelf != nil { unsafe more.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) } }
        }
        func finish() throws(StorageError) { shelf?.objects.withLock { $0[name] = bytes } }
        func cancel() {}
    }
}

/// A folder that is gone when the program ends.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/cue-benchmarks-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A real library on disk, backed up once: so many files of 2 KiB, a hundred to a folder.
struct BackedUpLibrary {
    let library: OpenLibrary
    let vault: Vault
    private let folder: TemporaryFolder

    init(files: Int) throws {
        folder = try TemporaryFolder()
        let text = Material.prose(2048 + files)
        for number in 0..<files {
            let shelf = "\(folder.path)/library/Shelf \(number / 100)"
            if number % 100 == 0 {
                try FileManager.default.createDirectory(atPath: shelf, withIntermediateDirectories: true)
            }
            let bytes = Data(text[number..<number + 2048])
            guard FileManager.default.createFile(atPath: "\(shelf)/Document \(number).md", contents: bytes) else {
                throw CocoaError(.fileWriteUnknown)
            }
        }
        try FileManager.default.createDirectory(atPath: folder.path + "/vault", withIntermediateDirectories: true)
        let location = VaultLocation(folder.path + "/vault")
        let store = try DirectoryStore(at: FilePathBytes(folder.path + "/vault"), writerName: "benchmarks")
        vault = Vault(VaultStorage(store), key: Material.key)
        // Files that were just written are looked at again by the next backup, which is not what is measured.
        Thread.sleep(forTimeInterval: 0.2)
        let (path, state) = (
            FilePathBytes(folder.path + "/library"), StateFolder(FilePathBytes(folder.path + "/state"))
        )
        _ = try Initialization(
            path, location, device: "benchmarks", remember: false, state: state,
            open: { _, _ in VaultStorage(store) }
        ).join(vault, acceptOlder: false)
        library = try OpenLibrary(at: path, state: state)
        _ = try Backup.run(EngineContext(library, vault))
    }
}
