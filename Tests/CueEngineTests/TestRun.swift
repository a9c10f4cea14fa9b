import CueBase
import CueCrypto
import CueStorage
import CueTestSupport

@testable import CueVault

/// Runs as a later version of cue will write them (docs/format.md §12).
enum TestRun {
    /// Writes a run of these commits of one device, which stand by themselves. Returns its name.
    @discardableResult
    static func write(
        _ commits: [LogPosition], packs: [PackRecord] = [], in vault: Vault, _ store: MemoryStore
    ) throws -> ObjectName {
        let digests = try History.load(vault).digests
        let name = RunEntry(
            device: commits[0].device, first: commits[0].generation, last: commits[commits.count - 1].generation,
            id: CommitID(7), size: 0
        ).name
        var head = ByteWriter()
        head.varint(commits.count)
        for position in commits {
            head.varint(position.generation)
            head.id(position.commit)
            head.digest(digests[position])
        }
        var writer = FrameWriter(vault.context(.run, name), after: 1)
        try writer.append(.run, head.bytes)
        for pack in packs { try writer.append(.pack, pack.encode()) }
        for position in commits { try writer.append(.commitOfRun, records(of: position, in: vault, store)) }
        let plaintext = [0] + (try writer.finish(signedBy: TestKeys.key(1)).rest)
        store.set(name.text, to: vault.seal(plaintext, .run, name))
        return name
    }

    /// The records of a commit as they stand in it, one after the other.
    private static func records(of position: LogPosition, in vault: Vault, _ store: MemoryStore) throws -> [UInt8] {
        let name = ObjectRecordLog.name(of: position)
        let size = store.bytes(of: name.text)?.count ?? 0
        let plain = try PlainReader(.object(store, name, size: size), of: vault, .commit, name)
        try plain.skip(try plain.count(upTo: Limits.inline))
        let reader = try FrameReader(plain)
        var (records, budget): ([UInt8], RecordBudget) = ([], RecordBudget())
        while let frame = try reader.next(&budget) { records += frame }
        return records
    }
}
