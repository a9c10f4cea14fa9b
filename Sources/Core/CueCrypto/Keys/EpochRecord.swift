package import CueBase
import CueSodium

/// The reasons why an epoch does not count (docs/format.md §4).
public enum EpochFlaw: String, Error, Hashable, Sendable, Codable, CaseIterable {
    /// The size, the first bytes, the vault or the number are not those of an epoch of this name.
    case notAnEpoch
    /// Its key is not known here, and it is not sealed to the slot that opened this vault.
    case notForThisSlot
    /// What is sealed to the slot is not the key of this name.
    case otherKey
    /// Its message does not open.
    case damaged
    /// It names a key or a slot twice, its own key among those before it, or other slots than it is sealed to.
    case impossible
    /// It holds no key that is known to be of this vault.
    case foreign
    /// The store does not give the bytes.
    case unreadable
}

/// A key slot as an epoch lists it.
package struct ListedSlot: Sendable, Equatable {
    /// The slot's id.
    package let id: SlotID
    /// The half to which epochs are sealed.
    package let publicKey: [UInt8]
    /// `KeySlot.Kind` as a number; one of a later version is kept.
    package let kind: UInt8
    /// The BLAKE2b-256 of the slot's bytes.
    package let digest: [UInt8]
    /// When the slot was made.
    package let made: Timestamp
    /// For people; it may hold any bytes.
    package let label: String

    /// Memberwise.
    package init(
        id: SlotID, publicKey: [UInt8], kind: UInt8, digest: [UInt8], made: Timestamp, label: String
    ) {
        (self.id, self.publicKey, self.kind, self.digest) = (id, publicKey, kind, digest)
        (self.made, self.label) = (made, label)
    }
}

/// The content of an epoch's object.
package struct EpochRecord: Sendable {
    /// Which change of the keys it is, from 1.
    package let number: UInt32
    /// The epoch's own key.
    package let key: EpochKey
    /// When it was made.
    package let made: Timestamp
    /// The keys of the epochs before it, that of the first epoch first.
    package let earlier: [EpochKey]
    /// The slots that it is sealed to.
    package let slots: [ListedSlot]
    /// The slots that were ever removed.
    package let removed: [SlotID]

    /// The most slots that an epoch lists (docs/format.md §10).
    package static let slots = 256
    /// The most slots that were ever removed.
    package static let removed = 4096
    /// The most bytes of an epoch's object.
    package static let size = 256 << 10

    /// Memberwise.
    package init(
        number: UInt32, key: EpochKey, made: Timestamp, earlier: [EpochKey], slots: [ListedSlot], removed: [SlotID]
    ) {
        (self.number, self.key, self.made, self.earlier) = (number, key, made, earlier)
        (self.slots, self.removed) = (slots, removed)
    }

    /// True if it holds the key of this epoch: it came after it.
    package func isAfter(_ epoch: EpochID) -> Bool { earlier.contains { $0.id == epoch } }

    /// The whole name of the object.
    package var name: [UInt8] { Self.name(number, key.id) }

    private static func name(_ number: UInt32, _ id: EpochID) -> [UInt8] {
        let digits = String(number)
        return Array("epochs/\(String(repeating: "0", count: 10 - digits.count))\(digits)-\(id)".utf8)
    }

    /// The number and the epoch that a name of an object says; nil for any other name.
    package static func place(of name: String) -> (number: UInt32, id: EpochID)? {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == "epochs", parts[1].utf8.count == 27,
            parts[1].utf8.prefix(10).allSatisfy({ (0x30...0x39).contains($0) }),
            let number = UInt32(parts[1].prefix(10)), number > 0,
            parts[1].dropFirst(10).first == "-", let id = CommitID(parts[1].dropFirst(11))
        else { return nil }
        return (number, EpochID(id.value))
    }

    /// The bytes of the object: the key sealed to each slot, then everything else under the key. Nil if a slot's public
    /// key is none.
    package func sealed(for vault: VaultID) -> [UInt8]? {
        var header = ByteWriter()
        header.raw(SealedEpoch.magic)
        header.id(vault)
        header.u32(number)
        header.u16(UInt16(slots.count))
        for slot in slots {
            guard let box = SealedBox.seal(key.secret, to: slot.publicKey) else { return nil }
            header.raw(EpochID(slot.id.value).bytes)
            header.raw(box)
        }
        // Reserve room for all of it: an array that grows leaves copies of the keys behind.
        var payload = ByteWriter(capacity: Self.size)
        defer { wipe(&payload.bytes) }
        payload.svarint(made.milliseconds)
        payload.varint(earlier.count)
        for key in earlier { key.secret.withBytes { key in for i in 0..<key.count { payload.u8(key[i]) } } }
        payload.varint(slots.count)
        for slot in slots {
            payload.raw(EpochID(slot.id.value).bytes)
            payload.raw(slot.publicKey)
            payload.u8(slot.kind)
            payload.raw(slot.digest)
            payload.svarint(slot.made.milliseconds)
            payload.lengthAndBytes(KeySlot.label(slot.label).utf8)
        }
        payload.varint(removed.count)
        for id in removed { payload.raw(EpochID(id.value).bytes) }
        let context = SealContext(vault: vault, kind: .epoch, name: name, extra: header.bytes)
        return header.bytes + Message.seal(payload.bytes, key: key.epochs, context: context)
    }
}

/// An epoch's object whose header was read, and whose key is still to be found.
package struct SealedEpoch: Sendable {
    fileprivate static let magic = Array("cueepoch".utf8)
    private static let boxLength = EpochKey.length + SealedBox.overhead
    private static let headerLength = 30

    /// The epoch's id, from its name.
    package let id: EpochID
    private let number: UInt32
    private let vault: VaultID
    private let boxes: [(slot: SlotID, box: [UInt8])]
    private let message: [UInt8]
    private let context: SealContext

    /// Reads the header. `name` is the whole name of the object. Throws `.notAnEpoch`.
    package init(_ bytes: [UInt8], name: String, vault: VaultID) throws(EpochFlaw) {
        guard bytes.count <= EpochRecord.size, let place = EpochRecord.place(of: name) else { throw .notAnEpoch }
        do {
            var reader = ByteReader(bytes)
            guard try reader.raw(8) == Self.magic, try reader.id16() == vault, try reader.u32() == place.number else {
                throw EpochFlaw.notAnEpoch
            }
            let count = Int(try reader.u16())
            guard count <= EpochRecord.slots else { throw EpochFlaw.notAnEpoch }
            boxes = try (0..<count).map { _ in
                (SlotID(try reader.commitID().value), try reader.raw(Self.boxLength))
            }
            message = Array(bytes[reader.position...])
            context = SealContext(
                vault: vault, kind: .epoch, name: Array(name.utf8), extra: Array(bytes[..<reader.position]))
        } catch {
            throw .notAnEpoch
        }
        (id, number, self.vault) = (place.id, place.number, vault)
    }

    /// Opens what is sealed to a slot. Throws `.notForThisSlot` or `.otherKey`.
    package func key(for slot: SlotSecret?) throws(EpochFlaw) -> EpochKey {
        guard let slot, let box = boxes.first(where: { $0.slot == slot.id })?.box else { throw .notForThisSlot }
        guard let secret = slot.pair.open(box) else { throw .otherKey }
        let key = EpochKey(secret, vault: vault)
        guard key.id == id else { throw .otherKey }
        return key
    }

    /// Opens the message with the epoch's own key. Throws `.otherKey`, `.damaged` or `.impossible`. Whether it counts is
    /// another question: `EpochRecord.counts`.
    package func open(with key: EpochKey) throws(EpochFlaw) -> EpochRecord {
        guard key.id == id else { throw .otherKey }
        var plaintext: [UInt8]
        do { plaintext = try Message.open(message, key: key.epochs, context: context) } catch { throw .damaged }
        defer { wipe(&plaintext) }
        let record: EpochRecord
        do { record = try read(plaintext, key) } catch { throw .impossible }
        let keys = Set(record.earlier.map(\.id) + [key.id])
        guard keys.count == record.earlier.count + 1, record.earlier.isEmpty == (number == 1),
            Set(record.slots.map(\.id)).count == record.slots.count, record.slots.map(\.id) == boxes.map(\.slot)
        else { throw .impossible }
        return record
    }

    /// A function of its own, as `KeySlot` has one: a reader that lived on would hold the array.
    private func read(_ plaintext: [UInt8], _ key: EpochKey) throws(FormatError) -> EpochRecord {
        var reader = ByteReader(plaintext)
        func time() throws(FormatError) -> Timestamp {
            let time = try reader.svarint()
            guard Timestamp.years.contains(time) else { throw .invalid(.impossibleTime) }
            return Timestamp(milliseconds: time)
        }
        let made = try time()
        var (earlier, slots, removed): ([EpochKey], [ListedSlot], [SlotID]) = ([], [], [])
        for _ in 0..<(try reader.count(upTo: KeyRing.epochs - 1)) {
            let range = try reader.skip(EpochKey.length)
            earlier.append(EpochKey(SecretBytes(copying: plaintext.span.extracting(range)), vault: vault))
        }
        for _ in 0..<(try reader.count(upTo: EpochRecord.slots)) {
            slots.append(
                ListedSlot(
                    id: SlotID(try reader.commitID().value), publicKey: try reader.raw(SealedBox.length),
                    kind: try reader.u8(), digest: try reader.raw(32), made: try time(),
                    label: String(
                        decoding: try reader.lengthAndBytes(upTo: KeySlot.labelLength), as: UTF8.self)))
        }
        for _ in 0..<(try reader.count(upTo: EpochRecord.removed)) {
            removed.append(SlotID(try reader.commitID().value))
        }
        try reader.expectEnd()
        return EpochRecord(
            number: number, key: key, made: made, earlier: earlier, slots: slots, removed: removed)
    }
}

extension EpochRecord {
    /// True if it is of the vault whose keys these are: it holds the first one, and one that is trusted.
    package func counts(with trusted: VaultKey) -> Bool {
        (earlier.first ?? key).id == trusted.first.id
            && (earlier + [key]).contains { trusted[$0.id]?.secret == $0.secret }
    }
}
