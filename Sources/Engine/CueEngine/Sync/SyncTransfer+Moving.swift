import CueBase
import CueLibrary
import CueSystem
import CueVault

/// The part that gives documents their new names.
extension SyncTransfer {
    private struct Move {
        let take: SyncPlan.Take
        let old: KnownProject
        let standing: PathOccupant
        /// Its present path: the old one, or a temporary one for a moment.
        var now: RelativePath

        var isAside: Bool { now != old.path }
    }

    /// A move that is noted, and to a free name.
    private struct Ready {
        let move: Move
        let entry: ScanEntry
        /// Whether it has the content of the new version already.
        let isWhole: Bool
    }

    /// Gives documents their new names. Returns those whose content is still to be written.
    ///
    /// `going`: folders that another device removed or renamed, whose names may be given to documents.
    mutating func move(_ takes: [SyncPlan.Take], _ going: [KnownProject]) throws -> [Placing] {
        var placings: [Placing] = []
        var moves: [Move] = []
        for take in takes {
            guard let old = take.old else {
                placings.append(Placing(take: take))
                continue
            }
            if old.path == take.version.header.path, !take.isDamaged,
                vault.fingerprint(of: take.members) == old.entry.fingerprint
            {
                // The disk has this content already: only the base changes.
                var entry = old.entry
                (entry.base, entry.depth) = (take.version.id, depth(of: take.version.id))
                try edits.put(entry, at: old.path)
                continue
            }
            let isRenamed = old.path != take.version.header.path
            guard let standing = try free(old, isRenamed ? .renamed : .changed) else { continue }
            if isRenamed {
                moves.append(Move(take: take, old: old, standing: standing, now: old.path))
            } else {
                placings.append(Placing(take: take, standing: standing))
            }
        }
        // A document may wait for the name of another, and names may be exchanged in circles: then one goes aside for a
        // moment.
        while !moves.isEmpty {
            var later: [Move] = []
            var ready: [Ready] = []
            for move in moves {
                try each(move) { transfer in
                    if let prepared = try transfer.prepare(move) { ready.append(prepared) } else { later.append(move) }
                }
            }
            try journal.synchronize()
            for one in ready {
                try each(one.move) { if let placing = try $0.carryOut(one) { placings.append(placing) } }
            }
            if later.count == moves.count, try !stepAside(&later), try !vacate(going, for: &later) {
                for move in later { try each(move) { try $0.giveUp(move) } }
                break
            }
            moves = later
        }
        return placings
    }

    /// One that fails while it has a temporary name keeps it until the next run, which gives it its own back.
    private mutating func each(_ move: Move, _ body: (inout SyncTransfer) throws -> Void) throws {
        if move.isAside { try eachTidy(move.old.path, body) } else { try each(move.old.path, body) }
    }

    /// Notes a move; nil if something stands at its new name.
    private mutating func prepare(_ move: Move) throws -> Ready? {
        try context.cancellation.throwIfRequested()
        let (take, path) = (move.take, move.take.version.header.path)
        let source = try folders.openParent(of: move.now)
        let target: Folder
        do { target = try folders.openOrMakeParent(of: path) } catch {
            // A document stands where the folder will be, and goes in its turn.
            guard error.isNotFolder else { throw error }
            return nil
        }
        durability.touchAll(to: path.parent ?? .root)
        durability.touch(move.now.parent ?? .root)
        guard try target.info(of: path.name) == nil, let info = try source.info(of: move.now.name) else { return nil }
        let isWhole = !take.isDamaged && vault.fingerprint(of: take.members) == move.old.entry.fingerprint
        var entry = move.old.entry
        (entry.name, entry.base) = (path.name, isWhole ? take.version.id : entry.base)
        if isWhole { entry.depth = depth(of: take.version.id) }
        try journal.note(.place(placing(entry, at: path, info, temporary: [])))
        return Ready(move: move, entry: entry, isWhole: isWhole)
    }

    /// Gives the document its new name. Returns the content that is still to be written there; nil if there is none.
    private mutating func carryOut(_ ready: Ready) throws -> Placing? {
        let (move, path) = (ready.move, ready.move.take.version.header.path)
        let (source, target) = (try folders.openParent(of: move.now), try folders.openParent(of: path))
        try source.renameNew(move.now.name, to: target, path.name)
        folders.reset()
        guard let moved = try PathOccupant(path.name, in: target), moved.isSame(as: move.standing),
            let info = try target.info(of: path.name)
        else {
            try target.renameNew(path.name, to: try folders.openOrMakeParent(of: move.old.path), move.old.path.name)
            durability.touchAll(to: move.old.path.parent ?? .root)
            wait(move.old.path, .touchedMeanwhile(.renamed))
            return nil
        }
        var entry = ready.entry
        entry.stat = StatKey(info)
        try edits.forget(entry.project, at: move.old.path)
        try edits.put(entry, at: path)
        if entry.kind.isDocument {
            renamed.append(path)
            news.append(
                DocumentNews(
                    kind: .renamedHere, path: path, before: move.old.path,
                    device: writer(of: move.take.version)))
        }
        return ready.isWhole ? nil : Placing(take: move.take, standing: moved)
    }

    func placing(_ entry: ScanEntry, at path: RelativePath, _ info: FileInfo, temporary: [UInt8])
        -> PlacingJournal.Placing
    {
        PlacingJournal.Placing(
            path: path, kind: entry.kind, project: entry.project, base: entry.base, fingerprint: entry.fingerprint,
            inode: info.inode, size: info.size, modified: info.modified, temporary: temporary)
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
        var move = moves.remove(at: blocking)
        // One that cannot step aside is named, and the others go on without it.
        try eachTidy(move.old.path) { transfer in
            try transfer.stepAside(&move)
            moves.append(move)
        }
        return true
    }

    private mutating func stepAside(_ move: inout Move) throws {
        let path = move.now
        let temporary = newName()
        try journal.note(.aside(path, temporary: temporary))
        try takeAside(&move, to: path.parent ?? .root, temporary)
    }

    /// Removes folders that go, if a document waits for the name of one. A document that waits in such a folder itself,
    /// such as one that takes the name of its own folder, goes aside to the folder above. False if no folder could go.
    private mutating func vacate(_ going: [KnownProject], for moves: inout [Move]) throws -> Bool {
        let wanted = Set(moves.map(\.take.version.header.path))
        let (names, parents) = (going.filter { wanted.contains($0.path) }.map(\.path), Set(going.map(\.path)))
        var hasGone = false
        for name in names {
            for index in moves.indices where moves[index].now.isInside(name) {
                try each(moves[index].old.path) { try $0.leave(name, &moves[index]) }
            }
            folders.reset()
            for path in parents.filter({ $0 == name || $0.isInside(name) }).sorted(by: { $1 < $0 }) {
                // A folder that is not empty stays; `removeFolders` reports why.
                guard let parent = try? folders.openParent(of: path), (try? parent.removeFolder(path.name)) != nil
                else { break }
                durability.touch(path.parent ?? .root)
                folders.reset()
                hasGone = hasGone || path == name
            }
        }
        return hasGone
    }

    private mutating func leave(_ folder: RelativePath, _ move: inout Move) throws {
        let temporary = newName()
        // Of one that stepped aside before, the journal knows the home already.
        try journal.note(.carry(move.old.path, temporary: temporary))
        try takeAside(&move, to: folder.parent ?? .root, temporary)
    }

    private mutating func takeAside(_ move: inout Move, to parent: RelativePath, _ temporary: [UInt8]) throws {
        try journal.synchronize()
        let source = try folders.openParent(of: move.now)
        try source.renameNew(move.now.name, to: try folders.open(parent), temporary)
        durability.touch(move.now.parent ?? .root)
        durability.touch(parent)
        folders.reset()
        move.now = parent.appending(temporary)
    }

    private mutating func giveUp(_ move: Move) throws {
        if move.isAside {
            let folder = try folders.openParent(of: move.now)
            let home = try folders.openOrMakeParent(of: move.old.path)
            try folder.renameNew(move.now.name, to: home, move.old.path.name)
            durability.touch(move.now.parent ?? .root)
            durability.touchAll(to: move.old.path.parent ?? .root)
            folders.reset()
        }
        wait(move.old.path, .newNameTaken)
    }
}
