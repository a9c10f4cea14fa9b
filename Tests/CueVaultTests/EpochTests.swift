import CueBase
import CueCrypto
import CueSodium
import CueStorage
import CueTestSupport
import Testing

@testable import CueVault

@Suite("Keys that change", .serialized)
struct EpochTests {
    private static let passphrase = Secret(Array("correct horse".utf8))
    private static let second = Secret(Array("second horse".utf8))
    private static let now = Timestamp(milliseconds: 0)

    // Made once: each slot costs a key derivation. A vault with two passphrases and a document.
    private static let made = Result { try make() }

    private static func make() throws -> (store: MemoryStore, ring: KeyRing, first: SlotID, second: SlotID) {
        let store = MemoryStore()
        let new = try NewVault(slots: [(passphrase, "desk"), (second, "laptop")], at: now, derivation: .floor)
        let vault = try new.write(to: VaultStorage(store))
        return (store, vault.keyRing, new.slots[0].slot.id, new.slots[1].slot.id)
    }

    private let store: MemoryStore
    private let ring: KeyRing
    private let slots: (first: SlotID, second: SlotID)

    init() throws {
        let made = try Self.made.get()
        (store, ring, slots) = (made.store.copy(), made.ring, (made.first, made.second))
    }

    /// A device that remembers the first slot and the first epoch.
    private func device(on store: MemoryStore? = nil) -> Vault {
        Vault(VaultStorage(store ?? self.store), ring: ring)
    }

    /// A device that opens the vault with a secret.
    private func open(_ secret: Secret, on store: MemoryStore? = nil) throws -> Vault {
        try Vault.open(VaultStorage(store ?? self.store), with: secret)
    }

    private func renew(_ vault: Vault, removing slot: SlotID? = nil) throws {
        try KeyChange(of: vault, removing: { _ in Set([slot].compactMap { $0 }) }, at: Self.now).write()
    }

    private func read(_ vault: Vault) throws -> Int {
        let history = try History.load(vault)
        #expect(history.damaged.isEmpty)
        return history.commits.count
    }

    private func commit(_ vault: Vault, _ number: UInt64) throws {
        let (log, id) = (DeviceID.test(number, in: vault.id), Vault.newCommitID())
        var draft = CommitDraft(
            CommitRecord(previous: .none, time: Self.now, isSnapshot: true, isPartial: false, seen: []))
        draft.devices = [DeviceRecord(id: log, name: "device", made: Self.now)]
        _ = try vault.append(draft, at: LogPosition(device: log, generation: 1, commit: id))
    }

    private func epochs() -> [String] { store.names.filter { $0.hasPrefix("epochs/") }.sorted() }

    @Test(
        "What every epoch sealed is read by who opens the newest, with one derivation and one epoch read of a hundred")
    func hundred() throws {
        let device = device()
        try commit(device, 1)
        for number in 2...100 {
            try renew(device)
            if number % 33 == 0 { try commit(device, UInt64(number)) }
        }

        var derivations = 0
        let counting = FaultyStore(store)
        let opened = try Vault.open(VaultStorage(counting), with: Self.second) { _ in derivations += 1 }

        #expect(derivations <= 2, "two slots have the kind, and one of them opens")
        // vault.json, two lists, two slots and an epoch; each object's size is asked for before it is read.
        #expect(counting.calls <= 10)
        #expect(opened.key.ids.count == 100 && opened.key.current.id == device.key.current.id)
        #expect(try read(opened) == 4)
    }

    @Test("A device whose slot stays goes on by itself, also in the middle of its work")
    func otherDevice() throws {
        let (here, there) = (device(), try open(Self.second))
        try renew(there)
        try commit(there, 1)

        #expect(try read(here) == 1, "an unknown epoch is looked for once")
        #expect(here.key.current.id == there.key.current.id)
        try here.proveNewest(here.readEpochs())
    }

    @Test("A removed slot reads what was sealed before, nothing that comes after, and is sealed to no more")
    func removed() throws {
        let (here, laptop) = (device(), try open(Self.second))
        let (file, bytes) = try (
            "keys/\(slots.second)", #require(store.bytes(of: "keys/\(slots.second)"))
        )
        try commit(here, 1)
        try renew(here, removing: slots.second)
        #expect(store.bytes(of: file) == nil)
        // Somebody puts the file back, and the keys change again.
        store.set(file, to: bytes)
        try renew(here)
        try commit(here, 2)

        let later = try #require(laptop.readEpochs().later.min())
        #expect(throws: VaultError.shutOut(epoch: "\(later)")) { try laptop.proveNewest(laptop.readEpochs()) }
        let history = try History.load(laptop)
        #expect(history.commits.count == 1 && history.damaged.count == 1)
        let again = try open(Self.second)
        #expect(try History.load(again).commits.count == 1)
        #expect(again.key.ids.count == 1)
        #expect(try here.readEpochs().slots.map(\.id) == [slots.first])
        #expect(try read(open(Self.passphrase)) == 2)
    }

    @Test("Two devices that change the keys at once are both read, and the next change holds the keys of both")
    func forked() throws {
        let other = store.copy()
        let (here, there) = (device(), device(on: other))
        try renew(here, removing: slots.second)
        try renew(there)
        try commit(here, 1)
        try commit(there, 2)
        for name in other.names where store.bytes(of: name) == nil { store.set(name, to: other.bytes(of: name)) }

        #expect(epochs().count == 3)
        #expect(try read(here) == 2)
        let found = try here.readEpochs()
        #expect(found.newest.count == 2 && found.slots.map(\.id) == [slots.first], "a removal counts")
        let before = here.key.current.id
        #expect(found.newest.map(\.key.id).contains(before))
        try renew(here)
        #expect(here.key.current.id != before && epochs().last?.hasPrefix("epochs/0000000003-") == true)
        #expect(try here.readEpochs().newest.count == 1)
        #expect(try read(open(Self.passphrase)) == 2)
    }

    @Test("A device goes on with no epoch that knows nothing of its own")
    func notSuperseded() throws {
        let here = device()
        let before = store.copy()
        try renew(here, removing: slots.second)
        // Who was removed makes an epoch of a high number with the keys that it has.
        let stranger = SlotSecret(id: SlotID(99), pair: .random())
        let listed = ListedSlot(
            id: stranger.id, publicKey: stranger.pair.publicKey, kind: 1, digest: [UInt8](repeating: 0, count: 32),
            made: Self.now, label: "")
        let own = try #require(try Vault(VaultStorage(before), ring: ring).readEpochs().newest.first?.slots.first)
        let forged = EpochRecord(
            number: 900, key: .random(for: ring.key.vault), made: Self.now, earlier: [ring.key.first],
            slots: [own, listed], removed: [])
        store.set(
            String(decoding: forged.name, as: UTF8.self), to: forged.sealed(for: ring.key.vault))

        let mine = here.key.current.id
        try here.readEpochs()

        #expect(here.key.current.id == mine && here.key[forged.key.id] != nil, "it is read, and not written with")
    }

    @Test("An epoch that the keeper seals to the slots without knowing a key is named and passed over")
    func planted() throws {
        let slot = try #require(ring.slot)
        let listed = ListedSlot(
            id: slot.id, publicKey: slot.pair.publicKey, kind: 1, digest: [UInt8](repeating: 0, count: 32),
            made: Self.now, label: "")
        let forged = EpochRecord(
            number: 2, key: .random(for: ring.key.vault), made: Self.now,
            earlier: [EpochKey.random(for: ring.key.vault)], slots: [listed], removed: [])
        store.set(
            String(decoding: forged.name, as: UTF8.self), to: forged.sealed(for: ring.key.vault))
        store.set("epochs/0000000003-0000000000000003", to: [UInt8](repeating: 0x61, count: 300_000))
        store.set("epochs/0000000004-0000000000000004", to: [])

        for vault in [device(), try open(Self.passphrase)] {
            let found = try vault.readEpochs()
            #expect(found.troubles.map(\.flaw) == [.notAnEpoch, .notAnEpoch, .foreign])
            #expect(found.newest.map(\.number) == [1] && vault.key.ids.count == 1 && found.later.isEmpty)
            try vault.proveNewest(found)
        }
    }

    @Test("An epoch that went missing is a vault that went back, for a device that knew it; the key alone is no loss")
    func wentBack() throws {
        let here = device()
        try renew(here)
        try commit(here, 1)
        let (name, first) = try (#require(epochs().last), #require(epochs().first))
        let bytes = store.bytes(of: name)
        store.set(name, to: nil)

        #expect(throws: VaultError.keysWentBack(missing: 1)) { try here.proveNewest(here.readEpochs()) }
        #expect(throws: VaultError.keysWentBack(missing: 1)) { try KeyChange(of: here, at: Self.now) }
        #expect(try read(here) == 1, "what it knows it reads all the same")
        let stranger = try open(Self.passphrase)
        guard case .damaged(_, .seal(.unknownEpoch)) = try History.load(stranger).damaged.first else {
            Issue.record("damage of its own reason")
            return
        }
        store.set(name, to: bytes)
        store.set(first, to: nil)
        #expect(try here.readEpochs().missing.isEmpty)
        try here.proveNewest(here.readEpochs())
        #expect(try read(open(Self.passphrase)) == 1, "the newest holds all before it")
    }

    @Test("A key that is known and whose epoch is gone is stored again by the next change")
    func storedAgain() throws {
        let (here, before) = (device(), store.copy())
        try renew(here)
        try commit(here, 1)
        for name in store.names where name.hasPrefix("log/") { before.set(name, to: store.bytes(of: name)) }
        let accepted = try open(Self.passphrase, on: before)
        accepted.adopt(here.keyRing)
        #expect(try accepted.readEpochs().missing == [here.key.current.id])

        try renew(accepted)

        #expect(try accepted.readEpochs().missing.isEmpty)
        #expect(try read(open(Self.second, on: before)) == 1)
    }

    @Test("A thousand objects of unknown epochs cost a thousand looks at most, and one each")
    func unknownEpochs() throws {
        let here = device()
        try commit(here, 1)
        let name = try #require(store.names.first { $0.hasPrefix("log/") })
        var bytes = try #require(store.bytes(of: name))
        bytes.replaceSubrange(0..<8, with: [UInt8](repeating: 0xee, count: 8))
        store.set(name, to: bytes)
        let counting = FaultyStore(store)
        let vault = Vault(VaultStorage(counting), ring: ring)

        _ = try? vault.lookedUp(EpochID(0xeeee_eeee_eeee_eeee))
        let calls = counting.calls
        #expect(try vault.lookedUp(EpochID(0xeeee_eeee_eeee_eeee)) == nil && counting.calls == calls && calls > 0)
        #expect(try History.load(vault).damaged.count == 1)
    }

    @Test("A change that fails at any call leaves the keys as they were, or changed, and every secret opens")
    func failing() throws {
        let counting = FaultyStore(store.copy())
        try renew(Vault(VaultStorage(counting), ring: ring))

        for call in 1...counting.calls {
            for fault in [FaultyStore.Fault.fail(.noSpace), .dropAnswer, .tear, .gone] {
                let copy = store.copy()
                try? renew(Vault(VaultStorage(FaultyStore(copy, failingAt: call, with: fault)), ring: ring))
                let vault = Vault(VaultStorage(copy), ring: ring)
                try vault.proveNewest(vault.readEpochs())
                #expect(try vault.readEpochs().slots.count == 2, "call \(call), \(fault)")
            }
        }
    }

    @Test("Among a thousand hostile slots the vault opens with one derivation, and nothing is sealed to them")
    func hostileSlots() throws {
        let name = "keys/\(slots.first)"
        var hostile = try #require(store.bytes(of: name))
        // One pass more than the true ones, so that they come after them.
        hostile[28] = 4
        for number in 0..<1000 as Range<UInt64> {
            store.set("keys/\((0xff << 32 | number).hexadecimal)", to: hostile)
        }

        var derivations = 0
        let vault = try Vault.open(VaultStorage(store), with: Self.passphrase) { _ in derivations += 1 }

        #expect(derivations <= 2)
        try renew(vault)
        #expect(try Set(vault.readEpochs().slots.map(\.id)) == [slots.first, slots.second])
        #expect(try SlotListing.all(in: store, vault: vault.id).count == 1002)
    }
}
