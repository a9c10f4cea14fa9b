import CueBase
import CueTerminal

/// What is told of runs and machines that stopped in the middle.
enum CutOffWords {
    /// A document that is less than it was, by no writer's hand.
    static func damaged(_ path: RelativePath, isBack: Bool) -> String {
        "\(Display.text(path)): it was cut short on this disk (by a power cut, or the disk itself), and not by you; nothing of that is stored, "
            + (isBack ? "and it is whole again" : "and `cue sync` brings it again")
    }

    /// nil where none were found.
    static func drafts(_ drafts: [RelativePath]) -> String? {
        guard let first = drafts.first else { return nil }
        let others = drafts.count > 1 ? " and \(Style.number(drafts.count - 1)) more" : ""
        return "removed what a run that was cut off had left: \(Display.text(first))\(others)"
    }
}
