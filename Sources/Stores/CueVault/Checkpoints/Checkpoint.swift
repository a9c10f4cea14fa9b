import CueBase
import CueCrypto
import CueSodium
package import CueStorage

// This layout is frozen: docs/format.md §8.

/// A summary of many commits, so that a new device reads what is alive and not every commit that ever was.
package enum Checkpoint {
    /// A checkpoint is due after so many commits…
    private static let commits = 32
    /// …once they are a quarter as large as the last one, so that checkpoints cost at most a few times what commits do.
    private static let share = 4
    /// …or there are so many of them.
    private static let mostCommits = 512

    private static func name(covering count: Int, _ random: UInt64) -> ObjectName {
        let digits = String(count)
        let padded = String(repeating: "0", count: max(0, 12 - digits.count)) + digits
        return ObjectName("checkpoints/\(padded)-\(random.hexadecimal)")
    }

    /// The objects that are called like checkpoints, the one that covers most first.
    package static func entries(in vault: Vault) throws -> [(name: ObjectName, covered: Int, size: Int)] {
        try vault.objects.list("checkpoints").compactMap { entry in
            let halves = entry.name.components.last?.split(separator: "-") ?? []
            guard entry.name.components.count == 2, halves.count == 2, halves[0].utf8.count == 12,
                let covered = Int(halves[0]), covered > 0, CommitID(halves[1]) != nil
            else { return nil }
            return (entry.name, covered, entry.size)
        }.sorted { ($0.covered, $0.name) > ($1.covered, $1.name) }
    }

    /// Reads and opens one; `size` is what a listing says of it, in bytes.
    package static func read(
        _ name: ObjectName, size: Int, of vault: Vault, roomFor more: Int = 0
    ) throws -> RecordObject {
        try vault.object(name) {
            try RecordObject(
                checkpoint: try PlainReader(.object(vault.objects, name, size: size), of: vault, .checkpoint, name),
                roomFor: more)
        }
    }

    /// The one that covers most and opens, and how many commits that is; those that do not open cost time, never data: of many only
    /// the first are tried. `name`: that one and no other.
    static func newest(
        in vault: Vault, roomFor more: Int, named name: ObjectName? = nil
    ) throws -> (RecordObject, covered: Int)? {
        for entry in try entries(in: vault).filter({ name == nil || $0.name == name }).prefix(8) {
            // A store that cannot be reached now is no reason to read all commits from it.
            do {
                return (try read(entry.name, size: entry.size, of: vault, roomFor: more), entry.covered)
            } catch is VaultError {}
        }
        return nil
    }

    /// Whether one should be written now.
    package static func isDue(in vault: Vault) throws -> Bool {
        let log = try vault.log.all()
        // A name is a claim: none sums up more commits than there are.
        let last = try entries(in: vault).first { $0.covered <= log.count }
        let new = log.count - (last?.covered ?? 0)
        guard new >= commits else { return false }
        let newBytes = log.map(\.size).sorted().suffix(new).saturatingSum
        return new >= mostCommits || newBytes.saturatingMultiplied(by: share) >= last?.size ?? 0
    }

    /// Writes one that covers everything in `history`, which must be whole, and what that begins with: another checkpoint. Returns its
    /// name; nil where none was written.
    @discardableResult
    package static func write(_ history: History, to vault: Vault) throws -> ObjectName? {
        guard history.isWhole, !history.commits.isEmpty else { return nil }
        // Branched logs are summed up by no coverage (docs/format.md §8).
        let places = Set(history.commits.keys.map { [$0.device.high, $0.device.low, $0.generation] })
        let tips = tips(of: history)
        guard places.count == history.commits.count, Set(tips.map(\.device)).count == tips.count else { return nil }
        // Also of those that say the same: a later version may come from one of them alone.
        let state = LibraryState(history.versions.values.map(\.self))
        let heads = state.projects.values.flatMap(\.heads).sorted { $0.id < $1.id }
        guard let packs = try packs(of: heads, in: history) else { return nil }
        var generator = SodiumGenerator()
        let name = name(covering: history.summedUp + history.commits.count, generator.next())
        let output = try SealedWriter(
            try vault.objects.makeWriter(for: name), sealer: vault.sealer(for: .checkpoint, name))
        do {
            try write(heads, packs, of: history, covering: tips) { try output.write($0.span) }
            _ = try output.finish()
            return name
        } catch {
            output.cancel()
            throw error
        }
    }

    private static func write(
        _ heads: [History.Version], _ packs: [Int], of history: History, covering tips: [LogPosition],
        _ emit: ([UInt8]) throws -> Void
    ) throws {
        var writer = FrameWriter()
        func append(_ kind: RecordKind, _ body: [UInt8], things: Int = 0) throws {
            try writer.append(kind, body, things: things)
            try emit(writer.take())
        }
        var coverage = ByteWriter()
        coverage.positions(tips)
        try append(.coverage, coverage.bytes)
        for device in history.devices.values.sorted(by: { $0.id < $1.id }) {
            try append(.device, device.encode(), things: 1)
        }
        var first = [Int](repeating: 0, count: history.index.packs.count)
        var count = 0
        for number in packs {
            first[number] = count
            count += history.index.packs[number].chunks.count
            try append(.pack, history.index.record(number).encode())
        }
        let ordinal = { (id: ChunkID) -> Int? in
            guard let number = history.index.number(of: id), let location = history.index.location(of: id) else {
                return nil
            }
            let pack = history.index.packNumber(of: location)
            return first[pack] + number - history.index.packs[pack].chunks.lowerBound
        }
        for version in heads {
            var body = ByteWriter()
            body.id(version.id)
            body.id(version.device)
            body.svarint(version.time.milliseconds)
            let draft = VersionDraft(
                project: version.header.project, parents: version.header.parents, path: version.header.path,
                kind: version.header.kind, edited: version.header.edited, isUnsettled: version.header.isUnsettled,
                body: version.header.isTombstone ? .tombstone : .full(try history.members(of: version.id)))
            body.raw(draft.encode(ordinal: ordinal))
            try append(.keptVersion, body.bytes, things: 1 + draft.members.count)
        }
        try emit(try writer.finish())
    }

    /// The packs that hold content of the kept versions, by number; nil where nobody knows where some of it lies.
    private static func packs(of heads: [History.Version], in history: History) throws -> [Int]? {
        var needed: Set<Int> = []
        // Documents may name one chunk a million times.
        var isDone = [Bool](repeating: false, count: history.index.chunkCount)
        for version in heads where !version.header.isTombstone {
            for chunk in try history.members(of: version.id).lazy.flatMap(\.chunks) {
                guard let number = history.index.number(of: chunk) else { return nil }
                guard !isDone[number] else { continue }
                isDone[number] = true
                // All that hold it: one of them may say what is not so.
                let packs = history.index.packNumbers(of: chunk)
                guard !packs.isEmpty else { return nil }
                needed.formUnion(packs)
            }
        }
        return needed.sorted()
    }

    /// The commits that no other names as its previous one: the end of every branch.
    private static func tips(of history: History) -> [LogPosition] {
        let followed = Set(
            history.commits.values.map {
                LogPosition(
                    device: $0.position.device, generation: $0.position.generation - 1, commit: $0.record.previous)
            })
        return (history.coverage + history.commits.keys).filter { !followed.contains($0) }.sorted()
    }
}
