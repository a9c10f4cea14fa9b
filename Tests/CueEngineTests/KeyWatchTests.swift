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
            passphrase = try Self.slot(.passphrase, of: on.vault)
            code = try Self.slot(.recoveryCode, of: on.vault)
            for slot in [passphrase, code] { try on.store.put(slot.name, slot.bytes) }
            let made = Dictionary(uniqueKeysWithValues: [passphrase, code].map { ($0.name, $0.bytes) })
            #expect(try look(opened: made).troubles == [])
        }

        static func slot(_ kind: KeySlot.Kind, of vault: Vault) throws -> SealedSlot {
            let secret: Secret =
                kind == .passphrase ? Secret(Array("correct horse".utf8)) : .recoveryCode(.random())
            return try SealedSlot(vault.key, for: secret, label: "", at: start, derivation: .floor)
        }

        /// Looks, hours after it began.
        @discardableResult
        func look(hours: Int64 = 0, opened: [ObjectName: [UInt8]] = [:]) throws -> KeyWatch.Report {
            try watch(hours, opened).look()
        }

        func tend(hours: Int64) throws -> KeyWatch.Report { try watch(hours, [:]).tend() }

        private func watch(_ hours: Int64, _ opened: [ObjectName: [UInt8]]) -> KeyWatch {
            clock.go(to: Double(hours) * 3600)
            return KeyWatch(EngineContext(on.library, TestLibrary.vault(on: on.store, opened: opened)))
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

    @Test("What a new slot of the same kind, made with the vault key, took the place of is news and no damage")
    func replaced() throws {
        for isSeenBetween in [true, false] {
            let device = try Device()
            let new = try Device.slot(.recoveryCode, of: device.on.vault)
            try device.on.store.put(new.name, new.bytes)
            if isSeenBetween { #expect(try device.tend(hours: 1).troubles == []) }
            device.set(device.code, to: nil)

            #expect(try device.tend(hours: 2).troubles == [])
            #expect(try device.tend(hours: 50).troubles == [])
            #expect(device.bytes(of: device.code) == nil)
            // The old one comes back from a copy that somebody kept.
            device.set(device.code, to: device.code.bytes)
            #expect(try device.look(hours: 51).troubles == [trouble(device.code, .returned)])
        }
    }

    @Test("A slot of the same kind of which nothing proves that a holder of the key made it replaces none")
    func planted() throws {
        let device = try Device()
        let stranger = Vault(
            device.on.vault.storage, key: VaultKey(.random(32), vault: device.on.vault.id))
        let planted = try Device.slot(.recoveryCode, of: stranger)
        try device.on.store.put(planted.name, planted.bytes)
        device.set(device.code, to: nil)

        let report = try device.look(hours: 1)

        #expect(report.troubles == [trouble(device.code, .missing)])
        #expect(report.unproven == [planted.name.text])
        #expect(try device.look(hours: 2).unproven == [planted.name.text], "it is named as long as it is there")
    }

    @Test("An older slot of the same kind replaces none, and a new one of the other kind neither")
    func notReplaced() throws {
        let device = try Device()
        let second = try Device.slot(.recoveryCode, of: device.on.vault)
        try device.on.store.put(second.name, second.bytes)
        try device.look(hours: 1)
        device.set(second, to: nil)
        #expect(try device.look(hours: 2).troubles == [trouble(second, .missing)])
        device.set(second, to: second.bytes)

        let passphrase = try Device.slot(.passphrase, of: device.on.vault)
        try device.on.store.put(passphrase.name, passphrase.bytes)
        device.set(second, to: nil)
        #expect(try device.look(hours: 3).troubles == [trouble(second, .missing)])
    }

    @Test(
        "A slot that this device only saw is named when it changes, and never written again: it may not have been whole"
    )
    func onlySeen() throws {
        let device = try Device()
        let new = try Device.slot(.recoveryCode, of: device.on.vault)
        try device.on.store.put(new.name, new.bytes)
        #expect(try device.look(hours: 1).troubles == [])
        device.set(new, to: Array(new.bytes.dropLast()))

        #expect(try device.tend(hours: 100).troubles == [trouble(new, .changed)])
        #expect(device.bytes(of: new)?.count == new.bytes.count - 1)
    }

    @Test("A slot of which the end arrives later is no damage, within a day")
    func arriving() throws {
        for (hours, troubled) in [(Int64(20), false), (Int64(30), true)] {
            let device = try Device()
            let new = try Device.slot(.recoveryCode, of: device.on.vault)
            device.set(new, to: Array(new.bytes.prefix(new.bytes.count - 5)))
            #expect(try device.look(hours: 1).troubles == [])
            device.set(new, to: new.bytes)

            #expect(try device.tend(hours: hours).troubles == (troubled ? [trouble(new, .changed)] : []))
            #expect(device.bytes(of: new) == new.bytes)
        }
    }

    @Test("A device that keeps no key keeps no slot: what changes is named, and stays")
    func forgetfulDevice() throws {
        let on = try TestLibrary()
        let slot = try Device.slot(.passphrase, of: on.vault)
        try on.store.put(slot.name, slot.bytes)
        var marker = on.library.marker
        marker.rememberKey = false
        let library = on.library.with(marker: marker)
        let vault = TestLibrary.vault(on: on.store, opened: [slot.name: slot.bytes])
        try KeyWatch(EngineContext(library, vault)).look()
        #expect(try library.store.read { try $0.knownSlots() }.map(\.bytes) == [nil])
        on.store.set(slot.name.text, to: Array(slot.bytes.dropLast()))

        #expect(try KeyWatch(EngineContext(library, on.vault)).tend().troubles == [trouble(slot, .changed)])
    }

    @Test("The new recovery code opens the vault, the old one is gone, and one that comes back is removed again")
    func newCode() throws {
        let device = try Device()
        let vault = device.on.vault

        var shown: [String] = []
        let made = try NewRecoveryCode.make(device.on.context.ofVault, of: device.on.library, derivation: .floor) {
            made in
            shown.append(made.code)
            #expect(device.bytes(of: device.code) != nil, "the old one opens until the new one was shown")
        }

        #expect(shown == [made.code] && made.replaced.count == 1)
        #expect(device.bytes(of: device.code) == nil)
        on(device, put: "vault.json", #"{"format":1,"vault":"\#(vault.id)"}"#)
        #expect(
            try Vault.open(VaultStorage(device.on.store), with: Secret(Array(made.code.utf8))).key.secret
                == vault.key.secret)
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
            VaultContext(TestLibrary.vault(on: counting)), of: nil, derivation: .floor
        ) { _ in }
        #expect(counting.calls > 4)

        for call in 1...counting.calls {
            for fault in [FaultyStore.Fault.gone, .dropAnswer] {
                let device = try Device()
                let store = FaultyStore(device.on.store, failingAt: call, with: fault)
                var shown: [String] = []
                _ = try? NewRecoveryCode.make(
                    VaultContext(TestLibrary.vault(on: store)), of: nil, derivation: .floor
                ) { shown.append($0.code) }

                let old = device.bytes(of: device.code) == device.code.bytes
                on(device, put: "vault.json", #"{"format":1,"vault":"\#(device.on.vault.id)"}"#)
                let new = shown.contains {
                    (try? Vault.open(VaultStorage(device.on.store), with: Secret(Array($0.utf8)))) != nil
                }
                #expect(old || new, "call \(call), \(fault)")
            }
        }
    }
}
