package import CueBase
import CueLibrary
package import CueSystem
import CueVault

/// Looks for a vault that is not at its place: a stick has a new mount point, or a folder a new name.
package struct VaultSearch: Sendable {
    private let vault: VaultID
    private let last: FilePathBytes
    private let open: VaultLocation.Opening

    /// For the vault of a library; nil if it is in no folder, or this device does not know it.
    package init?(of library: OpenLibrary, open: @escaping VaultLocation.Opening) {
        guard let last = VaultLocation(stored: library.marker.vault).folder,
            let id = (try? library.store.read { try $0.value(.vault) }) ?? nil
        else { return nil }
        self.init(id, last: last, open: open)
    }

    /// `last`: the absolute path where the vault was.
    package init(_ vault: VaultID, last: FilePathBytes, open: @escaping VaultLocation.Opening) {
        (self.vault, self.last, self.open) = (vault, last, open)
    }

    /// The folder of the vault; nil if it is not found. Looks under its old path and in the upper two levels of each
    /// mounted disk, and beside its old place. Follows no links, and waits 10 s at most for a disk, 2 s for a network.
    /// Throws `Interrupted`.
    package func find(in mounts: [MountPoint] = MountPoint.all()) throws -> FilePathBytes? {
        let beside = [last.parent, last.parent.parent].filter { !$0.name.isEmpty }.map { MountPoint($0) }
        let networks = Set(mounts.filter(\.isNetwork).map(\.path))
        var seen: Set<FilePathBytes> = []
        // Disks first: a network may take its time.
        for root in (beside + mounts).sorted(by: { !$0.isNetwork && $1.isNetwork })
        where seen.insert(root.path).inserted {
            let found = try Interruptible.run(within: root.isNetwork ? 2 : 10) {
                look(in: root.path, without: networks)
            }
            if let found, let path = found { return path }
        }
        return nil
    }

    /// Looks in one mounted disk. Network folders that are mounted in it have a turn of their own.
    private func look(in root: FilePathBytes, without networks: Set<FilePathBytes>) -> FilePathBytes? {
        guard let folder = try? Folder.open(root) else { return nil }
        let parts = last.bytes.split(separator: 0x2f).map(Array.init)
        for length in 1..<(parts.count + 1) {
            let path = parts.suffix(length)
            let there = path.reduce(folder as Folder?) { above, name in above.flatMap { try? $0.folder(name) } }
            if let there, let found = self.found(there, path.reduce(root) { $0.appending($1) }) { return found }
        }
        var left = Self.foldersAtMost
        return descend(folder, root, levels: 2, without: networks, &left)
    }

    /// So many folders are opened on a disk: more belong to no vault's neighbourhood.
    private static let foldersAtMost = 2000

    private func descend(
        _ folder: Folder, _ path: FilePathBytes, levels: Int, without networks: Set<FilePathBytes>, _ left: inout Int
    ) -> FilePathBytes? {
        if let found = found(folder, path) { return found }
        guard levels > 0, let names = try? folder.names() else { return nil }
        for name in names.sorted(by: { $0.lexicographicallyPrecedes($1) }) where name.first != 0x2e && left > 0 {
            left -= 1
            // Even opening one may hang.
            guard !networks.contains(path.appending(name)) else { continue }
            guard let inner = try? folder.folder(name) else { continue }
            if let found = descend(inner, path.appending(name), levels: levels - 1, without: networks, &left) {
                return found
            }
        }
        return nil
    }

    /// The path, if it is the one vault.
    private func found(_ folder: Folder, _ path: FilePathBytes) -> FilePathBytes? {
        guard path != last, (try? folder.info(of: Array("vault.json".utf8)))??.kind == .file,
            let objects = try? open(.folder(path), "look").objects, (try? Vault.id(in: objects)) == vault
        else { return nil }
        return path
    }
}
