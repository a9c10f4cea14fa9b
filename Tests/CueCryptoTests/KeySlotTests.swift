import CueBase
import CueCrypto
import CueSodium
import CueTestSupport
import Testing

@Suite("Key slots", .serialized)
struct KeySlotTests {
    private static let name = Array("keys/0123456789abcdef".utf8)
    /// A vault with two epochs, of which the second is the current one.
    private static let key = {
        let second = EpochKey(SecretBytes(copying: Array(32..<64).span), vault: Sample.vault)
        return VaultKey(SecretBytes(copying: Array(0..<32).span), vault: Sample.vault)
            .adding([second], current: second.id)
    }()
    private static let slotSecret = SlotSecret(id: SlotID(0x0123_4567_89ab_cdef), pair: .random())
    private static let passphrase = Secret.passphrase(SecretBytes(copying: Array("correct horse".utf8).span))
    private static let code = RecoveryCode.random()

    // The least work that a reader accepts: a tenth of a second a guess instead of half a one.
    private static let slot = Result<[UInt8], KeySlotError> { () throws(KeySlotError) in try make(passphrase) }

    private static func make(_ secret: Secret) throws(KeySlotError) -> [UInt8] {
        try KeySlot.seal(
            key, slotSecret, for: secret, label: "a label", at: Timestamp(milliseconds: 1), derivation: .floor)
    }

    private func open(
        _ bytes: [UInt8], name: [UInt8] = name, vault: VaultID = Sample.vault, with secret: Secret = passphrase
    ) throws(KeySlotError) -> SecretBytes {
        try KeySlot(bytes, name: name, vault: vault).open(with: secret).key.current.secret
    }

    private func changed(_ at: Int, to bytes: [UInt8]) throws -> [UInt8] {
        var slot = try Self.slot.get()
        slot.replaceSubrange(at..<at + bytes.count, with: bytes)
        return slot
    }

    @Test("A passphrase opens its slot, and a recovery code its own")
    func opening() throws {
        let codeSlot = try Self.make(.recoveryCode(Self.code))

        let opened = try KeySlot(Self.slot.get(), name: Self.name, vault: Sample.vault).open(with: Self.passphrase)
        #expect(
            opened.key.current.secret == Self.key.current.secret && opened.key.first.secret == Self.key.first.secret)
        #expect(opened.slot.pair.secret == Self.slotSecret.pair.secret && opened.slot.id == Self.slotSecret.id)
        #expect(opened.label == "a label" && opened.made == Timestamp(milliseconds: 1))
        #expect(try open(codeSlot, with: .recoveryCode(Self.code)) == Self.key.current.secret)
        #expect(try KeySlot(codeSlot, name: Self.name, vault: Sample.vault).kind == .recoveryCode)
    }

    @Test("Another passphrase, or a code for a passphrase's slot, is a wrong secret")
    func wrongSecrets() throws {
        let slot = try Self.slot.get()

        for text in ["Correct horse", "correct horse ", ""] {
            #expect(throws: KeySlotError.wrongSecret, "\(text)") {
                try open(slot, with: .passphrase(SecretBytes(copying: Array(text.utf8).span)))
            }
        }
        #expect(throws: KeySlotError.wrongSecret) { try open(slot, with: .recoveryCode(Self.code)) }
    }

    @Test("No changed byte of the header opens the vault")
    func headerFlips() throws {
        for at in 0..<92 {
            var slot = try Self.slot.get()
            slot[at] ^= 1
            #expect(throws: KeySlotError.self, "byte \(at)") { try open(slot) }
        }
        // What else a flip of byte 24 could make of a passphrase's slot.
        #expect(throws: KeySlotError.wrongSecret) { try open(try changed(24, to: [2])) }
    }

    @Test("No changed byte of the sealed key opens the vault")
    func bodyFlips() throws {
        let count = try Self.slot.get().count
        for at in stride(from: 92, to: count, by: 13) {
            var slot = try Self.slot.get()
            slot[at] ^= 0x80
            let expected: KeySlotError = at < 92 + Cobblestone.header ? .wrongSecret : .damaged
            #expect(throws: expected, "byte \(at)") { try open(slot) }
        }
    }

    @Test(
        "A derivation outside floor and ceiling is refused before any work is done",
        arguments: [
            (2, 64 << 20), (0, 64 << 20), (17, 64 << 20), (.max, 64 << 20), (3, (64 << 20) - 1024), (3, 0),
            (3, (2 << 30) + 1024), (3, .max), (16, 1 << 62), (3, (64 << 20) + 1),
        ] as [(UInt32, UInt64)])
    func derivationBounds(_ passes: UInt32, _ memory: UInt64) throws {
        var header = ByteWriter()
        header.u32(passes)
        header.u64(memory)
        let slot = try changed(28, to: header.bytes)
        // The fastest of several tries: other tests keep the machine busy.
        let fastest = (0..<5).map { _ in
            ContinuousClock().measure {
                #expect(throws: KeySlotError.derivationNotAllowed(passes: passes, memory: memory)) { try open(slot) }
            }
        }.min()

        // A guess at the floor takes several times this on the fastest machines.
        #expect(try #require(fastest) < .milliseconds(20))
    }

    @Test("Lanes other than one are refused", arguments: [0, 2, 255] as [UInt8])
    func lanes(_ lanes: UInt8) throws {
        let slot = try changed(40, to: [lanes])
        #expect(throws: KeySlotError.self) { try KeySlot(slot, name: Self.name, vault: Sample.vault) }
    }

    @Test("A slot of another vault, version or kind is refused before any work is done")
    func otherHeaders() throws {
        for (at, bytes) in [(7, [0x31]), (8, [0]), (24, [0]), (24, [3]), (25, [0]), (25, [2]), (26, [1]), (27, [1])]
            as [(Int, [UInt8])]
        {
            let slot = try changed(at, to: bytes)
            let error = #expect(throws: KeySlotError.self, "byte \(at)") {
                try KeySlot(slot, name: Self.name, vault: Sample.vault)
            }
            guard case .invalid = error else {
                Issue.record("byte \(at): \(String(describing: error))")
                continue
            }
        }
    }

    @Test("A slot that is cut short, empty or far too long is refused")
    func lengths() throws {
        let slot = try Self.slot.get()

        for bytes in [[], Array(slot[..<91]), Array(slot[..<92]), slot + [UInt8](repeating: 0, count: 4096)] {
            #expect(throws: KeySlotError.self, "\(bytes.count)") {
                try KeySlot(bytes, name: Self.name, vault: Sample.vault)
            }
        }
        #expect(throws: KeySlotError.damaged) { try open(Array(slot.dropLast())) }
    }

    @Test("A slot under another name does not open")
    func otherName() throws {
        let slot = try Self.slot.get()

        #expect(throws: KeySlotError.wrongSecret) { try open(slot, name: Array("keys/0123456789abcdee".utf8)) }
    }

    @Test("A slot whose vault id was rewritten for another vault does not open there")
    func otherVault() throws {
        var id = ByteWriter()
        id.id(Sample.other)
        let slot = try changed(8, to: id.bytes)

        #expect(throws: KeySlotError.wrongSecret) { try open(slot, vault: Sample.other) }
    }

    /// A slot with this payload under this header, as who knows the passphrase can make it.
    private func forged(_ payload: [UInt8], _ header: [UInt8]) throws -> [UInt8] {
        let secret = SecretBytes(copying: Array("correct horse".utf8).span)
        let derived = try Argon2id.derive(
            secret, salt: Array(header[44..<60]), passes: KeyDerivation.floor.passes,
            memory: KeyDerivation.floor.memory)
        let context = SealContext(vault: Sample.vault, kind: .slot, name: Self.name, extra: header)
        return header + Message.seal(payload, key: derived, context: context)
    }

    @Test("Bytes left over behind the label make the slot damaged, and so does a key that is missing")
    func trailingPayload() throws {
        let header = Array(try Self.slot.get()[..<92])
        let keys = Self.slotSecret.pair.secret.withBytes { $0.array } + Array(0..<64)

        #expect(try open(forged(keys + [2, 1, 0x61], header)) == Self.key.current.secret)
        for payload in [keys, keys + [2, 1, 0x61, 0x62], Array(keys.dropLast()) + [2, 1, 0x61]] {
            #expect(throws: KeySlotError.self) { try open(forged(payload, header)) }
        }
    }

    @Test("A public half that is not that of the secret one makes the slot damaged")
    func foreignPublicHalf() throws {
        let keys = Self.slotSecret.pair.secret.withBytes { $0.array } + Array(0..<64)
        let header = Array(try Self.slot.get()[..<60]) + SealedBox.random().publicKey

        #expect(throws: KeySlotError.damaged) { try open(forged(keys + [2, 0], header)) }
    }
}
