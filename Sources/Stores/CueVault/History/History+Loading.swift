import CueBase
package import CueStorage

/// The ways to read a vault, as a whole or in part.
extension History {
    /// Reads all commits. A damaged one is noted, and the others are read all the same.
    ///
    /// Versions of commits that are missing or damaged are taken from the newest checkpoint, unless `rescue` is false.
    /// Throws `StorageError`.
    package static func load(_ vault: Vault, rescue: Bool = true) throws -> History {
        try load(vault, try vault.commits(), rescue: rescue)
    }

    /// The same for `entries`, all commits as listed.
    static func load(_ vault: Vault, _ entries: [LogEntry], rescue: Bool = true) throws -> History {
        let history = try read(vault, entries)
        guard rescue, !history.damaged.isEmpty || !history.missing.isEmpty,
            let (checkpoint, _) = try Checkpoint.newest(in: vault, roomFor: entries.bytes)
        else { return history }
        return try read(vault, entries, rescuing: checkpoint)
    }

    /// Reads all commits, then takes from `checkpoint` what they do not have.
    private static func read(
        _ vault: Vault, _ entries: [LogEntry], rescuing checkpoint: RecordObject? = nil
    ) throws -> History {
        var history = History(of: entries)
        try history.read(entries, of: vault)
        if let checkpoint { history.rescue(checkpoint) }
        history.finish()
        return history
    }

    /// Reads the newest checkpoint that opens and the commits that it does not cover: enough for what is alive now.
    /// `name` allows only that checkpoint.
    ///
    /// Reads all commits if there is no checkpoint, or if it is not enough (docs/format.md §8). The checkpoint is not
    /// compared with the commits that it covers. Throws `StorageError`.
    package static func loadLatest(_ vault: Vault, from name: ObjectName? = nil) throws -> History {
        try loadLatest(vault, try vault.commits(), from: name)
    }

    /// The same for `entries`, all commits as listed.
    static func loadLatest(_ vault: Vault, _ entries: [LogEntry], from name: ObjectName?) throws -> History {
        guard let (checkpoint, count) = try Checkpoint.newest(in: vault, roomFor: entries.bytes, named: name) else {
            return try read(vault, entries)
        }
        let covered = Coverage(checkpoint.coverage)
        guard !covered.hasBranches(among: entries.map(\.position)), !entries.haveTwins else {
            return try read(vault, entries)
        }
        guard covered.isWhole(in: entries, count), covered.brought(checkpoint.versions, entries),
            checkpoint.notes.allSatisfy({ covered.mayHold($0.position) })
        else {
            return try read(vault, entries, rescuing: checkpoint)
        }
        var history = History(of: entries)
        history.add(checkpoint, summingUp: count)
        try history.read(entries.filter { !covered.mayHold($0.position) }, of: vault)
        history.finish()
        // A later commit may name versions or chunks that the checkpoint left out: its device had not seen the
        // checkpoint, or old content came back. Read all commits then.
        if history.hasAllBases && history.hasAllContent && !history.isOutruledByShutOuts { return history }
        // Free it before the larger history comes.
        history = History()
        return try read(vault, entries)
    }

    /// Reads what the next checkpoint is made of: the one of this name and the commits after it, so that its cost does
    /// not grow with the history.
    ///
    /// Reads all commits if `name` is nil, or if a pack is gone or has another size than its record: another pack may
    /// hold the same content. Throws `StorageError`.
    package static func loadForCheckpoint(_ vault: Vault, from name: ObjectName?) throws -> History {
        let entries = try vault.commits()
        var history = try name.map { try loadLatest(vault, entries, from: $0) } ?? read(vault, entries)
        let packs = try vault.presentPacks()
        if history.isSummary, !history.index.packs.allSatisfy(packs.holds) { history = try read(vault, entries) }
        history.take(packs)
        return history
    }

    /// True if the content of all heads from commits has a place.
    private var hasAllContent: Bool {
        let superseded = Set(versions.values.lazy.flatMap(\.header.parents))
        // Many heads may be deltas against one list: look at each version once, also at members that a delta removes.
        var seen: Set<VersionID> = []
        for head in versions.values where wasRead(head) && !superseded.contains(head.id) && !head.header.isTombstone {
            var next: Version? = head
            while let version = next, seen.insert(version.id).inserted, let changes = try? changes(of: version) {
                guard changes.put.allSatisfy({ $0.chunks.allSatisfy(index.isPlaced) }) else {
                    return false
                }
                next = version.header.isDelta ? version.header.parents.first.flatMap { versions[$0] } : nil
            }
        }
        return true
    }

    /// True if a commit that the checkpoint does not cover shuts out a device whose commits it does cover, before the last
    /// of them. Which versions count then, only all commits show.
    private var isOutruledByShutOuts: Bool {
        // What a device signed that was shut out may leave out just that.
        if shutOuts.contains(where: { $0.shutOut.device == signer }) { return true }
        let ends = Dictionary(grouping: coverage.map(\.position), by: \.device)
        return notes.contains { note in
            guard case .shutOut(let shutOut) = note.content, commits[note.position] != nil,
                let ends = ends[shutOut.device]
            else { return false }
            // Beyond the last covered commit, the way to it must be whole.
            var next: LogPosition? = shutOut.last
            while let position = next, !ends.contains(position) {
                next = commits[position].flatMap { previous(of: $0) }
            }
            return next == nil
        }
    }

    /// True if the base of each delta is there.
    private var hasAllBases: Bool {
        versions.values.allSatisfy { version in
            !version.header.isDelta || version.header.parents.first.map { versions[$0] != nil } ?? false
        }
    }
}

extension [LogEntry] {
    /// The bytes of all their objects.
    var bytes: Int { lazy.map(\.size).saturatingSum }

    /// True if two of them bear one commit id.
    var haveTwins: Bool { Set(lazy.map(\.position.commit)).count < count }

    /// The objects of those that do not stand in a run alone.
    var objects: [ObjectEntry] {
        filter { $0.run == nil }.map { ObjectEntry(name: ObjectRecordLog.name(of: $0.position), size: $0.size) }
    }
}
