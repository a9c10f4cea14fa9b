import CueBase
package import CueCrypto
import CueSodium
package import CueStorage

// This layout is frozen: docs/format.md §8.

/// A summary of many commits, for a device that needs what is alive and not every commit (docs/format.md §8).
package enum Checkpoint {
    /// No checkpoint is due before so many new commits.
    private static let commits = 32
    /// It is due once the new commits have one part in this many of the last checkpoint's bytes: so checkpoints cost at
    /// most a few times what commits cost.
    private static let share = 4
    /// It is due in any case after so many new commits.
    private static let mostCommits = 512

    /// The name of a new checkpoint; `count` is the number of commits that it covers.
    private static func name(covering count: Int, _ random: UInt64) -> ObjectName {
        let digits = String(count)
        let padded = String(repeating: "0", count: max(0, 12 - digits.count)) + digits
        return ObjectName("checkpoints/\(padded)-\(random.hexadecimal)")
    }

    /// The objects with names of checkpoints, the one that covers most first. `covered` is the number of commits in the
    /// name, `size` is in bytes as listed. Throws `StorageError`.
    package static func entries(in vault: Vault) throws -> [(name: ObjectName, covered: Int, size: Int)] {
        try vault.objects.list("checkpoints").compactMap { entry in
            let halves = entry.name.components.last?.split(separator: "-") ?? []
            guard entry.name.components.count == 2, halves.count == 2, halves[0].utf8.count == 12,
                let covered = Int(halves[0]), covered > 0, CommitID(halves[1]) != nil
            else { return nil }
            return (entry.name, covered, entry.size)
        }.sorted { ($0.covered, $0.name) > ($1.covered, $1.name) }
    }

    /// Reads and opens a checkpoint. `size` is its size in bytes as listed; `more` is the bytes of commits whose chunks
    /// will join the same index later.
    ///
    /// Throws `VaultError.damaged` or `.missing`, and `StorageError` for an error that heals by itself.
    package static func read(
        _ name: ObjectName, size: Int, of vault: Vault, roomFor more: Int = 0
    ) throws -> RecordObject {
        try vault.object(name) {
            var checkpoint = try RecordObject(
                checkpoint: try PlainReader(.object(vault.objects, name, size: size), of: vault, .checkpoint, name),
                vault.context(.checkpoint, name), roomFor: more)
            // Any device that stored something may write one.
            let signer = try checkpoint.authorship?.device(in: vault.id)
            guard checkpoint.coverage.contains(where: { $0.position.device == signer }) else {
                throw FormatError.invalid(.signedByAnother)
            }
            checkpoint.signer = signer
            return checkpoint
        }
    }

    /// The checkpoint that covers most and opens, with the number of commits in its name; nil if there is none. `name`
    /// allows only that one.
    ///
    /// A checkpoint that does not open costs time and never data, so only the first eight are tried.
    static func newest(
        in vault: Vault, roomFor more: Int, named name: ObjectName? = nil
    ) throws -> (RecordObject, covered: Int)? {
        for entry in try entries(in: vault).filter({ name == nil || $0.name == name }).prefix(8) {
            // Other errors are thrown: reading all commits from a store that is unreachable now would fail too.
            do {
                return (try read(entry.name, size: entry.size, of: vault, roomFor: more), entry.covered)
            } catch is VaultError {}
        }
        return nil
    }

    /// True if a checkpoint should be written now. Lists the vault and reads no object; `known` are the commits if they
    /// were listed a moment ago. Throws `StorageError`.
    package static func isDue(in vault: Vault, _ known: [LogEntry]? = nil) throws -> Bool {
        let log = try known ?? vault.commits()
        // A name may claim any number. No checkpoint covers more commits than there are.
        let last = try entries(in: vault).first { $0.covered <= log.count }
        let new = log.count - (last?.covered ?? 0)
        guard new >= commits else { return false }
        let newBytes = log.map(\.size).sorted().suffix(new).saturatingSum
        return new >= mostCommits || newBytes.saturatingMultiplied(by: share) >= last?.size ?? 0
    }

    /// Writes a new checkpoint, signed with `key`, and returns its name. It covers all commits of `history`, and those that are covered by
    /// the checkpoint from which `history` was loaded.
    ///
    /// Returns nil and writes nothing if the history is not whole, has a fork or no commit, or if content has no place.
    /// Throws `VaultError`, `StorageError`, `FormatError` or `ZstdError`, and leaves nothing behind then.
    @discardableResult
    package static func write(_ history: History, to vault: Vault, by key: DeviceKey) throws -> ObjectName? {
        guard history.isWhole, !history.commits.isEmpty else { return nil }
        // No coverage can describe a fork (docs/format.md §8).
        let places = Set(history.commits.keys.map { [$0.device.high, $0.device.low, $0.generation] })
        let tips = tips(of: history)
        guard places.count == history.commits.count, Set(tips.map(\.position.device)).count == tips.count else {
            return nil
        }
        // Keep equal heads too: a later version may have only one of them as its parent.
        let state = LibraryState(history.versions.values.map(\.self))
        let heads = state.projects.values.flatMap(\.heads).sorted { $0.id < $1.id }
        guard let packs = try packs(of: heads, in: history) else { return nil }
        var generator = SodiumGenerator()
        let name = name(covering: history.summedUp + history.commits.count, generator.next())
        let output = try SealedWriter(
            try vault.objects.makeWriter(for: name), sealer: vault.sealer(for: .checkpoint, name))
        do {
            try write(heads, packs, of: history, covering: tips, vault.context(.checkpoint, name), key) {
                try output.write($0.span)
            }
            _ = try output.finish()
            return name
        } catch {
            output.cancel()
            throw error
        }
    }

    private static func write(
        _ heads: [History.Version], _ packs: [Int], of history: History, covering tips: [CommitMark],
        _ context: SealContext, _ key: DeviceKey, _ emit: ([UInt8]) throws -> Void
    ) throws {
        var writer = FrameWriter(context)
        func append(_ kind: RecordKind, _ body: [UInt8], things: Int = 0, chunks: Int = 0) throws {
            try writer.append(kind, body, things: things, chunks: chunks)
            try emit(writer.take())
        }
        var coverage = ByteWriter()
        coverage.marks(tips)
        try append(.coverage, coverage.bytes)
        for device in history.devices.values.sorted(by: { $0.id < $1.id }) {
            try append(.device, device.encode(), things: 1)
        }
        var first = [Int](repeating: 0, count: history.index.packs.count)
        var count = 0
        for number in packs {
            first[number] = count
            count += history.index.packs[number].chunks.count
            let record = history.index.record(number)
            try append(record.kind, record.encode(), chunks: record.chunkCount * ChunkNumbering.share)
        }
        let ordinal = { (id: ChunkID) -> Int? in
            guard let number = history.index.number(of: id), let location = history.index.location(of: id) else {
                return nil
            }
            let pack = history.index.packNumber(of: location)
            return first[pack] + number - history.index.packs[pack].chunks.lowerBound
        }
        var numbering = ChunkNumbering(chunks: count)
        for version in heads {
            var body = ByteWriter()
            body.id(version.id)
            body.id(version.device)
            body.svarint(version.time.milliseconds)
            let draft = VersionDraft(
                project: version.header.project, parents: version.header.parents, path: version.header.path,
                kind: version.header.kind, edited: version.header.edited, isUnsettled: version.header.isUnsettled,
                body: version.header.isTombstone ? .tombstone : .full(try history.members(of: version.id)))
            body.raw(draft.encode { numbering.number(ordinal($0)) })
            try append(.keptVersion, body.bytes, things: 1 + draft.members.count, chunks: numbering.takeIDs())
        }
        for note in history.notesToKeep { try append(.kept, note.encodeKept(), things: 1) }
        try emit(try writer.finish(signedBy: key).rest)
    }

    /// The numbers of the packs that hold content of the kept versions; nil if some content has no place.
    private static func packs(of heads: [History.Version], in history: History) throws -> [Int]? {
        var needed: Set<Int> = []
        var bases: Set<ChunkID> = []
        let retired = history.retiredPacks
        // A document may name one chunk a million times: look at each once.
        var isDone = [Bool](repeating: false, count: history.index.chunkCount)
        for version in heads where !version.header.isTombstone {
            for chunk in try history.members(of: version.id).lazy.flatMap(\.chunks) {
                guard let number = history.index.number(of: chunk) else { return nil }
                guard !isDone[number] else { continue }
                isDone[number] = true
                // Keep all packs that hold it, since the record of one may be false.
                let packs = history.index.packNumbers(of: chunk, &bases)
                guard !packs.isEmpty else { return nil }
                let staying = packs.filter { !retired.contains(history.index.packs[$0].id) }
                needed.formUnion(staying.isEmpty ? packs : staying)
            }
        }
        return needed.sorted()
    }

    /// The last commit of every branch: those that no other commit names as its previous one.
    private static func tips(of history: History) -> [CommitMark] {
        let followed = Set(
            history.commits.values.map {
                LogPosition(
                    device: $0.position.device, generation: $0.position.generation - 1, commit: $0.record.previous)
            })
        let all = history.coverage + history.commits.values.map { CommitMark($0.position, $0.digest) }
        return all.filter { !followed.contains($0.position) }.sorted()
    }
}
