import CueBase
import CueLibrary
import CueSystem
import CueVault

/// Documents that are here under another name.
extension SyncTransfer {
    private struct Move {
        let take: SyncPlan.Take
        let old: SyncPlan.Known
        let standing: Standing
        /// Where it is now: under its old name, or under a temporary one for a moment.
        var now: RelativePath
    }

    private enum Moved {
        case done
        /// It has its new name, and is still to get its new content.
        case unfinished(Placing)
        /// Something stands at its new name.
        case blocked
    }

    /// Gives documents that are here under another name their new one; returns what is to be written.
    mutating func move(_ takes: [SyncPlan.Take]) throws -> [Placing] {
        var placings: [Placing] = []
        var moves: [Move] = []
        for take in takes {
            guard let old = take.old else {
                placings.append(Placing(take: take))
                continue
            }
            if old.path == take.version.header.path, vault.fingerprint(of: take.members) == old.entry.fingerprint {
                // The disk has it: only its version is another.
                var entry = old.entry
                (entry.base, entry.depth) = (take.version.id, DeltaRules.depth)
                try edits.put(entry, at: old.path)
                continue
            }
            let isRenamed = old.path != take.version.header.path
            let what = isRenamed ? "it has another name on another device" : "it was changed on another device"
            guard let standing = try free(old, what) else { continue }
            if isRenamed {
                moves.append(Move(take: take, old: old, standing: standing, now: old.path))
            } else {
                placings.append(Placing(take: take, standing: standing))
            }
        }
        // One may wait for the name of another, and names may be exchanged in circles: then one goes aside for a moment.
        while !moves.isEmpty {
            var later: [Move] = []
            for move in moves {
                try each(move.old.path) { transfer in
                    switch try transfer.move(move) {
                    case .done: break
                    case .unfinished(let placing): placings.append(placing)
                    case .blocked: later.append(move)
                    }
                }
            }
            if later.count == moves.count, try !stepAside(&later) {
                for move in later { try giveUp(move) }
                break
            }
            moves = later
        }
        return placings
    }

    private mutating func move(_ move: Move) throws -> Moved {
        try Interruption.throwIfRequested()
        let (take, old, path) = (move.take, move.old, move.take.version.header.path)
        let source = try folders.openParent(of: move.now)
        let target: Folder
        do { target = try folders.openOrMakeParent(of: path) } catch {
            // A document stands where the folder will be, and goes in its turn.
            guard error.isNotFolder else { throw error }
            return .blocked
        }
        guard try target.info(of: path.name) == nil, let inode = try source.info(of: move.now.name)?.inode else {
            return .blocked
        }
        let isWhole = vault.fingerprint(of: take.members) == old.entry.fingerprint
        var entry = old.entry
        (entry.name, entry.base) = (path.name, isWhole ? take.version.id : entry.base)
        if isWhole { entry.depth = DeltaRules.depth }
        try journal.note(.place(placing(entry, at: path, inode, temporary: [])))
        try source.renameNew(move.now.name, to: target, path.name)
        folders.reset()
        guard let moved = try Standing(path.name, in: target), moved.isSame(as: move.standing),
            let info = try target.info(of: path.name)
        else {
            try target.renameNew(path.name, to: try folders.openParent(of: old.path), old.path.name)
            wait(old.path, "it was renamed on another device, and was touched here meanwhile")
            return .done
        }
        entry.stat = StatKey(info)
        try edits.forget(entry.project, at: old.path)
        try edits.put(entry, at: path)
        if entry.kind.isDocument { renamed.append(path) }
        return isWhole ? .done : .unfinished(Placing(take: take, standing: moved))
    }

    func placing(_ entry: Entry, at path: RelativePath, _ inode: UInt64, temporary: [UInt8])
        -> SyncJournal.Placing
    {
        SyncJournal.Placing(
            path: path, kind: entry.kind, project: entry.project, base: entry.base, fingerprint: entry.fingerprint,
            inode: inode, temporary: temporary)
    }

    /// Takes one document away from a name for which another waits. False if nothing waits for any of them.
    private mutating func stepAside(_ moves: inout [Move]) throws -> Bool {
        var wanted: Set<RelativePath> = []
        for move in moves {
            var path: RelativePath? = move.take.version.header.path
            while let next = path, !next.isRoot {
                wanted.insert(next)
                path = next.parent
            }
        }
        guard let blocking = moves.firstIndex(where: { wanted.contains($0.now) }) else { return false }
        let path = moves[blocking].now
        let folder = try folders.openParent(of: path)
        let temporary = newName()
        try journal.note(.aside(path, temporary: temporary))
        try folder.renameNew(path.name, to: folder, temporary)
        folders.reset()
        moves[blocking].now = (path.parent ?? .root).appending(temporary)
        return true
    }

    private mutating func giveUp(_ move: Move) throws {
        wait(move.old.path, "it has another name on another device, at which something else stands here")
        guard move.now != move.old.path else { return }
        let folder = try folders.openParent(of: move.now)
        try folder.renameNew(move.now.name, to: folder, move.old.path.name)
    }
}
