import CueBase
import CueEngine
import CueSystem
import CueTerminal

/// Asks a person whether many deletions at once are meant.
struct DeletionQuestion {
    private let gone: [RelativePath]
    private let deletedElsewhere: [RelativePath]

    /// `gone`: missing in the folder. `deletedElsewhere`: deleted by other devices.
    init(_ gone: [RelativePath], _ deletedElsewhere: [RelativePath] = []) {
        (self.gone, self.deletedElsewhere) = (gone, deletedElsewhere)
    }

    /// Whether the person said yes. False without any deletion, and if it is not possible to ask.
    func isMeant(_ output: Output) -> Bool {
        guard !gone.isEmpty || !deletedElsewhere.isEmpty, !output.json, !output.quiet, ConflictPrompt.isPossible else {
            return false
        }
        tell(gone, "gone from this folder", "On yes their deletion is recorded, and other devices remove them too")
        tell(deletedElsewhere, "deleted on another device", "On yes they are removed from this folder too")
        while let typed = Output.ask("All versions stay in the vault. Is that meant? [y] yes  [n] no: ") {
            if typed.lowercased().hasPrefix("y") { return true }
            if typed.lowercased().hasPrefix("n") { return false }
        }
        Interruption.forget()
        return false
    }

    /// Lists some of the documents, and the consequence of a yes.
    private func tell(_ paths: [RelativePath], _ what: String, _ consequence: String) {
        guard !paths.isEmpty else { return }
        let verb = paths.count == 1 ? "is" : "are"
        Output.complain("")
        Output.complain("\(Style.count(paths.count, "document")) \(verb) \(what):")
        for path in paths.prefix(10) { Output.complain("  \(Display.text(path))") }
        if paths.count > 10 { Output.complain("  and \(Style.number(paths.count - 10)) more") }
        Output.complain("\(consequence).")
    }
}
