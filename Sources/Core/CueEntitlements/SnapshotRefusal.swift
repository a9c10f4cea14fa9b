package import CueBase

/// Why a snapshot, or a key file, is not taken.
package enum SnapshotRefusal: Error, Equatable, Sendable {
    /// Not of the form of docs/entitlements.md; says what is wrong with it.
    case malformed(String)
    /// A file of a key, and not of the kind that was asked for.
    case otherKind(String)
    case newerFormat(Int64)
    /// Signed with a key that this device does not trust.
    case unknownKey(KeyID)
    case wrongSignature
    case otherDevice(DeviceID)
    case otherAccount(String)
    /// Issued before one that was accepted before.
    case older(than: Timestamp)
    case fromTheFuture(Timestamp)
    /// Its time and its grace were over at that moment.
    case over(since: Timestamp)
}
