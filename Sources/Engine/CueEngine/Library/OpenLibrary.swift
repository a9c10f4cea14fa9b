package import CueBase
package import CueLibrary
import CueSodium
package import CueStorage
package import CueSystem

/// A library on this device: its folder, its marker, and what is remembered of it.
package struct OpenLibrary: Sendable {
    package let path: FilePathBytes
    package let root: Folder
    package let marker: LibraryMarker
    package let store: LocalStore
    package let state: StateFolder
    /// Time, random numbers and cancellation for all work on the library.
    package let surroundings: Surroundings

    /// Opens the library at `folder`.
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

    /// The library with another marker, or for work by another clock.
    func with(marker: LibraryMarker? = nil, surroundings: Surroundings? = nil) -> OpenLibrary {
        OpenLibrary(
            path: path, root: root, marker: marker ?? self.marker, store: store, state: state,
            surroundings: surroundings ?? self.surroundings)
    }

    /// The time by which work on the library goes.
    package var clock: Clock { surroundings.clock }

    /// A state folder in a library would be backed up with it, and with it the vault's key. It may be moved there at any time.
    static func refuse(_ state: StateFolder, inside library: FilePathBytes) throws {
        let path = state.path.resolvedAsFarAsThere()
        if path.isAtOrBelow(library) { throw EngineError.stateInsideLibrary(path.description) }
    }

    /// Finds the library at or above a folder.
    package static func root(around folder: FilePathBytes) throws -> FilePathBytes? {
        var next = folder.resolved()
        while let here = next {
            if let info = try here.appending(".cue").appending("library.toml").info(), info.kind == .file {
                return here
            }
            next = here.parent == here ? nil : here.parent
        }
        return nil
    }

    /// A folder that was moved is the same library; one that was copied is not.
    private func noticeMove() throws {
        let here = Display.text(path.bytes)
        guard let last = try store.read({ try $0.value(.path) }), last != here else { return }
        let old = FilePathBytes(Display.bytes(last))
        if let other = try? Folder.open(old), let marker = try? LibraryMarker(in: other),
            marker.library == self.marker.library
        {
            throw LibraryError.copyOf(last)
        }
        try store.write { try $0.set(.path, to: here) }
    }

    /// Where the vault is. A folder of writing may be shared, and whoever writes in it could lead all backups elsewhere: a place other
    /// than the one that this device knows has to be accepted first.
    package func vaultLocation() throws -> VaultLocation {
        let location = VaultLocation(stored: marker.vault)
        guard let known = try store.read({ try $0.value(.place) }) else {
            // A memory of before places were kept; one that cannot be written keeps nobody from reading.
            try? acceptPlace()
            return location
        }
        guard known == marker.vault || VaultLocation(stored: known) == location else {
            throw EngineError.vaultMoved(from: known, to: marker.vault, library: path.description)
        }
        return location
    }

    /// Takes the place that the marker names for the vault's from now on.
    package func acceptPlace() throws { try store.write { try $0.set(.place, to: marker.vault) } }

    /// Makes the library this process's for as long as the returned lock lives.
    package func lock() throws -> LibraryLock {
        try LibraryLock(in: state.library(marker.library), surroundings.cancellation)
    }

    /// The same without waiting; nil if another process has it, or the memory cannot be written.
    func lockIfFree() -> LibraryLock? {
        try? LibraryLock(in: state.library(marker.library), surroundings.cancellation, waiting: 0)
    }

    /// Looks at everything in the folder, against what the local store remembers.
    func scan() throws -> Scan {
        var scanner = Scanner(
            bundles: bundles, known: try store.read { try KnownTree($0) },
            checkInterruption: { [surroundings] in try surroundings.cancellation.throwIfRequested() })
        return try scanner.run(root)
    }

    package var bundles: BundleRules { BundleRules(adding: marker.bundleEndings) }

    // MARK: Who this device is

    package struct Device: Sendable {
        package var id: DeviceID
        package var name: String
        /// The newest commit that this device wrote; generation 0 before the first.
        package var generation: UInt64
        package var commit: CommitID

        package var position: LogPosition { LogPosition(device: id, generation: generation, commit: commit) }
        /// nil before the first.
        var lastCommit: LogPosition? { generation == 0 ? nil : position }
    }

    package func device() throws -> Device {
        try store.read { transaction in
            guard let id = try transaction.value(.device) else {
                throw LibraryError.stateUnusable(.noDevice)
            }
            return Device(
                id: id, name: try transaction.value(.deviceName) ?? "",
                generation: try transaction.value(.generation) ?? 0,
                commit: try transaction.value(.commit) ?? .none)
        }
    }
}

extension LocalStore.Transaction {
    func set(_ device: OpenLibrary.Device) throws {
        try set(.device, to: device.id)
        try set(.deviceName, to: device.name)
        try set(.generation, to: device.generation)
        try set(.commit, to: device.commit)
    }
}
