package import CueBase

/// The ability of a store to keep objects for a time in which no account can remove them, not even the owner's.
package protocol ObjectLocking: Sendable {
    /// The days for which a new object is locked. Objects below `tmp/` are not.
    var days: Int { get }

    /// The time until which an object is locked; nil if it is not, or if the store does not say. Throws `.notFound`.
    func lockedUntil(_ name: ObjectName) throws(StorageError) -> Timestamp?

    /// Locks an object until a time. One that is locked for longer stays so. Throws `.notFound`, and
    /// `.service(.noLock)` where nothing can be locked.
    func lock(_ name: ObjectName, until time: Timestamp) throws(StorageError)
}
