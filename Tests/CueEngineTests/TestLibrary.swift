import CueBase
import CueCrypto
import CueLibrary
import CueSodium
import CueStorage
import CueSystem
import CueTestSupport
import CueVault
import Foundation
import Synchronization

@testable import CueEngine

/// A library in a temporary folder, tied to a vault in memory.
struct TestLibrary {
    let folder = TemporaryFolder()
    let store: MemoryStore
    let vault: Vault
    let library: OpenLibrary

    /// What engine work on it is done with.
    var context: EngineContext { EngineContext(library, vault) }

    init(on store: MemoryStore = MemoryStore(), clock: Clock = .system) throws {
        self.store = store
        vault = Self.vault(on: store)
        try FileManager.default.createDirectory(atPath: folder.appending("library"), withIntermediateDirectories: true)
        var generator = SodiumGenerator()
        let state = StateFolder(folder.bytes.appending("state"))
        let marker = LibraryMarker(library: .random(using: &generator), vault: "memory")
        try state.library(marker.library).makeFolders()
        let local = try LocalStore(in: state.library(marker.library))
        try Self.remember("the laptop", in: local)
        let path = folder.bytes.appending("library")
        library = OpenLibrary(
            path: path, root: try Folder.open(path), marker: marker, store: local, state: state,
            surroundings: Surroundings(clock: clock))
    }

    /// Makes a device of the tests' vault in a local store.
    static func remember(_ name: String, in store: LocalStore) throws {
        var random = SodiumGenerator()
        let device = OpenLibrary.Device(seed: DeviceKey.newSeed(using: &random), of: TestKeys.vault, name: name)
        TestKeys.note(device.key)
        try store.write {
            try $0.set(.vault, to: TestKeys.vault)
            try $0.set(device)
        }
    }

    /// Whether the vaults of the tests have logs of rows (`CUE_TEST_LOG=rows`), so that the second kind of log is
    /// proven too.
    static let hasRows = ProcessInfo.processInfo.environment["CUE_TEST_LOG"] == "rows"

    /// The same vault for every store that holds the same objects.
    static func vault(on store: any ObjectStore, slot: SlotSecret? = nil, hasRows: Bool = hasRows) -> Vault {
        var generator = SeededGenerator(seed: 1)
        let secret = SecretBytes(copying: generator.bytes(32).span)
        let key = VaultKey(secret, vault: VaultID.random(using: &generator))
        return Vault(
            storage(on: store, hasRows), ring: KeyRing(key: key, slot: slot), inlineRoom: ContentInPacks.room)
    }

    private static func storage(on store: any ObjectStore, _ hasRows: Bool) -> VaultStorage {
        guard hasRows else { return VaultStorage(store) }
        return VaultStorage(
            objects: StoreWithoutRecords(store), log: RowLog(on: store), eventLog: RowLog(on: store, of: .events))
    }

    // MARK: Its work

    /// Backs up once every file is old enough to be trusted; gives the snapshot's id.
    @discardableResult
    func backup() throws -> String {
        Wait.milliseconds(40)
        return try Backup.run(context).snapshot?.description ?? ""
    }

    /// Restores into the library what a snapshot held.
    func restore(at snapshot: String, overwrite: Bool = false, reporter: any Reporter = SilentReporter()) throws
        -> Restore.Summary
    {
        var request = RestoreRequest()
        (request.at, request.overwrite) = (snapshot, overwrite)
        return try Restore.run(request, VaultContext(vault, reporter: reporter), to: .library(library))
    }

    // MARK: Its files

    func write(_ name: String, _ content: String) throws { try folder.write("library/" + name, content) }

    func read(_ name: String) throws -> String { try folder.read("library/" + name) }

    /// Every path below the library with what it holds: a file its text, a link its target behind `-> `, a folder
    /// nothing.
    func contents(of place: String = "library") throws -> [String: String] {
        let root = folder.appending(place)
        var found: [String: String] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: root) {
            let whole = root + "/" + path
            switch try FileManager.default.attributesOfItem(atPath: whole)[.type] as? FileAttributeType {
            case .typeSymbolicLink?:
                found[path] = "-> " + (try FileManager.default.destinationOfSymbolicLink(atPath: whole))
            case .typeDirectory?: found[path] = ""
            default: found[path] = try String(contentsOfFile: whole, encoding: .utf8)
            }
        }
        return found
    }
}

/// Does something at the moment at which a restore has written so many files.
final class Meanwhile: Reporter {
    private let files: Int
    private let action: @Sendable () throws -> Void
    private let isDone = Mutex(false)

    init(after files: Int, _ action: @escaping @Sendable () throws -> Void) {
        (self.files, self.action) = (files, action)
    }

    func progress(_ progress: WorkProgress) {
        guard progress.files == files,
            isDone.withLock({ done in
                defer { done = true }; return !done
            })
        else { return }
        do { try action() } catch { fatalError("what happens meanwhile failed: \(error)") }
    }

    func finish() {}
}

extension Vault {
    /// Writes a commit with the key that tests know of its device.
    @discardableResult
    func append(_ draft: CommitDraft, at position: LogPosition) throws -> (size: Int, digest: CommitDigest) {
        try append(draft, at: position, by: TestKeys.key(of: position.device))
    }
}
