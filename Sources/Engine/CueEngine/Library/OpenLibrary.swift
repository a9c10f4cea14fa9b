package import CueBase
package import CueCrypto
package import CueLibrary
import CueSodium
package import CueStorage
package import CueSystem
package import CueVault

/// An open library: its folder, its marker, and its local store.
package struct OpenLibrary: Sendable {
    /// The folder of the library, with links resolved.
    package let path: FilePathBytes
    /// The open folder.
    package let root: Folder
    /// The content of `.cue/library.toml` when the library was opened.
    package let marker: LibraryMarker
    /// The local store: the memory of this device about the library.
    package let store: LocalStore
    /// Where this device keeps its memory of all libraries and vaults.
    package let state: StateFolder
    /// Time, random numbers and cancellation for all work on the library.
    package let surroundings: Surroundings

    /// Opens the library at `folder`. Throws `LibraryError` if the folder is no library, is a copy of another, or is
    /// unknown to this device, and `EngineError.stateInsideLibrary`.
    package init(at folder: FilePathBytes, state: StateFolder, surroundings: Surroundings = .system) throws {
        guard let path = folder.resolved() else { throw LibraryError.folderMissing(folder.description) }
        let root = try Folder.open(path)
        guard let marker = try LibraryMarker(in: root) else { throw LibraryError.notALibrary(path.description) }
        try Self.refuse(state, inside: path)
        guard let memory = try state.openFolder("libraries", marker.library.description),
            try memory.info(of: Array("store.db".utf8))?.kind == .file
        else { throw LibraryError.noState(path.description) }
        self.init(
            path: path, root: root, marker: marker, store: try LocalStore(in: state.library(marker.library)),
            state: state, surroundings: surroundings)
        try noticeMove()
    }

    init(
        path: FilePathBytes, root: Folder, marker: LibraryMarker, store: LocalStore, state: StateFolder,
        surroundings: Surroundings = .system
    ) {
        (self.path, self.root, self.marker, self.store, self.state) = (path, root, marker, store, state)
        self.surroundings = surroundings
    }

    /// The same library with another marker or other surroundings.
    func with(marker: LibraryMarker? = nil, surroundings: Surroundings? = nil) -> OpenLibrary {
        OpenLibrary(
            path: path, root: root, marker: marker ?? self.marker, store: store, state: state,
            surroundings: surroundings ?? self.surroundings)
    }

    /// Gives the time of work on the library.
    package var clock: Clock { surroundings.clock }

    /// Throws `EngineError.stateInsideLibrary` if the state folder is in the library: it would be backed up, and the
    /// vault's key with it. Checked at each opening, as either may be moved at any time.
    static func refuse(_ state: StateFolder, inside library: FilePathBytes) throws {
        let path = state.path.resolvedAsFarAsThere()
        if path.isAtOrBelow(library) { throw EngineError.stateInsideLibrary(path.description) }
    }

    /// The folder of the library at or above `folder`, which may be missing; nil if there is none.
    package static func root(around folder: FilePathBytes) throws -> FilePathBytes? {
        var next: FilePathBytes? = folder.resolvedAsFarAsThere()
        while let here = next {
            if let info = try here.appending(".cue").appending("library.toml").info(), info.kind == .file {
                return here
            }
            next = here.parent == here ? nil : here.parent
        }
        return nil
    }

    /// Notes a new path of the folder. A folder that was moved is the same library; for one that was copied it throws
    /// `LibraryError.copyOf`.
    private func noticeMove() throws {
        let here = Display.text(path.bytes)
        guard let last = try store.read({ try $0.value(.path) }), last != here else { return }
        guard !marker.stands(at: FilePathBytes(Display.bytes(last))) else { throw LibraryError.copyOf(last) }
        try store.write { try $0.set(.path, to: here) }
    }

    /// The place of the vault that the marker names. It may be none that this device knows: see `vaultLocation`.
    package var vaultPlace: VaultLocation { VaultLocation(stored: marker.vault) }

    /// Where the vault is. Throws `EngineError.vaultMoved` if the marker names another place than this device knows: a
    /// library's folder may be shared, and a changed marker would lead all backups elsewhere. `acceptPlace` accepts it.
    package func vaultLocation() throws -> VaultLocation {
        let location = vaultPlace
        guard let known = try store.read({ try $0.value(.place) }) else {
            // A local store of an earlier version knows no place yet. One that cannot be written must not prevent
            // reading.
            try? acceptPlace()
            return location
        }
        guard known == marker.vault || VaultLocation(stored: known) == location else {
            throw EngineError.vaultMoved(from: known, to: marker.vault, library: path.description)
        }
        return location
    }

    /// Accepts the place that the marker names as that of the vault.
    package func acceptPlace() throws { try store.write { try $0.set(.place, to: marker.vault) } }

    /// Locks the library for this process while the returned lock lives. Waits up to a minute; then it throws
    /// `LibraryError.busy`.
    package func lock() throws -> LibraryLock {
        try LibraryLock(in: state.library(marker.library), surroundings.cancellation)
    }

    /// Locks the library without waiting; nil if another process holds the lock, or the state folder cannot be written.
    func lockIfFree() -> LibraryLock? {
        try? LibraryLock(in: state.library(marker.library), surroundings.cancellation, waiting: 0)
    }

    /// Compares everything in the folder with what the local store remembers. Documents in `again` are candidates even
    /// if they are unchanged.
    func scan(again: Set<ProjectID> = []) throws -> Scan {
        var scanner = Scanner(
            bundles: bundles, known: try store.read { try KnownTree($0) }, again: again,
            checkInterruption: { [surroundings] in try surroundings.cancellation.throwIfRequested() })
        return try scanner.run(root)
    }

    /// The rules by which a folder is a bundle, with the endings that the marker adds.
    package var bundles: BundleRules { BundleRules(adding: marker.bundleEndings) }

    // MARK: Who this device is

    /// This device, as one that writes to the vault.
    package struct Device: Sendable {
        /// The key with which it signs; its id in the vault follows from it.
        package private(set) var key: DeviceKey
        /// The bytes from which the key comes.
        fileprivate var seed: SecretBytes
        /// Its name for people; it may be empty.
        package var name: String
        /// The newest commit that this device wrote; generation 0 before the first.
        package var generation: UInt64
        /// The id of that commit; `.none` before the first.
        package var commit: CommitID
        /// The digest of that commit; nil before the first.
        package var digest: CommitDigest?

        /// A device that has written nothing.
        init(seed: SecretBytes, of vault: VaultID, name: String) {
            (self.seed, self.name) = (seed, name)
            (key, generation, commit) = (DeviceKey(seed: seed, vault: vault), 0, .none)
        }

        /// Gives the device another key, and so another id, under which it has written nothing.
        mutating func begin(of vault: VaultID, using random: RandomSource) {
            var random = random
            self = Device(seed: DeviceKey.newSeed(using: &random), of: vault, name: name)
        }

        /// Its id in the vault.
        package var id: DeviceID { key.id }
        /// Its newest commit, as others name it.
        package var mark: CommitMark { CommitMark(position, digest) }

        /// The place of its newest commit in its log; of generation 0 before the first.
        package var position: LogPosition { LogPosition(device: id, generation: generation, commit: commit) }
        /// The same; nil before the first commit.
        var lastCommit: LogPosition? { generation == 0 ? nil : position }
    }

    /// This device, as the local store has it. Throws `LibraryError.stateUnusable` if the store has no id of it.
    package func device() throws -> Device {
        try store.read { transaction in
            guard let seed = try transaction.value(.deviceSeed), let vault = try transaction.value(.vault) else {
                throw LibraryError.stateUnusable(.noDevice)
            }
            var device = Device(seed: seed, of: vault, name: try transaction.value(.deviceName) ?? "")
            device.generation = try transaction.value(.generation) ?? 0
            device.commit = try transaction.value(.commit) ?? .none
            device.digest = try transaction.value(.commitDigest)
            return device
        }
    }
}

extension LocalStore.Transaction {
    func set(_ device: OpenLibrary.Device) throws {
        try set(.deviceSeed, to: device.seed)
        try set(.deviceName, to: device.name)
        try set(.generation, to: device.generation)
        try set(.commit, to: device.commit)
        try set(.commitDigest, to: device.digest)
    }
}
