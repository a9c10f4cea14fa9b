import CueBase
import CueCrypto
import CueSodium
import CueStorage
import CueTestSupport
import CueVault
import Testing

@Suite("Opening a vault", .serialized)
struct VaultOpeningTests {
    private static let passphrase = Secret(Array("correct horse".utf8))
    private static let wrong = Secret(Array("wrong horse".utf8))

    // Made once: each slot costs a key derivation.
    private static let made = Result { try make() }

    private static func make() throws -> (store: MemoryStore, id: VaultID) {
        let store = MemoryStore()
        let vault = try NewVault(
            slots: [(passphrase, "desk")], at: Timestamp(milliseconds: 0), derivation: .floor
        ).write(to: VaultStorage(store))
        return (store, vault.id)
    }

    private func store() throws -> MemoryStore { try Self.made.get().store.copy() }

    @Test("A vault opens with its passphrase, and with no other")
    func opening() throws {
        let store = try store()

        #expect(try Vault.open(VaultStorage(store), with: Self.passphrase).id == Self.made.get().id)
        #expect(throws: VaultError.wrongSecret) { try Vault.open(VaultStorage(store), with: Self.wrong) }
        #expect(throws: VaultError.wrongSecret) { try Vault.open(VaultStorage(store), with: .recoveryCode(.random())) }
    }

    @Test("A folder without vault.json is no vault")
    func noVault() throws {
        #expect(throws: VaultError.notAVault) { try Vault.open(VaultStorage(MemoryStore()), with: Self.passphrase) }
    }

    @Test("A vault without a slot says so")
    func noSlots() throws {
        let store = try store()
        for name in store.names where name.hasPrefix("keys/") { store.set(name, to: nil) }

        #expect(throws: VaultError.noKeySlot) { try Vault.open(VaultStorage(store), with: Self.passphrase) }
    }

    @Test(
        "A vault.json that is not one is refused",
        arguments: [
            "", "{}", "[]", "null", #"{"format":1}"#, #"{"format":2,"vault":"abc"}"#,
            #"{"format":0,"vault":"11111111111111111111111111111111"}"#,
            #"{"format":-1,"vault":"11111111111111111111111111111111"}"#,
            #"{"format":"1","vault":"11111111111111111111111111111111"}"#,
            #"{"format":1.5,"vault":"11111111111111111111111111111111"}"#,
            #"{"format":2,"vault":"1111111111111111111111111111111G"}"#, String(repeating: "[", count: 60_000),
        ])
    func badHeaders(_ text: String) throws {
        let store = MemoryStore()
        store.set("vault.json", to: Array(text.utf8))

        let error = #expect(throws: VaultError.self) { try Vault.id(in: store) }

        guard case .damaged(.object("vault.json"), .foreignHeader) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("A newer format is named before anything else is read")
    func newerFormat() {
        let store = MemoryStore()
        store.set("vault.json", to: Array(#"{"format":7,"vault":"of another form"}"#.utf8))

        #expect(throws: VaultError.newerFormat(7)) { try Vault.open(VaultStorage(store), with: Self.passphrase) }
    }

    @Test("The format before is named before anything else is read")
    func olderFormat() {
        let store = MemoryStore()
        store.set("vault.json", to: Array(#"{"format":1,"vault":"11111111111111111111111111111111"}"#.utf8))

        #expect(throws: VaultError.olderFormat(1)) { try Vault.open(VaultStorage(store), with: Self.passphrase) }
    }

    @Test("Other keys of vault.json are for people")
    func otherKeys() throws {
        let store = MemoryStore()
        let id = VaultID(high: 1, low: 2)
        store.set("vault.json", to: Array(#"{"note":[1,{}],"vault":"\#(id)","format":2}"#.utf8))

        #expect(try Vault.id(in: store) == id)
    }

    @Test("A vault.json with the id of another vault opens nothing")
    func otherID() throws {
        let store = try store()
        store.set("vault.json", to: Array(#"{"format":2,"vault":"11111111111111111111111111111111"}"#.utf8))

        #expect(throws: VaultError.self) { try Vault.open(VaultStorage(store), with: Self.passphrase) }
    }

    @Test(
        "A file among the key slots that is called otherwise does not matter, whatever it holds",
        arguments: [
            ("keys/readme.txt", 10), ("keys/zzzz", 100_000), ("keys/a/0123456789abcdef", 100), ("keys/0000", 0),
        ])
    func foreignFiles(_ name: String, _ size: Int) throws {
        let store = try store()
        store.set(name, to: [UInt8](repeating: 0x61, count: size))

        #expect(try Vault.open(VaultStorage(store), with: Self.passphrase).id == Self.made.get().id)
        #expect(throws: VaultError.wrongSecret) { try Vault.open(VaultStorage(store), with: Self.wrong) }
    }

    @Test(
        "A slot that is damaged, unknown or far too large does not keep the others from opening",
        arguments: [0, 59, 61, 5_000, 100_000])
    func damagedSlots(_ size: Int) throws {
        let store = try store()
        for name in ["keys/0000000000000000", "keys/ffffffffffffffff"] {
            store.set(name, to: [UInt8](repeating: 0x61, count: size))
        }

        #expect(try Vault.open(VaultStorage(store), with: Self.passphrase).id == Self.made.get().id)
    }

    @Test("A vault that cannot be made takes back its own slots and touches no other, whoever's vault.json came first")
    func notMade() throws {
        let store = MemoryStore()
        store.set("keys/0123456789abcdef", to: [1, 2, 3])
        store.set("vault.json", to: Array(#"{"format":2,"vault":"11111111111111111111111111111111"}"#.utf8))
        let before = store.copy()

        #expect(throws: StorageError.alreadyThere("vault.json")) {
            try NewVault(
                slots: [(Self.passphrase, "desk")], at: Timestamp(milliseconds: 0), derivation: .floor
            ).write(to: VaultStorage(store))
        }

        #expect(store.names == before.names)
        #expect(store.names.allSatisfy { store.bytes(of: $0) == before.bytes(of: $0) })
    }

    @Test("A vault that fails at any call leaves nothing, or a whole one with all its slots and its epoch")
    func notMadeAtAnyCall() throws {
        let new = try NewVault(
            slots: [(Self.passphrase, "desk")], at: Timestamp(milliseconds: 0), derivation: .floor)
        let counting = FaultyStore(MemoryStore())
        _ = try new.write(to: VaultStorage(counting))

        for call in 1...counting.calls {
            for fault in [FaultyStore.Fault.fail(.noSpace), .dropAnswer, .tear] {
                let store = MemoryStore()
                #expect(throws: (any Error).self, "call \(call), \(fault)") {
                    try new.write(to: VaultStorage(FaultyStore(store, failingAt: call, with: fault)))
                }
                #expect(store.names == [], "call \(call), \(fault)")
            }
            // The store is gone for good: what stands there may stay, but never a vault without its slots.
            let store = MemoryStore()
            _ = try? new.write(to: VaultStorage(FaultyStore(store, failingAt: call, with: .gone)))
            #expect(store.bytes(of: "vault.json") == nil || store.names.count == 3, "call \(call)")
        }
    }

    @Test("A vault whose slots somebody takes away while it is made is none")
    func slotsTaken() throws {
        let new = try NewVault(
            slots: [(Self.passphrase, "desk")], at: Timestamp(milliseconds: 0), derivation: .floor)
        let store = MemoryStore()

        #expect(throws: (any Error).self) {
            try new.write(to: VaultStorage(store)) { for name in store.names { store.set(name, to: nil) } }
        }

        #expect(store.names == [])
    }

    @Test("Slots are tried from the cheapest on, and one that has no slot's size is not even read")
    func cheapestFirst() throws {
        let store = try store()
        let vault = try Vault.open(VaultStorage(store), with: Self.passphrase)
        // Its work is 16 times that of the floor, and its name comes first.
        let dear = try SealedSlot(
            vault.key, for: Self.passphrase, label: "", at: Timestamp(milliseconds: 0),
            derivation: KeyDerivation(passes: 16, memory: 192 << 20))
        store.set("keys/0000000000000000", to: dear.bytes)
        for number in 1...9 { store.set("keys/000000000000000\(number)", to: [UInt8](repeating: 0x61, count: 5_000)) }
        let counting = FaultyStore(store)

        var tried: [String] = []
        _ = try Vault.open(VaultStorage(counting), with: Self.passphrase) { tried.append($0.name.text) }

        #expect(tried.count == 1 && tried != ["keys/0000000000000000"])
        // vault.json, the list, and the two slots that have a slot's size, then the list of epochs and the one; each
        // object's size is asked for before it is read.
        #expect(counting.calls == 10)
    }
}
