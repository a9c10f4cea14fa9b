import CueBase
import CueEngine
import CueSystem
import CueTerminal

/// Asks whether so many deletions are meant, where somebody is there to ask.
struct DeletionQuestion {
    private let gone: [RelativePath]
    private let deletedElsewhere: [RelativePath]

    /// What is gone from the folder, and what other devices deleted.
    init(_ gone: [RelativePath], _ deletedElsewhere: [RelativePath] = []) {
        (self.gone, self.deletedElsewhere) = (gone, deletedElsewhere)
    }

    /// False also where there is nothing to ask, or nobody.
    func isMeant(_ output: Output) -> Bool {
        guard !gone.isEmpty || !deletedElsewhere.isEmpty, !output.json, !output.quiet, ConflictPrompt.isPossible else {
            return false
        }
        tell(gone, "gone from this folder", "On yes their deletion is recorded, and other devices remove them too")
        tell(deletedElsewhere, "deleted on another device", "On yes they are removed from this folder too")
        while let typed = Terminal.ask("All versions stay in the vault. Is that meant? [y] yes  [n] no: ") {
            if typed.lowercased().hasPrefix("y") { return true }
            if typed.lowercased().hasPrefix("n") { return false }
        }
        Interruption.forget()
        return false
    }

    private func tell(_ paths: [RelativePath], _ what: String, _ consequence: String) {
        guard !paths.isEmpty else { return }
        let verb = paths.count == 1 ? "is" : "are"
        Output.complain("\n\(Style.count(paths.count, "document")) \(verb) \(what):\n")
        for path in paths.prefix(10) { Output.complain("  \(Display.text(path))\n") }
        if paths.count > 10 { Output.complain("  and \(Style.number(paths.count - 10)) more\n") }
        Output.complain("\(consequence).\n")
    }
}
