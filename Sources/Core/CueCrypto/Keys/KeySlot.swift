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

/// The reasons why a key slot does not give its keys.
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

/// The half of a slot that opens what is sealed to it, with the slot's id: what a device keeps of the slot that it used.
package struct SlotSecret: Sendable {
    /// The slot's id.
    package let id: SlotID
    /// The pair, in guarded memory.
    package let pair: SealedBox

    /// Memberwise.
    package init(id: SlotID, pair: SealedBox) { (self.id, self.pair) = (id, pair) }
}

/// An X25519 pair whose secret half a passphrase or a recovery code opens (docs/format.md §4).
package struct KeySlot: Sendable {
    /// The secret that opens a slot; the byte at offset 24.
    package enum Kind: UInt8, Sendable { case passphrase = 1, recoveryCode }

    /// The content of a slot that was opened.
    package struct Opened: Sendable {
        /// The slot's own secret.
        package let slot: SlotSecret
        /// The first epoch, and the one that the slot came with, which is the current one.
        package let key: VaultKey
        /// When the slot was made.
        package let made: Timestamp
        /// For people; it may hold any bytes.
        package let label: String
    }

    /// The slot's id, from its name.
    package let id: SlotID
    /// The secret that opens this slot.
    package let kind: Kind
    /// The work that opening this slot takes.
    package let derivation: KeyDerivation
    /// The half to which epochs are sealed. Only the newest epochs prove that it is the slot's.
    package let publicKey: [UInt8]
    private let salt: [UInt8]
    private let message: [UInt8]
    private let vault: VaultID
    private let context: SealContext

    private static let magic = Array("cueslot2".utf8)
    private static let headerLength = 60 + SealedBox.length
    private static let saltLength = 16
    /// The bytes of the three keys at the front of the payload.
    private static let keysLength = SealedBox.length + 2 * EpochKey.length
    /// The most bytes of a label.
    package static let labelLength = 255
    /// The sizes in bytes that a slot may have; the least has an empty label.
    package static let sizes = headerLength + Cobblestone.sealedSize(keysLength + 2)...4096

    /// Reads and checks the header; derives nothing yet. `name` is the whole object name. Throws `.invalid` or
    /// `.derivationNotAllowed`.
    package init(_ bytes: [UInt8], name: [UInt8], vault: VaultID) throws(KeySlotError) {
        guard Self.sizes.contains(bytes.count), bytes.starts(with: Self.magic), let id = SlotID(name: name) else {
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
            (self.id, self.kind, self.derivation, self.vault) = (id, kind, derivation, vault)
            salt = try reader.raw(Self.saltLength)
            publicKey = try reader.raw(SealedBox.length)
        } catch let error as KeySlotError {
            throw error
        } catch {
            throw .invalid(.cutShort)
        }
        message = Array(bytes[Self.headerLength...])
        context = SealContext(
            vault: vault, kind: .slot, name: name, extra: Array(bytes[..<Self.headerLength]))
    }

    /// Runs the key derivation and opens the slot. Throws `.wrongSecret`, `.damaged` (also for a public half that is not
    /// that of the secret one) or `.noMemory`.
    package func open(with secret: Secret) throws(KeySlotError) -> Opened {
        let key: SecretBytes
        do {
            key = try Argon2id.derive(secret.bytes, salt: salt, passes: derivation.passes, memory: derivation.memory)
        } catch {
            throw .noMemory(derivation.memory)
        }
        let opened: Opened
        do {
            var plaintext = try Message.open(message, key: key, context: context)
            defer { wipe(&plaintext) }
            opened = try content(of: plaintext)
        } catch SealError.notForThisPlace {
            throw .wrongSecret
        } catch {
            throw .damaged
        }
        guard opened.slot.pair.publicKey == publicKey else { throw .damaged }
        return opened
    }

    /// Reads the payload: three keys, time and label with nothing behind them (docs/format.md §4).
    ///
    /// This is a function of its own because a reader that lived on would hold the array, and `wipe` would then wipe a
    /// copy.
    private func content(of plaintext: [UInt8]) throws(FormatError) -> Opened {
        var reader = ByteReader(plaintext)
        let keys = try reader.skip(Self.keysLength)
        let made = Timestamp(milliseconds: try reader.svarint()).inYears
        let label = String(decoding: try reader.lengthAndBytes(upTo: Self.labelLength), as: UTF8.self)
        try reader.expectEnd()
        func key(_ number: Int) -> SecretBytes {
            SecretBytes(copying: plaintext.span.extracting(keys).extracting(number * 32..<(number + 1) * 32))
        }
        let pair = SealedBox(secret: key(0))
        let (first, own) = (EpochKey(key(1), vault: vault), EpochKey(key(2), vault: vault))
        return Opened(
            slot: SlotSecret(id: id, pair: pair),
            key: VaultKey(first: first, vault: vault).adding([own], current: own.id), made: made, label: label)
    }

    /// Makes the bytes of a new slot, which comes with the current epoch of `key`; runs the key derivation. `label` is
    /// for people; what is longer than `labelLength` bytes is cut. Throws `.noMemory` only.
    package static func seal(
        _ key: VaultKey, _ slot: SlotSecret, for secret: Secret, label: String, at time: Timestamp,
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
        let salt = Sodium.random(saltLength)
        header.raw(salt)
        header.raw(slot.pair.publicKey)
        let slotKey: SecretBytes
        do {
            slotKey = try Argon2id.derive(
                secret.bytes, salt: salt, passes: derivation.passes, memory: derivation.memory)
        } catch {
            throw .noMemory(derivation.memory)
        }
        // Reserve room for all of it: an array that grows leaves copies of the keys behind.
        var payload = ByteWriter(capacity: keysLength + labelLength + 20)
        for key in [slot.pair.secret, key.first.secret, key.current.secret] {
            key.withBytes { key in for i in 0..<key.count { payload.u8(key[i]) } }
        }
        payload.svarint(time.milliseconds)
        payload.lengthAndBytes(self.label(label).utf8)
        let context = SealContext(vault: key.vault, kind: .slot, name: slot.id.name, extra: header.bytes)
        defer { wipe(&payload.bytes) }
        return header.bytes + Message.seal(payload.bytes, key: slotKey, context: context)
    }

    /// A label as it is stored: at most `labelLength` bytes, and whole characters.
    package static func label(_ text: String) -> String {
        var label = text
        while label.utf8.count > labelLength { label.removeLast() }
        return label
    }
}
