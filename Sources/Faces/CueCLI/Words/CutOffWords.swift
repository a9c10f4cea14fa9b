import CueBase
import CueTerminal

/// Sentences about runs and machines that stopped halfway.
enum CutOffWords {
    /// A document was cut short, but not by a program. `isBack`: this sync has restored it.
    static func damaged(_ path: RelativePath, isBack: Bool) -> String {
        "\(Display.text(path)): it was cut short on this disk (by a power cut, or the disk itself), and not by you; nothing of that is stored, "
            + (isBack ? "and it is whole again" : "and `cue sync` brings it again")
    }

    /// The vault had lost the content of a document that another device changed or deleted.
    static func storedAgain(_ path: RelativePath) -> String {
        "\(Display.text(path)): a part of the vault that held it is gone or damaged; it was stored again from this folder before another device's change was made here"
    }

    /// Drafts that were removed; nil if there were none.
    static func drafts(_ drafts: [RelativePath]) -> String? {
        guard let first = drafts.first else { return nil }
        let others = drafts.count > 1 ? " and \(Style.number(drafts.count - 1)) more" : ""
        return "removed what a run that was cut off had left: \(Display.text(first))\(others)"
    }
}
