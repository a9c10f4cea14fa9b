package import CueBase
package import CueSodium

/// What opens a vault here: the keys of its epochs, and the slot through which newer ones come. A device that remembers
/// the key of a vault keeps this.
package struct KeyRing: Sendable {
    /// The keys of all known epochs. The current one is that which this ring writes with.
    package var key: VaultKey
    /// The slot that was opened; nil for keys that came without one, which then learn no new epoch.
    package var slot: SlotSecret?
    /// Epochs that came later, and that no secret of this person opened: they are named, and asked about once.
    package var passedOver: Set<EpochID> = []

    /// A ring that has passed over no epoch.
    package init(key: VaultKey, slot: SlotSecret?) { (self.key, self.slot) = (key, slot) }

    /// The most epochs of a vault, and so the most keys of a ring (docs/format.md §10).
    package static let epochs = 1024
    private static let magic = Array("cuering1".utf8)
    /// The most bytes of `encoded`.
    package static let size = 8 + 8 + SealedBox.length + 8 + 2 + 8 * epochs + 2 + EpochKey.length * epochs

    /// The ring as a device stores it: magic, slot id, the slot's secret (zeros for none), the current epoch's id, the
    /// epochs passed over, and all keys with the first one first.
    package func encoded() -> SecretBytes {
        let (keys, passed) = (key.all.prefix(Self.epochs), passedOver.sorted().prefix(Self.epochs))
        // Reserve room for all of it: an array that grows leaves copies of the keys behind.
        var writer = ByteWriter(capacity: Self.size)
        defer { wipe(&writer.bytes) }
        func append(_ secret: SecretBytes) {
            secret.withBytes { bytes in for i in 0..<bytes.count { writer.u8(bytes[i]) } }
        }
        writer.raw(Self.magic)
        writer.raw(EpochID(slot?.id.value ?? 0).bytes)
        if let slot { append(slot.pair.secret) } else { writer.raw([UInt8](repeating: 0, count: SealedBox.length)) }
        writer.raw(key.current.id.bytes)
        writer.u16(UInt16(passed.count))
        for id in passed { writer.raw(id.bytes) }
        writer.u16(UInt16(keys.count))
        for key in keys { append(key.secret) }
        return SecretBytes(copying: writer.bytes.span)
    }

    /// Reads what `encoded` made; nil for anything else.
    package init?(_ stored: SecretBytes, vault: VaultID) {
        var bytes = stored.withBytes { $0.array }
        defer { wipe(&bytes) }
        guard let ring = try? Self.read(bytes, vault) else { return nil }
        self = ring
    }

    /// A function of its own, as `KeySlot` has one: a reader that lived on would hold the array.
    private static func read(_ bytes: [UInt8], _ vault: VaultID) throws -> KeyRing? {
        guard bytes.starts(with: magic) else { return nil }
        var reader = ByteReader(bytes, magic.count..<bytes.count)
        func secret(_ range: Range<Int>) -> SecretBytes { SecretBytes(copying: bytes.span.extracting(range)) }
        let slot = try reader.commitID().value
        let pair = try reader.skip(SealedBox.length)
        let current = EpochID(try reader.commitID().value)
        let passed = try (0..<reader.u16()).map { _ in EpochID(try reader.commitID().value) }
        let count = Int(try reader.u16())
        guard (1...epochs).contains(count) else { return nil }
        let keys = try (0..<count).map { _ in EpochKey(secret(try reader.skip(EpochKey.length)), vault: vault) }
        try reader.expectEnd()
        let key = VaultKey(first: keys[0], vault: vault).adding(keys, current: current)
        guard key.current.id == current else { return nil }
        var ring = KeyRing(
            key: key, slot: slot == 0 ? nil : SlotSecret(id: SlotID(slot), pair: SealedBox(secret: secret(pair))))
        ring.passedOver = Set(passed)
        return ring
    }
}
