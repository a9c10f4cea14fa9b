import CueStorage

/// What can be wrong with a vault.
public enum VaultError: Error, Sendable, Hashable, Codable {
    /// The folder holds no `vault.json`.
    case notAVault
    /// Other files are where a new vault should be.
    case notEmpty
    case newerFormat(Int)
    /// A part does not hold what its name and seal promise.
    case damaged(VaultPart, VaultDamage)
    /// A part that others name is not there.
    case missing(VaultPart)
    /// A pack is shorter than the commits say: cut, or still arriving.
    case cut(VaultPart, size: Int, wanted: Int)
    /// No key slot that this program can use.
    case noKeySlot
    case wrongSecret
    /// The only slots that fit ask for more or less work than is allowed; nothing was tried.
    case derivationNotAllowed(passes: UInt32, memory: UInt64)
    /// No slot that could be tried opened, and this one asks for more memory than there is.
    case noMemoryForKey(slot: String, memory: UInt64)
    /// No slot that was tried opened, and so many were left out: trying all would take too long.
    case tooManySlots(Int)
    /// The vault has less than this device has seen in it.
    case wentBack(missing: Int)
    case unknownSnapshot(String)
    case ambiguousSnapshot(String)
}

extension VaultError {
    /// Two commits of one id.
    static func twins(_ name: ObjectName, _ other: ObjectName) -> VaultError {
        .damaged(.object(name.text), .twin(of: other.text))
    }
}
