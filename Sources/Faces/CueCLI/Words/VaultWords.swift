import CueBase
import CueEngine
import CueSystem

/// What is said of a vault's place.
enum VaultWords {
    /// The vault of a folder has moved.
    static func moved(_ moved: Initialization.Moved, from old: String, to location: VaultLocation) -> String {
        """
        It is the vault that \(moved.path) has. It was at \(old), and is taken from \(location) from here on.
        Next: cue backup \(ShellWord.quoted(moved.path.description))
        """
    }
}
