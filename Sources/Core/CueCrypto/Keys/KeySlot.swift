package import CueBase
package import CueSodium

/// The work that one guess of a passphrase costs: the parameters of Argon2id (docs/format.md §4).
package struct KeyDerivation: Sendable, Equatable {
    /// The number of passes over the memory.
    package let passes: UInt32
    /// In bytes, a multiple of 1,024.
    package let memory: UInt64

    /// The parameters of new slots.
    package static let standard = KeyDerivation(passes: 3, memory: 256 << 20)
    /// The least that is accepted, since a hostile vault could make guessing cheap.
    package static let floor = KeyDerivation(passes: 3, memory: 64 << 20)
    /// The most that is accepted, since a hostile vault could make this device work without end.
    package static let ceiling = KeyDerivation(passes: 16, memory: 2 << 30)

    /// `memory` is in bytes; nothing is checked.
    package init(passes: UInt32, memory: UInt64) { (self.passes, self.memory) = (passes, memory) }

    /// The cost of one guess, for comparing: passes times bytes.
    package var work: UInt64 { UInt64(passes) &* memory }

    /// True if both lie between `floor` and `ceiling`, and the memory is a multiple of 1,024 bytes.
    package var isAllowed: Bool {
        (Self.floor.passes...Self.ceiling.passes).contains(passes)
            && (Self.floor.memory...Self.ceiling.memory).contains(memory) && memory % 1024 == 0
    }
}

/// The passphrase or recovery code with which a person opens a vault.
package enum Secret: Sendable {
    case passphrase(SecretBytes)
    case recoveryCode(RecoveryCode)

    /// Takes typed bytes: a recovery code if they spell one with a right check, else a passphrase.
    package init(_ text: [UInt8]) {
        if let code = RecoveryCode(text) {
            self = .recoveryCode(code)
        } else {
            self = .passphrase(SecretBytes(copying: text.span))
        }
    }

    /// The kind of slot that this secret opens.
    package var kind: KeySlot.Kind {
        switch self {
        case .passphrase: .passphrase
        case .recoveryCode: .recoveryCode
        }
    }

    var bytes: SecretBytes {
        switch self {
        case .passphrase(let bytes): bytes
        case .recoveryCode(let code): code.secret
        }
    }
}

/// The reasons why bytes are no key slot that can be tried.
public enum KeySlotFlaw: String, Hashable, Sendable, Codable, CaseIterable {
    /// The size or the first bytes are not those of a slot.
    case notASlot
    /// The header names another vault.
    case otherVault
    /// The header names a kind of slot of a later version.
    case unknownKind
    /// The header ends too early.
    case cutShort
    /// The store does not give the bytes.
    case unreadable
}

/// The reasons why a key slot does not give the vault key.
public enum KeySlotError: Error, Sendable, Hashable, Codable {
    /// The header is not one that this version knows, or it is of another vault.
    case invalid(KeySlotFlaw)
    /// The Argon2id parameters lie outside floor and ceiling (memory in bytes). No derivation was tried.
    case derivationNotAllowed(passes: UInt32, memory: UInt64)
    /// The secret is not the one of this slot, or the header was changed.
    case wrongSecret
    /// The header is right, but the message does not open.
    case damaged
    /// The derivation had no memory; the number is the bytes that it needs.
    case noMemory(UInt64)
}

/// One sealed copy of the vault key, for a passphrase or a recovery code (docs/format.md §4).
package struct KeySlot: Sendable {
    /// The secret that opens a slot; the byte at offset 24.
    package enum Kind: UInt8, Sendable { case passphrase = 1, recoveryCode }

    /// The secret that opens this slot.
    package let kind: Kind
    /// The work that opening this slot takes.
    package let derivation: KeyDerivation
    private let salt: [UInt8]
    private let name: [UInt8]
    private let header: [UInt8]
    private let message: [UInt8]
    private let context: SealContext

    private static let magic = Array("cueslot1".utf8)
    private static let headerLength = 60
    private static let saltLength = 16
    /// The sizes in bytes that a slot may have; the least holds a key alone.
    package static let sizes = headerLength + Cobblestone.sealedSize(VaultKey.length)...4096

    /// Reads and checks the header; derives nothing yet. `name` is the whole object name. Throws `.invalid` or
    /// `.derivationNotAllowed`.
    package init(_ bytes: [UInt8], name: [UInt8], vault: VaultID) throws(KeySlotError) {
        guard Self.sizes.contains(bytes.count), bytes.starts(with: Self.magic) else {
            throw .invalid(.notASlot)
        }
        do {
            var reader = ByteReader(bytes, 8..<Self.headerLength)
            guard try reader.id16() == vault else { throw KeySlotError.invalid(.otherVault) }
            guard let kind = Kind(rawValue: try reader.u8()), try reader.u8() == 1, try reader.u16() == 0 else {
                throw KeySlotError.invalid(.unknownKind)
            }
            let derivation = KeyDerivation(passes: try reader.u32(), memory: try reader.u64())
            let lanes = try reader.u32()
            guard derivation.isAllowed, lanes == 1 else {
                throw KeySlotError.derivationNotAllowed(passes: derivation.passes, memory: derivation.memory)
            }
            (self.kind, self.derivation) = (kind, derivation)
            salt = try reader.raw(Self.saltLength)
        } catch let error as KeySlotError {
            throw error
        } catch {
            throw .invalid(.cutShort)
        }
        self.name = name
        header = Array(bytes[..<Self.headerLength])
        message = Array(bytes[Self.headerLength...])
        context = SealContext(vault: vault, kind: .slot, name: name, extra: header)
    }

    /// Runs the key derivation and opens the slot. Throws `.wrongSecret`, `.damaged` or `.noMemory`.
    package func open(with secret: Secret, vault: VaultID) throws(KeySlotError) -> VaultKey {
        let key: SecretBytes
        do {
            key = try Argon2id.derive(secret.bytes, salt: salt, passes: derivation.passes, memory: derivation.memory)
        } catch {
            throw .noMemory(derivation.memory)
        }
        do {
            var plaintext = try Message.open(message, key: key, context: context)
            defer { wipe(&plaintext) }
            try Self.checkPayload(plaintext)
            return VaultKey(
                SecretBytes(copying: plaintext.span.extracting(0..<VaultKey.length)), vault: vault)
        } catch SealError.notForThisPlace {
            throw .wrongSecret
        } catch {
            throw .damaged
        }
    }

    /// Checks that the payload is key, time and label with nothing behind them (docs/format.md §4).
    ///
    /// This is a function of its own because a reader that lived on would hold the array, and `wipe` would then wipe a
    /// copy.
    private static func checkPayload(_ plaintext: [UInt8]) throws(FormatError) {
        var reader = ByteReader(plaintext)
        _ = try reader.skip(VaultKey.length)
        _ = try reader.svarint()
        _ = try reader.lengthAndRange()
        try reader.expectEnd()
    }

    /// True if a holder of the vault key made a slot with this name and header; the bytes behind the header are not
    /// proved.
    ///
    /// False also for slots of early writers, whose salts are random.
    package func isMade(with key: VaultKey) -> Bool {
        Self.salt(key, name: name, header: Array(header.dropLast(Self.saltLength))) == salt
    }

    /// The salt that only a holder of the vault key can compute for a slot of this name (docs/format.md §9).
    private static func salt(_ key: VaultKey, name: [UInt8], header: [UInt8]) -> [UInt8] {
        HKDF.expand(key.slots, info: Array("salt\0".utf8) + header + name, count: saltLength).withBytes { $0.array }
    }

    /// A keyed hash of 32 bytes by which a device recognises a slot; without the vault key it reveals nothing.
    package static func mark(of bytes: [UInt8], name: [UInt8], _ key: VaultKey) -> [UInt8] {
        var info = ByteWriter()
        info.raw("known\0".utf8)
        info.lengthAndBytes(name)
        info.raw(bytes)
        return HKDF.expand(key.slots, info: info.bytes, count: 32).withBytes { $0.array }
    }

    /// Makes the bytes of a new slot; runs the key derivation. `label` is for people. Throws `.noMemory` only.
    package static func seal(
        _ key: VaultKey, for secret: Secret, name: [UInt8], label: String, at time: Timestamp,
        derivation: KeyDerivation = .standard
    ) throws(KeySlotError) -> [UInt8] {
        var header = ByteWriter()
        header.raw(magic)
        header.id(key.vault)
        header.u8(secret.kind.rawValue)
        header.u8(1)
        header.u16(0)
        header.u32(derivation.passes)
        header.u64(derivation.memory)
        header.u32(1)
        let salt = salt(key, name: name, header: header.bytes)
        header.raw(salt)
        let slotKey: SecretBytes
        do {
            slotKey = try Argon2id.derive(
                secret.bytes, salt: salt, passes: derivation.passes, memory: derivation.memory)
        } catch {
            throw .noMemory(derivation.memory)
        }
        // Reserve room for all of it: an array that grows leaves copies of the key behind.
        var payload = ByteWriter(capacity: VaultKey.length + label.utf8.count + 20)
        key.secret.withBytes { key in for i in 0..<key.count { payload.u8(key[i]) } }
        payload.svarint(time.milliseconds)
        payload.lengthAndBytes(label.utf8)
        let context = SealContext(vault: key.vault, kind: .slot, name: name, extra: header.bytes)
        defer { wipe(&payload.bytes) }
        return header.bytes + Message.seal(payload.bytes, key: slotKey, context: context)
    }
}
