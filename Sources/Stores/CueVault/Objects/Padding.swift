import CueCrypto

/// The zeros that hide the exact length of an object.
enum Padding {
    /// The sealed size of an object of records is a multiple of this, in bytes.
    static let ofRecords = 1024
    /// The same for a pack.
    static let ofPacks = 4096

    /// The number of zeros after `count` bytes of plaintext that bring the sealed size to a multiple of `multiple`.
    static func zeros(after count: Int, multiple: Int) -> Int {
        var size = (SealedObject.size(count) + multiple - 1) / multiple * multiple
        // Some sizes are those of no message, as the last chunk would be shorter than its tag (docs/format.md §3). Take
        // the next multiple then.
        while true {
            if let plain = SealedObject.plainSize(size), plain >= count { return plain - count }
            size += multiple
        }
    }
}
