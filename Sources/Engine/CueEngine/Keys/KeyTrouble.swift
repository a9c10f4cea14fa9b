package import CueCrypto

/// A problem of one key slot.
package struct KeyTrouble: Sendable, Hashable, Codable {
    /// The kinds of problems.
    package enum What: Sendable, Hashable, Codable {
        /// Its bytes are not those that the newest epochs say.
        case changed
        /// The vault does not have it any more, and nothing took its place.
        case missing
        /// It exists again, though it was removed.
        case returned
        /// No slot of this format, and unknown to this device; with the reason.
        case unusable(KeySlotError)
        /// The store does not list the slots.
        case unlisted
        /// An epoch that does not count, with the reason.
        case epoch(EpochFlaw)
        /// So many epochs, whose keys are known, are not there.
        case epochsMissing(Int)
    }

    /// Its name in the vault, or `keys/` for all of them.
    package let slot: String
    /// The kind of problem.
    package let what: What
    /// Whether this device has put it right.
    package var isMended = false
}
