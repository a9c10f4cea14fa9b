package import CueBase
package import CueSodium
package import CueSystem

/// Where this device keeps what it remembers: never inside the writing folder.
package struct StateFolder: Sendable {
    package let path: FilePathBytes

    package init(_ path: FilePathBytes) { self.path = path }

    /// `$CUE_HOME`, else `$XDG_STATE_HOME/cue`, else `~/.local/state/cue`.
    package static func standard() throws -> StateFolder {
        if let home = Environment.bytes("CUE_HOME"), !home.isEmpty { return StateFolder(FilePathBytes(home)) }
        if let xdg = Environment.bytes("XDG_STATE_HOME"), !xdg.isEmpty {
            return StateFolder(FilePathBytes(xdg).appending("cue"))
        }
        guard let home = Environment.bytes("HOME"), !home.isEmpty else {
            throw LibraryError.stateUnusable("neither CUE_HOME nor HOME says where cue may keep its memory")
        }
        return StateFolder(FilePathBytes(home).appending(".local").appending("state").appending("cue"))
    }

    package func library(_ id: LibraryID) -> FilePathBytes { path.appending("libraries").appending(id.description) }

    // MARK: The key that this device remembers

    private func vaultFolder(_ id: VaultID) -> FilePathBytes { path.appending("vaults").appending(id.description) }

    /// The remembered key of a vault; nil if there is none.
    package func key(of vault: VaultID) throws(SystemError) -> SecretBytes? {
        guard try vaultFolder(vault).info() != nil else { return nil }
        guard var bytes = try Folder.open(vaultFolder(vault)).contents(of: "key", upTo: 64), bytes.count == 32 else {
            return nil
        }
        defer { wipe(&bytes) }
        return SecretBytes(copying: bytes.span)
    }

    package func remember(_ key: SecretBytes, of vault: VaultID) throws(SystemError) {
        try vaultFolder(vault).makeFolders()
        var bytes = key.withBytes { bytes in unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) } }
        defer { wipe(&bytes) }
        try Folder.open(vaultFolder(vault)).replace("key", with: bytes, mode: 0o600)
    }

    package func forgetKey(of vault: VaultID) throws(SystemError) {
        guard try vaultFolder(vault).info() != nil else { return }
        do { try Folder.open(vaultFolder(vault)).remove(Array("key".utf8)) } catch {
            guard error.isNotFound else { throw error }
        }
    }
}
