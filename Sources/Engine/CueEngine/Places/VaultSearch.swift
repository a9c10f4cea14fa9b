import CueBase
import CueLibrary
import CueStorage
package import CueSystem
import CueVault

/// Looks for a vault that is not at its place: a stick has a new mount point, or a folder a new name.
package struct VaultSearch: Sendable {
    private let vault: VaultID
    private let last: FilePathBytes
    private let open: VaultLocation.Opening
    /// What this device has seen in the vault.
    private let seen: Set<LogPosition>

    /// A place of the vault.
    package struct Found: Sendable {
        /// An absolute path.
        package let path: FilePathBytes
        /// Whether it lacks commits that this device has seen: a copy from before them.
        package let isOlder: Bool
    }

    /// For the vault of a library; nil if it is in no folder, or this device does not know it.
    package init?(of library: OpenLibrary, open: @escaping VaultLocation.Opening) {
        guard let last = library.vaultPlace.folder,
            let id = (try? library.store.read { try $0.value(.vault) }) ?? nil
        else { return nil }
        (vault, self.last, self.open) = (id, last, open)
        seen = (try? library.store.read { try $0.seen() }) ?? []
    }

    /// Where the vault is; nil if it is not found. A copy that is older than what this device has seen is taken only
    /// where there is no other. Looks under its old path and in the upper two levels of each
    /// mounted disk, and beside its old place. Follows no links, and waits 10 s at most for a disk, 2 s for a network.
    /// Throws `Interrupted`.
    package func find(in mounts: [MountPoint] = MountPoint.all()) throws -> Found? {
        let beside = [last.parent, last.parent.parent].filter { !$0.name.isEmpty }.map { place in
            // As far away as the disk that it lies on.
            let mount = mounts.filter { place.isAtOrBelow($0.path) }.max { $0.path.bytes.count < $1.path.bytes.count }
            return MountPoint(place, isNetwork: mount?.isNetwork ?? false)
        }
        let networks = Set(mounts.filter(\.isNetwork).map(\.path))
        var looked: Set<FilePathBytes> = []
        var older: Found?
        // Disks first: a network may take its time.
        for root in (beside + mounts).sorted(by: { !$0.isNetwork && $1.isNetwork })
        where looked.insert(root.path).inserted {
            let found = try Interruptible.run(within: root.isNetwork ? 2 : 10) {
                look(in: root.path, without: networks)
            }
            guard let found, let copy = found else { continue }
            if !copy.isOlder { return copy }
            older = older ?? copy
        }
        return older
    }

    /// Looks in one mounted disk. Network folders that are mounted in it have a turn of their own.
    private func look(in root: FilePathBytes, without networks: Set<FilePathBytes>) -> Found? {
        guard let folder = try? Folder.open(root) else { return nil }
        let parts = last.bytes.split(separator: 0x2f).map(Array.init)
        var older: Found?
        for length in 1..<(parts.count + 1) {
            let path = parts.suffix(length)
            let there = path.reduce(folder as Folder?) { above, name in above.flatMap { try? $0.folder(name) } }
            guard let there, let found = self.found(there, path.reduce(root) { $0.appending($1) }) else { continue }
            if !found.isOlder { return found }
            older = older ?? found
        }
        var left = Self.foldersAtMost
        descend(folder, root, levels: 2, without: networks, &left, &older)
        return older
    }

    /// So many folders are opened on a disk: more belong to no vault's neighbourhood.
    private static let foldersAtMost = 2000

    /// Looks until it finds one that is not older; `best` is the best so far.
    private func descend(
        _ folder: Folder, _ path: FilePathBytes, levels: Int, without networks: Set<FilePathBytes>, _ left: inout Int,
        _ best: inout Found?
    ) {
        if let found = found(folder, path), best == nil || !found.isOlder { best = found }
        guard levels > 0, best?.isOlder != false, let names = try? folder.names() else { return }
        for name in names.sorted(by: { $0.lexicographicallyPrecedes($1) }) where name.first != 0x2e && left > 0 {
            left -= 1
            // Even opening one may hang.
            guard !networks.contains(path.appending(name)) else { continue }
            guard let inner = try? folder.folder(name) else { continue }
            descend(inner, path.appending(name), levels: levels - 1, without: networks, &left, &best)
            if best?.isOlder == false { return }
        }
    }

    /// The place, if it is one of the vault.
    private func found(_ folder: Folder, _ path: FilePathBytes) -> Found? {
        guard path != last, (try? folder.info(of: Array("vault.json".utf8)))??.kind == .file,
            let storage = try? open(.folder(path), "look"), (try? Vault.id(in: storage.objects)) == vault
        else { return nil }
        let log = try? storage.log.news(after: .start)
        let gone = seen.subtracting(log?.entries.map(\.position) ?? [])
        // What a run holds only the key shows; its name says between which commits it is.
        let isOlder = gone.contains { position in !(log?.runs.contains(where: position.mayStand) ?? false) }
        return Found(path: path, isOlder: isOlder)
    }
}
