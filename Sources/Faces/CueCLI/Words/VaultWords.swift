import CueBase
import CueEngine
import CueSystem

/// Messages about the place of a vault.
enum VaultWords {
    /// Says that a library's own vault was found at a new place, and is used there from now on.
    static func moved(_ moved: Initialization.Moved, from old: String, to location: VaultLocation) -> String {
        """
        It is the vault that \(moved.path) has. It was at \(old), and is taken from \(location) from here on.
        This stores what is new in the folder:
          cue backup \(ShellWord.quoted(moved.path.description))
        """
    }
}
