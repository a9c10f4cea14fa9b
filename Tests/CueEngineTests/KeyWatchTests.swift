import CueBase
import CueCrypto
import CueLibrary
import CueSodium
import CueStorage
import CueTestSupport
import CueVault
import Testing

@testable import CueEngine

@Suite("What a device notices of key slots", .serialized)
struct KeyWatchTests {
    private static let start = Timestamp(milliseconds: 1_800_000_000_000)

    /// A library that has looked at a vault whose slots its device made.
    private struct Device {
        let on: TestLibrary
        private let clock = TestClock(at: start)
        let passphrase: SealedSlot
        let code: SealedSlot

        init() throws {
            on = try TestLibrary(clock: clock.clock)
            passphrase = try Self.slot(.passphrase, on.vault.key)
            code = try Self.slot(.recoveryCode, on.vault.key)
            for slot in [passphrase, code] { try on.store.put(slot.name, slot.bytes) }
            try Self.list([passphrase, code], in: on)
            #expect(try look().troubles == [])
        }

        static func slot(_ kind: KeySlot.Kind, _ key: VaultKey) throws -> SealedSlot {
            let secret: Secret =
                kind == .passphrase ? Secret(Array("correct horse".utf8)) : .recoveryCode(.random())
            return try SealedSlot(key, for: secret, label: "", at: start, derivation: .floor)
        }

        /// Writes the first epoch of the vault, with these slots.
        static func list(_ slots: [SealedSlot], in on: TestLibrary) throws {
            let first = EpochRecord(
                number: 1, key: on.vault.key.first, made: start, earlier: [], slots: slots.map(\.listed), removed: [])
            on.store.set(
                String(decoding: first.name, as: UTF8.self), to: first.sealed(for: on.vault.id))
        }

        /// The vault as this device opens it anew.
        func vault(on store: (any ObjectStore)? = nil) -> Vault {
            TestLibrary.vault(on: store ?? on.store, slot: passphrase.slot)
        }

        /// Another device adds a slot of this kind, and removes one.
        func add(_ kind: KeySlot.Kind, removing slot: SealedSlot? = nil) throws -> SealedSlot {
            let change = try KeyChange(
                of: vault(), removing: { _ in Set([slot?.slot.id].compactMap { $0 }) }, at: start
            ) { [try Self.slot(kind, $0)] }
            try change.write()
            return change.added[0]
        }

        /// Looks, hours after it began.
        @discardableResult
        func look(hours: Int64 = 0) throws -> KeyWatch.Report { try watch(hours).look() }

        func tend(hours: Int64) throws -> KeyWatch.Report { try watch(hours).tend() }

        private func watch(_ hours: Int64) -> KeyWatch {
            clock.go(to: Double(hours) * 3600)
            return KeyWatch(EngineContext(on.library, vault()))
        }

        func set(_ slot: SealedSlot, to bytes: [UInt8]?) { on.store.set(slot.name.text, to: bytes) }
        func bytes(of slot: SealedSlot) -> [UInt8]? { on.store.bytes(of: slot.name.text) }
    }

    private func trouble(_ slot: SealedSlot, _ what: KeyTrouble.What, isMended: Bool = false) -> KeyTrouble {
        KeyTrouble(slot: slot.name.text, what: what, isMended: isMended)
    }

    @Test(
        "A slot that was changed, cut, extended, emptied or exchanged is named, and written again as it was",
        arguments: ["flip", "cut", "extend", "empty", "swap", "huge"])
    func changed(how: String) throws {
        let device = try Device()
        var bytes = device.passphrase.bytes
        switch how {
        case "flip": bytes[100] ^= 1
        case "cut": bytes.removeLast()
        case "extend": bytes.append(0)
        case "empty": bytes = []
        case "swap": bytes = device.code.bytes
        default: bytes += [UInt8](repeating: 0, count: 100_000)
        }
        device.set(device.passphrase, to: bytes)

        #expect(try device.look(hours: 1).troubles == [trouble(device.passphrase, .changed)])
        #expect(device.bytes(of: device.passphrase) == bytes, "a look changes nothing")
        #expect(try device.tend(hours: 1).troubles == [trouble(device.passphrase, .changed, isMended: true)])

        #expect(device.bytes(of: device.passphrase) == device.passphrase.bytes)
        #expect(try device.look(hours: 1).troubles == [])
    }

    @Test("A slot that is missing is named at once, and written again a day later")
    func missing() throws {
        let device = try Device()
        device.set(device.passphrase, to: nil)

        #expect(try device.tend(hours: 1).troubles == [trouble(device.passphrase, .missing)])
        #expect(try device.tend(hours: 24).troubles == [trouble(device.passphrase, .missing)])
        #expect(device.bytes(of: device.passphrase) == nil)
        #expect(try device.tend(hours: 25).troubles == [trouble(device.passphrase, .missing, isMended: true)])

        #expect(device.bytes(of: device.passphrase) == device.passphrase.bytes)
        #expect(try device.look(hours: 26).troubles == [])
    }

    @Test("A slot that was late and came is no trouble any more, and its next absence counts anew")
    func late() throws {
        let device = try Device()
        device.set(device.code, to: nil)
        #expect(try device.tend(hours: 1).troubles == [trouble(device.code, .missing)])
        device.set(device.code, to: device.code.bytes)
        #expect(try device.tend(hours: 2).troubles == [])
        device.set(device.code, to: nil)

        #expect(try device.tend(hours: 26).troubles == [trouble(device.code, .missing)])
    }

    @Test("A slot that another device removed is news and no damage, until its file comes back")
    func replaced() throws {
        for isDeletedLate in [true, false] {
            let device = try Device()
            let new = try device.add(.recoveryCode, removing: device.code)
            if isDeletedLate {
                // A sync service brings the epoch before the deletion.
                device.set(device.code, to: device.code.bytes)
                #expect(try device.tend(hours: 1).troubles == [])
                device.set(device.code, to: nil)
            }

            #expect(try device.tend(hours: 2).troubles == [])
            #expect(try device.tend(hours: 50).troubles == [])
            #expect(device.bytes(of: device.code) == nil && device.bytes(of: new) == new.bytes)
            // The old one comes back from a copy that somebody kept.
            device.set(device.code, to: device.code.bytes)
            #expect(try device.look(hours: 51).troubles == [trouble(device.code, .returned)])
        }
    }

    @Test(
        "A file that no epoch lists is no slot of the vault, takes no other's place, and is named as long as it is there"
    )
    func planted() throws {
        let device = try Device()
        let planted = try Device.slot(.recoveryCode, VaultKey(.random(32), vault: device.on.vault.id))
        try device.on.store.put(planted.name, planted.bytes)
        device.set(device.code, to: nil)

        let report = try device.look(hours: 1)

        #expect(report.troubles == [trouble(device.code, .missing)])
        #expect(report.unproven == [planted.name.text])
        #expect(try device.look(hours: 2).unproven == [planted.name.text])
    }

    @Test("A slot that was added takes no other's place, and is written again by a device that saw it whole")
    func added() throws {
        let device = try Device()
        let new = try device.add(.recoveryCode)
        #expect(try device.look(hours: 1).troubles == [])
        device.set(device.code, to: nil)
        device.set(new, to: Array(new.bytes.dropLast()))

        let troubles = try device.tend(hours: 2).troubles
        #expect(Set(troubles) == [trouble(device.code, .missing), trouble(new, .changed, isMended: true)])
        #expect(device.bytes(of: new) == new.bytes)
    }

    @Test("A slot of which the end arrives later is no damage within a day, and one that never was whole is named then")
    func arriving() throws {
        for (hours, troubled) in [(Int64(20), false), (Int64(30), true)] {
            let device = try Device()
            let new = try device.add(.recoveryCode)
            device.set(new, to: Array(new.bytes.prefix(new.bytes.count - 5)))
            #expect(try device.tend(hours: 1).troubles == [])
            if !troubled { device.set(new, to: new.bytes) }

            #expect(try device.tend(hours: hours).troubles == (troubled ? [trouble(new, .changed)] : []))
            #expect(device.bytes(of: new)?.count == new.bytes.count - (troubled ? 5 : 0))
        }
    }

    @Test("A device that keeps no key keeps no slot: what changes is named, and stays")
    func forgetfulDevice() throws {
        let on = try TestLibrary()
        let slot = try Device.slot(.passphrase, on.vault.key)
        try on.store.put(slot.name, slot.bytes)
        try Device.list([slot], in: on)
        var marker = on.library.marker
        marker.rememberKey = false
        let library = on.library.with(marker: marker)
        try KeyWatch(EngineContext(library, on.vault)).look()
        #expect(try library.store.read { try $0.knownSlots() }.map(\.bytes) == [nil])
        on.store.set(slot.name.text, to: Array(slot.bytes.dropLast()))

        #expect(try KeyWatch(EngineContext(library, on.vault)).tend().troubles == [trouble(slot, .changed)])
        #expect(try library.state.keyRing(of: on.vault.id) == nil)
    }

    @Test("A device that learned a new key remembers it, and an epoch that does not count is named")
    func epochs() throws {
        let device = try Device()
        _ = try device.add(.passphrase)
        device.on.store.set("epochs/0000000009-0000000000000009", to: [1])

        let report = try device.look(hours: 1)

        let planted = KeyTrouble(slot: "epochs/0000000009-0000000000000009", what: .epoch(.notAnEpoch))
        #expect(report.troubles == [planted])
        #expect(try device.on.library.state.keyRing(of: device.on.vault.id)?.key.ids.count == 2)
    }

    @Test("The new recovery code opens the vault, the old one is gone, and one that comes back is removed again")
    func newCode() throws {
        let device = try Device()
        let vault = device.vault()

        var shown: [String] = []
        let made = try NewRecoveryCode.make(VaultContext(vault), of: device.on.library, derivation: .floor) {
            made in
            shown.append(made.code)
            #expect(device.bytes(of: device.code) != nil, "the old one opens until the new one was shown")
        }

        #expect(shown == [made.code] && made.replaced.count == 1)
        #expect(device.bytes(of: device.code) == nil)
        on(device, put: "vault.json", #"{"format":2,"vault":"\#(vault.id)"}"#)
        #expect(
            try Vault.open(VaultStorage(device.on.store), with: Secret(Array(made.code.utf8))).key.current.secret
                == vault.key.current.secret)
        #expect(vault.key.ids.count == 2)
        device.set(device.code, to: device.code.bytes)
        #expect(try device.tend(hours: 1).troubles == [trouble(device.code, .returned, isMended: true)])
        #expect(device.bytes(of: device.code) == nil)
    }

    private func on(_ device: Device, put name: String, _ text: String) {
        device.on.store.set(name, to: Array(text.utf8))
    }

    @Test("A new code that fails at any call of the store leaves a code that opens the vault and was shown")
    func newCodeFails() throws {
        let whole = try Device()
        let counting = FaultyStore(whole.on.store)
        _ = try NewRecoveryCode.make(
            VaultContext(whole.vault(on: counting)), of: nil, derivation: .floor
        ) { _ in }
        #expect(counting.calls > 4)

        for call in 1...counting.calls {
            for fault in [FaultyStore.Fault.gone, .dropAnswer] {
                let device = try Device()
                let store = FaultyStore(device.on.store, failingAt: call, with: fault)
                var shown: [String] = []
                _ = try? NewRecoveryCode.make(
                    VaultContext(device.vault(on: store)), of: nil, derivation: .floor
                ) { shown.append($0.code) }

                let old = device.bytes(of: device.code) == device.code.bytes
                on(device, put: "vault.json", #"{"format":2,"vault":"\#(device.on.vault.id)"}"#)
                let new = shown.contains {
                    (try? Vault.open(VaultStorage(device.on.store), with: Secret(Array($0.utf8)))) != nil
                }
                #expect(old || new, "call \(call), \(fault)")
            }
        }
    }
}
