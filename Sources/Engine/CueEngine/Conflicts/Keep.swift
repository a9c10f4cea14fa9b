package import CueBase
import CueLibrary
import CueVault

/// A person's answer to a conflict.
package enum Keep: Equatable, Sendable {
    /// This device's version, the only other one, or all of them side by side.
    case this, other, both
    /// The side that has this head.
    case version(VersionID)
}
