import CueBase
import CueCrypto
import CueSodium
import CueStorage
import CueTestSupport
import Testing

@testable import CueVault

/// Devices sign what they write, and say what was before it (docs/format.md §12).
@Suite("Signatures and the chain")
struct SignatureTests {
    private let vault = TestVault()
    private typealias T = TestVault

    private func seal(_ plaintext: [UInt8], _ name: ObjectName, _ kind: SealContext.Kind = .commit) {
        let zeros = [UInt8](repeating: 0, count: Padding.ofRecords(after: plaintext.count))
        vault.store.set(name.text, to: vault.vault.seal(plaintext + zeros, kind, name))
    }

    private func position(_ device: UInt64, _ commit: UInt64) -> LogPosition {
        LogPosition(device: .test(device), generation: 1, commit: CommitID(commit))
    }

    private func flaw(of position: LogPosition) -> FormatFlaw? {
        let size = vault.store.bytes(of: ObjectRecordLog.name(of: position).text)?.count ?? 0
        do { _ = try vault.vault.commit(LogEntry(position: position, size: size)) } catch VaultError.damaged(
            _, .format(.invalid(let flaw)))
        {
            return flaw
        } catch {}
        return nil
    }

    @Test("Whoever has the vault's key and not the device's writes nothing in its name")
    func otherDevices() throws {
        let place = position(1, 5)
        let name = ObjectRecordLog.name(of: place)
        let context = vault.vault.context(.commit, name)
        let records = RawRecords.commit(previous: 0)

        seal(records.unsigned, name)
        #expect(flaw(of: place) == .unsigned)
        seal(records.plaintext, name)
        #expect(flaw(of: place) == .falselySigned)
        seal(records.signed(context, by: TestKeys.key(2)), name)
        #expect(flaw(of: place) == .signedByAnother)
        let other = vault.vault.context(.commit, ObjectRecordLog.name(of: position(1, 6)))
        seal(records.signed(other, by: TestKeys.key(1)), name)
        #expect(flaw(of: place) == .falselySigned)
        seal(records.signed(context, by: TestKeys.key(1)), name)
        #expect(flaw(of: place) == nil)
        #expect(try History.load(vault.vault).commits.count == 1)
    }

    @Test("A device's key gives the id that the format says, and another one in each vault")
    func deviceID() {
        let seed = SecretBytes(copying: Array(0..<32).span)
        let vault = VaultID(high: 0x1111_1111_1111_1111, low: 0x1111_1111_1111_1111)

        #expect(DeviceKey(seed: seed, vault: vault).id.description == Self.deviceOfSequence)
        #expect(DeviceKey(seed: seed, vault: TestKeys.vault).id.description != Self.deviceOfSequence)
    }

    /// The id of the device whose seed is the bytes 0 to 31 (docs/format.md §12).
    static let deviceOfSequence = "bb8df903af33e65bd9862a812a344489"

    @Test("Digest and signature of an example are those of the format")
    func example() throws {
        let vault = VaultID(high: 0x1111_1111_1111_1111, low: 0x1111_1111_1111_1111)
        let key = DeviceKey(seed: SecretBytes(copying: Array(0..<32).span), vault: vault)
        let name = Array("log/\(key.id)/0000000001-3333333333333333".utf8)
        var writer = FrameWriter(SealContext(vault: vault, kind: .commit, name: name))
        try writer.append(.commit, [UInt8](repeating: 0, count: 41) + [1, 0])

        let digest = try writer.finish(signedBy: key).digest

        #expect(digest.description == "100c9db93ed578c713ce23bd3727612949226c1de16ab8a773a0d0a901639857")
        let signature = key.sign(digest).encoded.suffix(64)
        #expect(
            signature.map { $0 < 16 ? "0\(String($0, radix: 16))" : String($0, radix: 16) }.joined()
                == "5c3af864762017f4e30251953284997add6f0f63603303dacde1e94be099f12d35500c116cb42ae4db9051c48254693032e949bb0bd5ddf72a4ef003b720b00c"
        )
    }

    @Test("The state word of an example is that of the format")
    func stateWords() throws {
        let vault = VaultID(high: 0x1111_1111_1111_1111, low: 0x1111_1111_1111_1111)
        let device = try #require(DeviceID(Self.deviceOfSequence))
        let position = LogPosition(device: device, generation: 1, commit: CommitID(0x3333_3333_3333_3333))
        let mark = CommitMark(
            position,
            CommitDigest(a: 0x100c9db93ed578c7, b: 0x13ce23bd37276129, c: 0x49226c1de16ab8a7, d: 0x73a0d0a901639857))

        let words = try #require(StateWords([mark], of: vault))

        #expect(words.text == "clone script lesser mockup")
        #expect(StateWords(typed: " \(words.text.uppercased()) ") == words)
        #expect(StateWords([CommitMark(position, nil)], of: vault) == nil && StateWords([], of: vault) == nil)
        #expect(StateWords(typed: "abacus abacus abacus") == nil && StateWords(typed: "abacus a b c") == nil)
    }

    @Test("A checkpoint counts that a device of its commits signed, and no other")
    func checkpoints() throws {
        var device = T.Device(1)
        try vault.commit(&device, [T.draft("novel")])
        let history = try History.load(vault.vault)

        let own = try #require(try Checkpoint.write(history, to: vault.vault, by: TestKeys.key(1)))
        #expect(throws: Never.self) { try Checkpoint.read(own, of: vault.vault) }
        let foreign = try #require(try Checkpoint.write(history, to: vault.vault, by: TestKeys.key(2)))
        #expect(throws: VaultError.self) { try Checkpoint.read(foreign, of: vault.vault) }
    }

    @Test("A commit that is another one than a later commit says is named with it, and no checkpoint is written")
    func contradiction() throws {
        var (one, two) = (T.Device(1), T.Device(2))
        let first = try vault.commit(&one, [T.draft("novel")])
        two.known = [first]
        let second = try vault.commit(&two, [T.draft("letters")])
        #expect(try History.load(vault.vault).contradictions.isEmpty)

        // The device's key signs another commit of the same name.
        var draft = CommitDraft(
            CommitRecord(
                previous: .none, time: Timestamp(milliseconds: 9), isSnapshot: true, isPartial: false, seen: []))
        draft.versions = [T.draft("forged")]
        vault.store.set(ObjectRecordLog.name(of: first).text, to: nil)
        try vault.vault.append(draft, at: first)

        let history = try History.load(vault.vault)
        #expect(history.contradictions == [Contradiction(by: second, of: first)])
        #expect(try Checkpoint.write(history, to: vault.vault) == nil)
    }

    @Test("Two histories have the same state word exactly if they have the same commits")
    func states() throws {
        var (one, two) = (T.Device(1), T.Device(2))
        var words: [String] = []
        func look() throws {
            let history = try #require(
                try History.load(vault.vault).stateWords(of: vault.vault.id))
            words.append(history.text)
        }
        let first = try vault.commit(&one, [T.draft("novel")])
        try look()
        two.known = [first]
        try vault.commit(&two, [T.draft("letters")])
        try look()
        try vault.commit(&one, [T.draft("songs")], seen: [])
        try look()
        #expect(Set(words).count == 3)

        let history = try FullHistory.load(vault.vault)
        let states = try words.map { try #require(StateWords(typed: $0)) }
        #expect(history.history.stateWords(of: vault.vault.id) == states[2])
        // The second device had seen the first commit when it stored its own.
        let past = try #require(history.past(showing: states[1], of: vault.vault.id))
        #expect(past.commit.position.device == two.id && past.later == 1)
        #expect(history.past(showing: states[0], of: vault.vault.id)?.later == 2)
        let strange = try #require(StateWords(typed: "abacus abacus abacus abacus"))
        #expect(history.past(showing: strange, of: vault.vault.id) == nil)
    }
}
