import ArgumentParser
import CueBase
import CueCrypto
import CueEngine
import CueSystem
import CueTerminal

/// `cue check`. It notes the result for `cue status` if the vault is the library's own.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Look whether the vault is whole.",
        discussion: """
            Opens every commit, and sees that every piece of every version is where it should be. With --read-data it also reads and \
            opens everything and compares every piece with its name; a pack that was found damaged is read by each later check of \
            the library. Changes nothing in the vault; of a library, `cue status` says from then on what was found. Looks at one \
            place of the vault, and names the others. Exit code 6 if something is wrong, with what can be done about it; 3 if the vault \
            only lacks what another of its places got while it was away or full.
            """)

    @Argument(help: "The library. Without it, the one around the current folder.")
    var folder: String?

    @Flag(help: "Read everything, not only the commits.")
    var readData = false

    @Option(
        help: ArgumentHelp(
            "Compare with the state word of another device: the four words after \"seen\" in its `cue status`, in quotes.",
            valueName: "words"))
    var state: String?

    @OptionGroup var vault: VaultOptions
    @OptionGroup var line: LineOptions
    @OptionGroup var common: CommonOptions

    func validate() throws {
        if let state, StateWords(typed: state) == nil { throw ValidationError(DeviceWords.noState(state)) }
        if folder != nil && vault.library != nil {
            throw ValidationError("The library is named twice: give the folder, or --library.")
        }
    }

    func run() throws {
        let session = try Session.open(vault, folder: folder, for: .check)
        // With a library it is one of the problems.
        if session.library == nil { try session.run { try $0.warnOfOlderVault() } }
        let started = Environment.monotonicSeconds
        let output = common.output
        let reporter = output.reporter
        let readData = readData
        let report = try session.run {
            try Check.run(
                $0.context(reporter), of: $0.library, isCopy: !$0.isOwnVault, readData: readData,
                comparing: state.flatMap { StateWords(typed: $0) })
        }
        reporter.finish()
        let seconds = Environment.monotonicSeconds - started
        let problems = (report.problems + report.keyProblems).map(\.sentence)
        let damagedDocuments = report.damagedDocuments.map(\.words)
        let hints =
            // On an older vault the commands that mend slots refuse.
            (report.commitsGone > 0 ? [] : KeyWords.hints(report.keys, session.library))
            + (report.problems.isEmpty ? [] : Self.hints(session, report))
            + (report.isBehind ? [PlaceWords.isBehind(session.location)] : [])
        try output.object(CheckResult(report, problems, damagedDocuments, hints, seconds))
        if session.isOwnVault, let context = session.libraryContext(reporter) { try RollingCheck(context).note(report) }
        // The documents first: a person knows them, and not the objects.
        output.warnings(damagedDocuments.map { "cannot be restored whole: \($0)" }, limit: 50)
        output.warnings(problems, limit: 50)
        for slot in report.keys.unproven { output.line(KeyWords.unproven(slot)) }
        if report.storedAgain > 0 {
            output.line(
                "This device has the events of \(EventWords.batches(report.storedAgain)) that cannot be read: `cue sync` stores them again."
            )
        }
        if report.unreferenced > 0 {
            output.line(
                "\(Style.count(report.unreferenced, "pack")) (\(Style.bytes(report.unreferencedBytes))) of interrupted runs "
                    + "\(report.unreferenced == 1 ? "is" : "are") in no commit; that is harmless")
        }
        for line in DeviceWords.lines(report) { output.line(line) }
        let what =
            "\(Style.count(report.snapshots, "snapshot")), \(Style.count(report.documents, "document")), "
            + Style.bytes(report.bytes)
        let how = report.didReadData ? "everything was read" : "content was not read, --read-data does"
        guard problems.isEmpty && report.damagedDocuments.isEmpty else {
            let isOnItsWay = report.problems.contains(where: \.mayBeOnItsWay)
            let finding =
                report.commitsGone > 0 && !report.isContentHarmed
                ? "is older than what this device has seen, or has not arrived whole yet"
                : isOnItsWay ? "is damaged, or has not arrived whole yet" : "is damaged"
            output.line(
                "the vault \(finding): \(Style.count(problems.count, "problem")) in \(what); \(how)  (\(Style.seconds(seconds)))"
            )
            for hint in hints { output.hint(hint) }
            return try end(.damaged)
        }
        output.line("the vault is whole: \(what); \(how)  (\(Style.seconds(seconds)))")
        for line in Self.others(than: session) { output.line(line) }
        try endIfNever(report, output)
        guard report.isBehind else { return }
        output.warning(PlaceWords.isBehind(session.location))
        try end(.incomplete)
    }

    /// The further places of the vault, which were not looked at.
    private static func others(than session: Session) -> [String] {
        guard let library = session.library, session.isOwnVault else { return [] }
        let all = (try? LibraryPlaces.all(of: library)) ?? []
        return all.filter { $0 != session.location }.map { PlaceWords.notChecked($0) }
    }

    /// Ends with 6 if the vault never had the state that was given.
    private func endIfNever(_ report: Check.Report, _ output: Output) throws {
        guard case .never? = report.comparison, let state else { return }
        output.warning(DeviceWords.never(state))
        output.hint(DeviceWords.neverHint)
        try end(.damaged)
    }

    /// Steps for a damaged vault. Content that only lost objects had comes back from a copy of the vault only.
    private static func hints(_ session: Session, _ report: Check.Report) -> [String] {
        var hints =
            report.problems.contains(where: \.mayBeOnItsWay)
            ? [
                "does a sync service carry the vault? then what is missing may not have arrived yet: wait for it, and check again"
            ] : []
        hints.append(
            session.mendHint
                ?? "if there is a copy of the vault that is whole, put what is damaged or missing back from it")
        // A copy that is elsewhere gets no backup.
        guard report.isContentHarmed || report.commitsGone > 0, session.library == nil || session.isOwnVault else {
            return hints
        }
        let folder = session.library.map { ShellWord.quoted("\($0.path)") } ?? "FOLDER"
        let isStoredAgain = session.library != nil && !report.damagedDocuments.isEmpty && report.commitsGone == 0
        if isStoredAgain {
            hints.append(
                "what your folder still has of these documents as it was stored, the next `cue backup` stores again")
        }
        // An existing pack counts as stored whatever its content is, and no device starts from a commit that it cannot
        // read.
        let first = report.isInTheWay ? "move what is cut or changed out of the vault, then " : ""
        let otherwise = isStoredAgain ? "if that does not help" : "without one"
        hints.append(
            "\(otherwise), what is still in the folder can be stored again: \(first)`cue init \(folder) --vault \(ShellWord.quoted(session.location.description)) --accept-older-vault`, then `cue backup \(folder)`; versions that were only in what is lost stay lost"
        )
        return hints
    }
}
