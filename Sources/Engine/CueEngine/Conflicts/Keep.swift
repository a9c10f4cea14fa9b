package import CueBase
import CueLibrary
import CueVault

/// How a person answers a conflict.
package enum Keep: Equatable, Sendable {
    case this, other, both
    /// One of several, by its version.
    case version(VersionID)
}
