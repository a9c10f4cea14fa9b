public import CueBase
package import CueStorage

/// The reasons why a vault, or a part of it, cannot be used.
public enum VaultError: Error, Sendable, Hashable, Codable {
    /// The folder holds no `vault.json`.
    case notAVault
    /// Other files are where a new vault should be.
    case notEmpty
    /// The vault has this format, which is newer than `Vault.format`.
    case newerFormat(Int)
    /// The vault has this format, which no released cue wrote.
    case olderFormat(Int)
    /// The keys were changed, and neither what this device remembers nor a secret opens the newest: this epoch is not
    /// for the slot that was used.
    case shutOut(epoch: String)
    /// No more epochs, slots or removed slots fit (docs/format.md §10).
    case tooManyKeys
    /// A part does not hold what its name and its seal promise.
    case damaged(VaultPart, VaultDamage)
    /// A part that others name is not there.
    case missing(VaultPart)
    /// A pack is shorter than the commits name it, in bytes: cut, or still arriving.
    case cut(VaultPart, size: Int, wanted: Int)
    /// There is no key slot that this program can use.
    case noKeySlot
    /// The secret opens none of the slots.
    case wrongSecret
    /// The only slots ask for more or less work than is allowed (memory in bytes). None was tried.
    case derivationNotAllowed(passes: UInt32, memory: UInt64)
    /// No slot that could be tried opens, and this one asks for more memory (in bytes) than there is.
    case noMemoryForKey(slot: String, memory: UInt64)
    /// No slot that was tried opens, and so many were left out because trying all would take too long.
    case tooManySlots(Int)
    /// The vault lacks so many commits that this device has seen in it.
    case wentBack(missing: Int)
    /// The vault lacks the epoch that this device knew as its newest, and so many others that it knew.
    case keysWentBack(missing: Int)
    /// This device was shut out: the device of this name wrote the record, at this time.
    case deviceShutOut(by: String, at: Timestamp)
    /// No snapshot has an id that begins with these digits.
    case unknownSnapshot(String)
    /// Several snapshots have an id that begins with these digits.
    case ambiguousSnapshot(String)
}

extension VaultError {
    /// True if it is about this object.
    package func isAbout(_ name: ObjectName) -> Bool {
        switch self {
        case .damaged(let part, _), .missing(let part), .cut(let part, _, _): part == .object(name.text)
        default: false
        }
    }

    /// The damage of two commits with one id, reported for the first of them.
    static func twins(_ name: ObjectName, _ other: ObjectName) -> VaultError {
        .damaged(.object(name.text), .twin(of: other.text))
    }
}
