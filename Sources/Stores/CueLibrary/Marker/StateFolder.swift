package import CueBase
package import CueSodium
package import CueSystem

/// The folder in which this device keeps what it remembers. It is never inside a library.
package struct StateFolder: Sendable {
    /// The absolute path.
    package let path: FilePathBytes

    /// A state folder at `path`, without a look at the disk.
    package init(_ path: FilePathBytes) { self.path = path }

    /// `$CUE_HOME`, else `$XDG_STATE_HOME/cue`, else `~/.local/state/cue`. Throws `LibraryError.stateOfOthers` if
    /// others may write to it: they could put their own key, or a link, in place of this device's. Throws
    /// `.stateUnusable` if no variable is set.
    package static func standard() throws -> StateFolder {
        let state = try place()
        if let info = try state.path.info(), info.kind == .folder { try refuse(info, state.path) }
        return state
    }

    private static func place() throws -> StateFolder {
        if let home = Environment.bytes("CUE_HOME"), !home.isEmpty { return StateFolder(FilePathBytes(home)) }
        if let xdg = Environment.bytes("XDG_STATE_HOME"), !xdg.isEmpty {
            return StateFolder(FilePathBytes(xdg).appending("cue"))
        }
        guard let home = Environment.bytes("HOME"), !home.isEmpty else {
            throw LibraryError.stateUnusable(.noPlace)
        }
        return StateFolder(FilePathBytes(home).appending(".local").appending("state").appending("cue"))
    }

    /// The folder of one library's local store.
    package func library(_ id: LibraryID) -> FilePathBytes { path.appending("libraries").appending(id.description) }

    /// The folders of all libraries' local stores.
    package func libraryFolders() -> [FilePathBytes] {
        let folder = path.appending("libraries")
        return ((try? Folder.open(folder).names()) ?? []).map { folder.appending($0) }
    }

    // MARK: Its folders

    /// Makes a folder, with those above it, for this user alone, and returns its path. Throws
    /// `LibraryError.stateOfOthers`.
    @discardableResult
    package func makeFolder(_ names: String...) throws -> FilePathBytes {
        try path.makeFolders()
        var (folder, place) = (try Folder.open(path), path)
        for name in names {
            place = place.appending(name)
            folder = try Self.own(place) { try folder.folderOrNew(Array(name.utf8)).folder }
        }
        return place
    }

    /// Makes the folder of a library's local store and returns its path.
    @discardableResult
    package func makeFolder(of library: LibraryID) throws -> FilePathBytes {
        try makeFolder("libraries", library.description)
    }

    /// Removes a library's local store; errors are ignored.
    package func removeFolder(of library: LibraryID) {
        try? Folder.open(path.appending("libraries")).removeAll(Array(library.description.utf8))
    }

    /// Opens a folder without following links; nil if it does not exist. Throws `LibraryError.stateOfOthers`.
    package func openFolder(_ names: String...) throws -> Folder? {
        guard let info = try path.info(), info.kind == .folder else { return nil }
        var (folder, place) = (try Folder.open(path), path)
        for name in names {
            place = place.appending(name)
            guard try folder.info(of: Array(name.utf8)) != nil else { return nil }
            folder = try Self.own(place) { try folder.folder(Array(name.utf8)) }
        }
        return folder
    }

    /// Opens a folder of the state folder. Throws `LibraryError.stateOfOthers` if another user put it there.
    private static func own(_ place: FilePathBytes, _ open: () throws -> Folder) throws -> Folder {
        let folder: Folder
        do { folder = try open() } catch let error as SystemError where error.isLink || error.isNotFolder {
            throw LibraryError.stateOfOthers(place.description, .link)
        }
        try refuse(try folder.info(), place)
        return folder
    }

    /// Throws `LibraryError.stateOfOthers` unless the folder belongs to this user and only this user may write to it.
    private static func refuse(_ info: FileInfo, _ place: FilePathBytes) throws {
        // Root, as under sudo, uses the folder of the user whom it stands in for, and may write there anyway.
        let isOwn = info.owner == Environment.userID || Environment.userID == 0
        if !isOwn { throw LibraryError.stateOfOthers(place.description, .owner) }
        if info.mode & 0o022 != 0 { throw LibraryError.stateOfOthers(place.description, .mode(info.mode)) }
    }

    // MARK: The key that this device remembers

    /// The bytes that this device remembers of a vault's keys; nil if there are none.
    package func key(of vault: VaultID) throws -> SecretBytes? {
        guard let folder = try openFolder("vaults", vault.description),
            var bytes = try folder.contents(of: "key", upTo: 1 << 16)
        else { return nil }
        defer { wipe(&bytes) }
        return SecretBytes(copying: bytes.span)
    }

    /// Stores a vault's keys in a file that only this user can read.
    package func remember(_ key: SecretBytes, of vault: VaultID) throws {
        try makeFolder("vaults", vault.description)
        guard let folder = try openFolder("vaults", vault.description) else { throw SystemError.notThere }
        var bytes = key.withBytes { bytes in unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) } }
        defer { wipe(&bytes) }
        try folder.replace("key", with: bytes, mode: 0o600)
    }

    /// Removes the remembered key of a vault, if there is one.
    package func forgetKey(of vault: VaultID) throws {
        guard let folder = try openFolder("vaults", vault.description) else { return }
        do { try folder.remove(Array("key".utf8)) } catch {
            guard error.isNotFound else { throw error }
        }
    }
}
