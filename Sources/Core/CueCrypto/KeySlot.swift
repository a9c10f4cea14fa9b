package import CueBase
package import CueSodium

/// How much work one guess of a passphrase costs (docs/format.md §4).
package struct KeyDerivation: Sendable, Equatable {
    package let passes: UInt32
    /// In bytes, a multiple of 1,024.
    package let memory: UInt64

    package static let standard = KeyDerivation(passes: 3, memory: 256 << 20)
    /// The least that is accepted: what a hostile vault could lower it to.
    package static let floor = KeyDerivation(passes: 3, memory: 64 << 20)
    /// The most that is accepted: what a hostile vault could make this device try.
    package static let ceiling = KeyDerivation(passes: 16, memory: 2 << 30)

    package init(passes: UInt32, memory: UInt64) { (self.passes, self.memory) = (passes, memory) }

    /// What one guess costs, for comparing: passes times bytes.
    package var work: UInt64 { UInt64(passes) &* memory }

    package var isAllowed: Bool {
        (Self.floor.passes...Self.ceiling.passes).contains(passes)
            && (Self.floor.memory...Self.ceiling.memory).contains(memory) && memory % 1024 == 0
    }
}

/// What a person gives to open a vault.
package enum Secret: Sendable {
    case passphrase(SecretBytes)
    case recoveryCode(RecoveryCode)

    /// A recovery code if the text spells one with a right check, else a passphrase.
    package init(_ text: [UInt8]) {
        if let code = RecoveryCode(text) {
            self = .recoveryCode(code)
        } else {
            self = .passphrase(SecretBytes(copying: text.span))
        }
    }

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

/// Why a key slot does not give the vault key.
public enum KeySlotError: Error, Sendable, Equatable {
    /// Not 60 bytes of header that this version knows, or of another vault.
    case invalid(String)
    /// Argon2id parameters outside floor and ceiling: nothing was tried.
    case derivationNotAllowed(passes: UInt32, memory: UInt64)
    case wrongSecret
    case damaged
    case noMemory(UInt64)
}

/// One way to the vault key: a passphrase or a recovery code (docs/format.md §4).
package struct KeySlot: Sendable {
    package enum Kind: UInt8, Sendable { case passphrase = 1, recoveryCode }

    package let kind: Kind
    package let derivation: KeyDerivation
    private let salt: [UInt8]
    private let name: [UInt8]
    private let header: [UInt8]
    private let message: [UInt8]
    private let context: SealContext

    private static let magic = Array("cueslot1".utf8)
    private static let headerLength = 60
    private static let saltLength = 16
    /// The sizes that a slot can have: a key at the least.
    package static let sizes = headerLength + Cobblestone.sealedSize(VaultKey.length)...4096

    /// Reads and checks the header; does no work yet.
    package init(_ bytes: [UInt8], name: [UInt8], vault: VaultID) throws(KeySlotError) {
        guard Self.sizes.contains(bytes.count), bytes.starts(with: Self.magic) else {
            throw .invalid("it is no key slot of this format")
        }
        do {
            var reader = ByteReader(bytes, 8..<Self.headerLength)
            guard try reader.id16() == vault else { throw KeySlotError.invalid("it belongs to another vault") }
            guard let kind = Kind(rawValue: try reader.u8()), try reader.u8() == 1, try reader.u16() == 0 else {
                throw KeySlotError.invalid("it is of a kind that this version does not know")
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
            throw .invalid("it is cut short")
        }
        self.name = name
        header = Array(bytes[..<Self.headerLength])
        message = Array(bytes[Self.headerLength...])
        context = SealContext(vault: vault, kind: .slot, name: name, extra: header)
    }

    /// Runs the key derivation and opens the slot.
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

    /// Key, time and label, and nothing behind them (docs/format.md §4).
    ///
    /// A function of its own: a reader that lived on would hold the array, and `wipe` would then wipe a copy.
    private static func checkPayload(_ plaintext: [UInt8]) throws(FormatError) {
        var reader = ByteReader(plaintext)
        _ = try reader.skip(VaultKey.length)
        _ = try reader.svarint()
        _ = try reader.lengthAndRange()
        try reader.expectEnd()
    }

    /// Whether a holder of the vault key made a slot with this name and header; of what follows it, this says nothing.
    ///
    /// False also for a slot of before salts were made so.
    package func isMade(with key: VaultKey) -> Bool {
        Self.salt(key, name: name, header: Array(header.dropLast(Self.saltLength))) == salt
    }

    /// A salt that only a holder of the vault key can give to a slot of this name (docs/format.md §9).
    private static func salt(_ key: VaultKey, name: [UInt8], header: [UInt8]) -> [UInt8] {
        HKDF.expand(key.slots, info: Array("salt\0".utf8) + header + name, count: saltLength).withBytes { $0.array }
    }

    /// A hash by which a device knows a slot again, and which says nothing to others.
    package static func mark(of bytes: [UInt8], name: [UInt8], _ key: VaultKey) -> [UInt8] {
        var info = ByteWriter()
        info.raw("known\0".utf8)
        info.lengthAndBytes(name)
        info.raw(bytes)
        return HKDF.expand(key.slots, info: info.bytes, count: 32).withBytes { $0.array }
    }

    /// Writes a new slot; runs the key derivation.
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
        // Room for all of it at once: what grows leaves copies behind.
        var payload = ByteWriter(capacity: VaultKey.length + label.utf8.count + 20)
        key.secret.withBytes { key in for i in 0..<key.count { payload.u8(key[i]) } }
        payload.svarint(time.milliseconds)
        payload.lengthAndBytes(label.utf8)
        let context = SealContext(vault: key.vault, kind: .slot, name: name, extra: header.bytes)
        defer { wipe(&payload.bytes) }
        return header.bytes + Message.seal(payload.bytes, key: slotKey, context: context)
    }
}
