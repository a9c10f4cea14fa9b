import CueBase
import CueCrypto
import CueSodium
import CueTestSupport
import Testing

@Suite("The object of an epoch")
struct EpochRecordTests {
    private static let slot = SlotSecret(id: SlotID(7), pair: .random())
    private static let first = EpochKey.random(for: Sample.vault)

    private static func listed(_ slot: SlotSecret, label: String = "desk") -> ListedSlot {
        ListedSlot(
            id: slot.id, publicKey: slot.pair.publicKey, kind: 1, digest: [UInt8](repeating: 9, count: 32),
            made: Timestamp(milliseconds: 5), label: label)
    }

    private static func record(
        _ number: UInt32 = 2, key: EpochKey = .random(for: Sample.vault), earlier: [EpochKey] = [first],
        slots: [ListedSlot] = [listed(slot)], removed: [SlotID] = [SlotID(3)]
    ) -> EpochRecord {
        EpochRecord(
            number: number, key: key, made: Timestamp(milliseconds: 6), earlier: earlier, slots: slots,
            removed: removed)
    }

    private func opened(_ record: EpochRecord, as slot: SlotSecret = slot) throws -> EpochRecord {
        let bytes = try #require(record.sealed(for: Sample.vault))
        let sealed = try SealedEpoch(bytes, name: String(decoding: record.name, as: UTF8.self), vault: Sample.vault)
        return try sealed.open(with: sealed.key(for: slot))
    }

    @Test("What was sealed to a slot opens with the slot's secret, and says the same")
    func opening() throws {
        let record = Self.record()

        let read = try opened(record)

        #expect(read.key.secret == record.key.secret && read.earlier.map(\.id) == record.earlier.map(\.id))
        #expect(read.slots == record.slots && read.removed == record.removed && read.number == 2)
        #expect(read.isAfter(Self.first.id) && !read.isAfter(read.key.id))
        #expect(read.counts(with: VaultKey(first: Self.first, vault: Sample.vault)))
    }

    @Test("It opens for no slot that it is not sealed to, and not for another pair under the slot's id")
    func otherSlots() throws {
        #expect(throws: EpochFlaw.notForThisSlot) {
            try opened(Self.record(), as: SlotSecret(id: SlotID(8), pair: Self.slot.pair))
        }
        #expect(throws: EpochFlaw.otherKey) {
            try opened(Self.record(), as: SlotSecret(id: Self.slot.id, pair: .random()))
        }
    }

    @Test("No byte of it can be changed, and it opens under no other name")
    func flips() throws {
        let record = Self.record()
        let (bytes, name) = (
            try #require(record.sealed(for: Sample.vault)), String(decoding: record.name, as: UTF8.self)
        )
        for at in bytes.indices {
            var changed = bytes
            changed[at] ^= 1
            #expect(throws: EpochFlaw.self, "byte \(at)") {
                let sealed = try SealedEpoch(changed, name: name, vault: Sample.vault)
                _ = try sealed.open(with: record.key)
            }
        }
        for size in [0, 29, 30, 117, bytes.count - 1] {
            #expect(throws: EpochFlaw.self, "\(size) bytes") {
                _ = try SealedEpoch(Array(bytes[..<size]), name: name, vault: Sample.vault).open(with: record.key)
            }
        }
        let other = name.replacing("0000000002", with: "0000000003")
        #expect(throws: EpochFlaw.notAnEpoch) { try SealedEpoch(bytes, name: other, vault: Sample.vault) }
        #expect(throws: EpochFlaw.otherKey) {
            let sealed = try SealedEpoch(bytes, name: "epochs/0000000002-0000000000000001", vault: Sample.vault)
            _ = try sealed.key(for: Self.slot)
        }
    }

    @Test("Epochs that loop, repeat a key or a slot, or lack the keys before them are refused")
    func impossible() throws {
        let own = EpochKey.random(for: Sample.vault)
        let flawed = [
            Self.record(key: own, earlier: [Self.first, own]), Self.record(earlier: [Self.first, Self.first]),
            Self.record(slots: [Self.listed(Self.slot), Self.listed(Self.slot)]), Self.record(earlier: []),
            Self.record(1, earlier: [Self.first]),
        ]
        for record in flawed { #expect(throws: EpochFlaw.impossible) { try opened(record) } }
    }

    @Test("What the keeper seals to the public half of a slot holds no key of the vault, and does not count")
    func foreign() throws {
        let trusted = VaultKey(first: Self.first, vault: Sample.vault)
        let stranger = EpochKey.random(for: Sample.vault)

        #expect(try !opened(Self.record(earlier: [stranger])).counts(with: trusted))
        #expect(try !opened(Self.record(1, earlier: [])).counts(with: trusted))
        #expect(try !opened(Self.record(earlier: [stranger, Self.first])).counts(with: trusted))
    }

    @Test("A public half that is no key takes nothing")
    func noKey() {
        let broken = ListedSlot(
            id: SlotID(1), publicKey: [UInt8](repeating: 0, count: 32), kind: 1,
            digest: [UInt8](repeating: 0, count: 32), made: Timestamp(milliseconds: 0), label: "")

        #expect(Self.record(slots: [broken]).sealed(for: Sample.vault) == nil)
    }

    @Test("The largest epoch fits into its limit, and what a device remembers of it comes back")
    func largest() throws {
        let keys = (1..<KeyRing.epochs).map { _ in EpochKey.random(for: Sample.vault) }
        let label = String(repeating: "x", count: KeySlot.labelLength)
        let slots = (0..<EpochRecord.slots).map { _ in
            Self.listed(SlotSecret(id: SlotID(.random(in: 1 ... .max)), pair: Self.slot.pair), label: label)
        }
        let record = Self.record(
            1024, earlier: keys, slots: slots, removed: (0..<EpochRecord.removed).map { SlotID(UInt64($0)) })

        #expect(try #require(record.sealed(for: Sample.vault)).count <= EpochRecord.size)
        var ring = KeyRing(
            key: VaultKey(first: keys[0], vault: Sample.vault).adding(keys + [record.key], current: record.key.id),
            slot: Self.slot)
        ring.passedOver = [EpochID(5)]
        let again = try #require(KeyRing(ring.encoded(), vault: Sample.vault))
        #expect(again.key.ids == ring.key.ids && again.key.current.id == record.key.id)
        #expect(again.key.first.id == keys[0].id && again.passedOver == ring.passedOver)
        #expect(again.slot?.pair.secret == Self.slot.pair.secret)
        #expect(KeyRing(.random(32), vault: Sample.vault) == nil)
    }
}
