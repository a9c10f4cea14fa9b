import CueBase
import CueLibrary
import CueSystem
import CueVault
import Synchronization

/// When a version is written as the difference to its parent.
enum DeltaRules {
    /// So many differences at most until a whole list comes again: what a reader has to lay over each other.
    static let depth: UInt8 = 24
}
