import CueCrypto

/// The zeros that hide the exact length of an object (docs/decisions/0020-sizes.md).
enum Padding {
    /// The size in bytes of every pack that is full.
    static let fullPack = 32 << 20

    /// The number of zeros after `count` bytes of plaintext of an object of records: its sealed size is a multiple of
    /// 1,024 up to 16 KiB, and beyond that has few significant bits (Padmé: Nikitin et al., "Reducing Metadata Leakage
    /// from Encrypted Files and Communication with PURBs", PETS 2019, section 4.2).
    static func ofRecords(after count: Int) -> Int {
        zeros(after: count) { size in
            guard size > 16 << 10 else { return 1024 }
            let exponent = size.bitWidth - 1 - size.leadingZeroBitCount
            let significant = exponent.bitWidth - exponent.leadingZeroBitCount
            return max(1024, 1 << (exponent - significant))
        }
    }

    /// The same for a pack that is not full. `before`: the bytes of the other packs of the same backup so far.
    ///
    /// The sizes of all packs of a backup together are one of eight in each doubling, and never nearer to the next than
    /// 4 KiB nor farther than 4 MiB.
    static func ofPack(after count: Int, before: Int) -> Int {
        zeros(after: count) { size in
            let total = size + before
            let exponent = total.bitWidth - 1 - total.leadingZeroBitCount
            return min(4 << 20, max(4096, 1 << (exponent - 3)))
        }
    }

    /// The zeros of a full pack with `count` bytes of plaintext; nil if they are too many for one.
    static func ofFullPack(after count: Int) -> Int? {
        guard let plain = SealedObject.plainSize(fullPack), plain >= count else { return nil }
        return plain - count
    }

    /// The number of zeros that bring the sealed size of `count` bytes to a multiple of `step(size)`.
    private static func zeros(after count: Int, step: (Int) -> Int) -> Int {
        var size = SealedObject.size(count)
        // Some sizes are those of no message, as the last chunk would be shorter than its tag (docs/format.md §3). Take
        // the next multiple then.
        while true {
            let step = step(size)
            size = (size + step - 1) / step * step
            if let plain = SealedObject.plainSize(size), plain >= count { return plain - count }
            size += 1
        }
    }
}
