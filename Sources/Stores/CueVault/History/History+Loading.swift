import CueBase
package import CueStorage

/// How much of a vault is read.
extension History {
    /// Reads all commits. A damaged one is noted, and the others are read all the same.
    ///
    /// Versions of unreadable or missing commits are taken from the newest checkpoint, unless `rescue` is false.
    package static func load(_ vault: Vault, rescue: Bool = true) throws -> History {
        try load(vault, try vault.log.all(), rescue: rescue)
    }

    /// `entries`: all commits of the log.
    static func load(_ vault: Vault, _ entries: [LogEntry], rescue: Bool = true) throws -> History {
        let history = try read(vault, entries)
        guard rescue, !history.damaged.isEmpty || !history.missing.isEmpty,
            let (checkpoint, _) = try Checkpoint.newest(in: vault, roomFor: entries.bytes)
        else { return history }
        return try read(vault, entries, rescuing: checkpoint)
    }

    /// `checkpoint`: what it alone has is taken from it.
    private static func read(
        _ vault: Vault, _ entries: [LogEntry], rescuing checkpoint: RecordObject? = nil
    ) throws -> History {
        var history = History(of: entries)
        try history.read(entries, of: vault)
        if let checkpoint { history.rescue(checkpoint) }
        history.finish()
        return history
    }

    /// Reads the newest checkpoint that opens, and the commits that it does not cover: enough for what is alive now.
    ///
    /// `name`: not the newest checkpoint, but this one.
    package static func loadLatest(_ vault: Vault, from name: ObjectName? = nil) throws -> History {
        try loadLatest(vault, try vault.log.all(), from: name)
    }

    /// `entries`: all commits of the log.
    static func loadLatest(_ vault: Vault, _ entries: [LogEntry], from name: ObjectName?) throws -> History {
        guard let (checkpoint, count) = try Checkpoint.newest(in: vault, roomFor: entries.bytes, named: name) else {
            return try read(vault, entries)
        }
        let covered = Coverage(checkpoint.coverage)
        guard !covered.hasBranches(among: entries.map(\.position)), !entries.haveTwins else {
            return try read(vault, entries)
        }
        guard covered.isWhole(in: entries, count), covered.brought(checkpoint.versions, entries) else {
            return try read(vault, entries, rescuing: checkpoint)
        }
        var history = History(of: entries)
        history.add(checkpoint, summingUp: count)
        try history.read(entries.filter { !covered.mayHold($0.position) }, of: vault)
        history.finish()
        // Commits after the checkpoint may name versions or chunks that it left out: a device that had not seen it wrote them, or
        // old content came back. Then all commits are loaded.
        if history.hasAllBases && history.hasAllContent { return history }
        // Gone before the larger one comes.
        history = History()
        return try read(vault, entries)
    }

    /// What the next checkpoint is made of: the one of this name and the commits after it, so that its cost does not grow with the
    /// history.
    ///
    /// It is all commits where there is none, or a pack that it names is gone: another pack may hold the same content.
    package static func loadForCheckpoint(_ vault: Vault, from name: ObjectName?) throws -> History {
        let entries = try vault.log.all()
        var history = try name.map { try loadLatest(vault, entries, from: $0) } ?? read(vault, entries)
        let sizes = try vault.packSizes()
        let isThere = { (pack: ChunkIndex.PackSummary) in sizes[pack.id] == pack.size }
        if history.isSummary, !history.index.packs.allSatisfy(isThere) { history = try read(vault, entries) }
        history.findPacks(of: sizes)
        return history
    }

    /// Whether it is known where all content lies of the heads that commits brought.
    private var hasAllContent: Bool {
        let superseded = Set(versions.values.lazy.flatMap(\.header.parents))
        // Many heads may be differences against one list: each version is looked at once, with what a difference takes away.
        var seen: Set<VersionID> = []
        for head in versions.values where wasRead(head) && !superseded.contains(head.id) && !head.header.isTombstone {
            var next: Version? = head
            while let version = next, seen.insert(version.id).inserted, let changes = try? changes(of: version) {
                guard changes.put.allSatisfy({ $0.chunks.allSatisfy { index.location(of: $0) != nil } }) else {
                    return false
                }
                next = version.header.isDelta ? version.header.parents.first.flatMap { versions[$0] } : nil
            }
        }
        return true
    }

    private var hasAllBases: Bool {
        versions.values.allSatisfy { version in
            !version.header.isDelta || version.header.parents.first.map { versions[$0] != nil } ?? false
        }
    }
}
