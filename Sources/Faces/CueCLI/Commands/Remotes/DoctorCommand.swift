import ArgumentParser
import CueEngine
import CueLibrary
import CueStorage
import CueTerminal
import CueVault

/// `cue doctor`.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Try out whether the place of a vault does what a vault needs.",
        discussion: """
            Stores one small object, reads it in several ways, and deletes it again; it touches nothing else, and needs no \
            passphrase. Where deleting is forbidden, the object (1,000 bytes below tmp/) stays. `cue init` does the same for a new vault on a service.
            """)

    @OptionGroup var place: PlaceOptions
    @OptionGroup var common: CommonOptions

    func run() throws {
        let place =
            try self.place.vault.map { VaultLocation($0) }
            ?? Session.place(of: Session.openLibrary(self.place.library, StateFolder.standard()))
        let probe: StoreProbe
        do {
            probe = StoreProbe(of: try place.open(writerName: "doctor", isCached: false).objects)
        } catch { throw CueError.describing(error, vault: place.description) }
        try common.output.object(DoctorResult(probe, place))
        common.output.line("\(place)")
        let width = StoreProbe.Step.allCases.map { RemoteWords.step($0).count }.max() ?? 0
        for (step, outcome) in probe.outcomes where outcome != .notTried {
            common.output.line("  \(Style.left(RemoteWords.step(step), width))  \(RemoteWords.outcome(outcome, place))")
        }
        for (step, outcome) in probe.outcomes where outcome != .works && outcome != .notTried {
            if let meaning = RemoteWords.meaning(step) { common.output.line(meaning) }
        }
        if probe.isEnough { common.output.line(RemoteWords.enough) }
        if let (step, outcome) = probe.firstNeeded {
            let error = RemoteWords.notEnough(step, outcome, place)
            for hint in error.hints { common.output.hint(hint) }
            try end(error.outcome)
        }
    }
}
