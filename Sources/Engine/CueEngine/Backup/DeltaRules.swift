import CueBase
import CueLibrary
import CueSystem
import CueVault
import Synchronization

/// The limits of versions that are written as the difference to their parent.
enum DeltaRules {
    /// The most differences in a row before a whole list is written again. A reader has to apply all of them.
    static let depth: UInt8 = 24
    /// The depth of a version behind which the number of differences is unknown.
    static let unknown = UInt8.max
}
