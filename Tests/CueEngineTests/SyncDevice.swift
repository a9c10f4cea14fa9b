import CueBase
import CueLibrary
import CueSodium
import CueStorage
import CueSystem
import CueTestSupport
import CueVault
import Foundation

@testable import CueEngine

/// One device of several: a library folder with a state folder of its own, on a vault that it shares or has a copy of.
final class SyncDevice: Sendable {
    let folder: TemporaryFolder
    let name: String
    let store: any ObjectStore
    let library: OpenLibrary
    private let hasRows: Bool
    var vault: Vault { TestLibrary.vault(on: store, hasRows: hasRows) }
    var path: String { folder.appending(name) }
    /// What engine work on it is done with.
    var context: EngineContext { EngineContext(library, vault) }

    /// `hasRows`: whether the vault's log is one of rows; runs stand in a log of objects alone.
    init(
        _ name: String, in folder: TemporaryFolder, on store: any ObjectStore, clock: Clock = .system,
        hasRows: Bool = TestLibrary.hasRows
    ) throws {
        (self.folder, self.name, self.store, self.hasRows) = (folder, name, store, hasRows)
        try FileManager.default.createDirectory(atPath: folder.appending(name), withIntermediateDirectories: true)
        var generator = SodiumGenerator()
        let state = StateFolder(folder.bytes.appending("state of \(name)"))
        let marker = LibraryMarker(library: .random(using: &generator), vault: "shared")
        try state.library(marker.library).makeFolders()
        let local = try LocalStore(in: state.library(marker.library))
        try TestLibrary.remember(name, in: local)
        let path = folder.bytes.appending(name)
        library = OpenLibrary(
            path: path, root: try Folder.open(path), marker: marker, store: local, state: state,
            surroundings: Surroundings(clock: clock))
    }

    /// A copy of this device's folder and state under another name, which writes as this device.
    func cloned(_ name: String) throws -> SyncDevice { try SyncDevice(cloneOf: self, name) }

    private init(cloneOf other: SyncDevice, _ name: String) throws {
        (folder, self.name, store, hasRows) = (other.folder, name, other.store, other.hasRows)
        let files = FileManager.default
        try files.copyItem(atPath: other.path, toPath: folder.appending(name))
        try files.copyItem(
            atPath: folder.appending("state of \(other.name)"), toPath: folder.appending("state of \(name)"))
        let state = StateFolder(folder.bytes.appending("state of \(name)"))
        let path = folder.bytes.appending(name)
        library = OpenLibrary(
            path: path, root: try Folder.open(path), marker: other.library.marker,
            store: try LocalStore(in: state.library(other.library.marker.library)), state: state,
            surroundings: other.library.surroundings)
    }

    // MARK: Its work

    @discardableResult
    func sync(
        keep: Keep? = nil, allowDeletions: Bool = true, on other: (any ObjectStore)? = nil,
        reporter: any Reporter = SilentReporter()
    ) throws -> Sync.Summary {
        var options = Sync.Options()
        (options.keep, options.backup.allowDeletions) = (keep, allowDeletions)
        let vault = other.map { TestLibrary.vault(on: $0, hasRows: hasRows) } ?? vault
        return try Sync.run(EngineContext(library, vault, reporter: reporter), options)
    }

    // MARK: Its files

    func write(_ name: String, _ content: String) throws { try folder.write("\(self.name)/\(name)", content) }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(path)/\(name)") }

    func rename(_ old: String, _ new: String) throws {
        try FileManager.default.moveItem(atPath: "\(path)/\(old)", toPath: "\(path)/\(new)")
    }

    func read(_ name: String) throws -> String { try folder.read("\(self.name)/\(name)") }

    func exists(_ name: String) -> Bool { folder.exists("\(self.name)/\(name)") }

    /// Every file below the library with its text; folders end in `/`.
    func tree() throws -> [String: String] {
        var found: [String: String] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            let whole = "\(path)/\(name)"
            if try FileManager.default.attributesOfItem(atPath: whole)[.type] as? FileAttributeType == .typeDirectory {
                found[name + "/"] = ""
            } else {
                found[name] = String(decoding: try Data(contentsOf: URL(fileURLWithPath: whole)), as: UTF8.self)
            }
        }
        return found
    }
}

extension MemoryStore {
    /// Takes over what another copy of the vault has, as a sync service would.
    func merge(_ other: MemoryStore) {
        for name in other.names where bytes(of: name) == nil { set(name, to: other.bytes(of: name)) }
    }
}
