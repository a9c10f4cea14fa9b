package import CueBase

/// The reasons why a snapshot or a key file is not accepted.
package enum SnapshotRefusal: Error, Equatable, Sendable {
    /// It breaks the form of docs/entitlements.md.
    case malformed(PlanFlaw)
    /// A key file that is not of this kind, which was asked for.
    case otherKind(String)
    /// Its format number, which this version does not read.
    case newerFormat(Int64)
    /// Signed with a key that this device does not trust.
    case unknownKey(KeyID)
    /// The signature does not fit the content and the key.
    case wrongSignature
    /// Issued for this other device.
    case otherDevice(DeviceID)
    /// Issued for this other account.
    case otherAccount(String)
    /// Issued before this time, at which an accepted one was issued.
    case older(than: Timestamp)
    /// Issued at this time, more than `EntitlementsState.skew` ahead of the time that counts.
    case fromTheFuture(Timestamp)
    /// Its time and its grace were over at this time.
    case over(since: Timestamp)
}
