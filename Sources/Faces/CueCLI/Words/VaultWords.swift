import CueBase
import CueEngine
import CueSystem
import CueTerminal

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

    /// Says what was given up with an older vault, which lacks `gone` snapshots that this device had seen.
    static func accepted(_ gone: Int) -> String {
        guard gone > 0 else { return "It has all that this device had seen in it: nothing was given up." }
        return
            "Accepted without \(Style.count(gone, "snapshot")) that this device had seen. What only they held and your folder does not have is lost; documents that they deleted come back. Any other device that says that its vault is older accepts it in the same way."
    }

    /// Where a vault is that is not at its place, and what goes on with it there.
    static func found(at place: VaultLocation, of library: FilePathBytes) -> String {
        let command = "cue init \(ShellWord.quoted("\(library)")) --vault \(ShellWord.quoted("\(place)"))"
        return
            "the vault of this library is at \(place) now, unless that is a copy of it: `\(command)` goes on with it there"
    }

    /// The only place of a vault is a copy from before what this device has seen.
    static func older(at place: VaultLocation) -> String {
        "at \(place) is a copy of this library's vault from before your last backups, which is not taken: plug in the disk of the vault itself, or mount its folder"
    }

    /// The same as a question; Enter is yes.
    static func question(_ place: VaultLocation, before old: String) -> String {
        """
        The vault of this library was at \(old), and is there no more. It was found at \(place).
        Go on with it there, from now on? (No, if that is only a copy of it.) [Y/n]: 
        """
    }

    /// A library and its vault are on one disk.
    static let oneDisk =
        "The vault is on the same disk as the library: a broken disk takes both, unless something copies the vault elsewhere, as a cloud folder does."
}
