import ArgumentParser
import CueBase
import CueCrypto
import CueEngine
import CueLibrary
import CueSystem
import CueTerminal

/// `cue status`.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Say whether everything is in the vault.",
        discussion: """
            Looks at the folder and at what this device remembers; the vault need not be there.

            The four words after "seen" are the state word. It stands for all that this device has seen of the vault: two devices \
            that show the same have the same history. `cue check --state "WORDS"` compares it with what another device shows.
            """)

    @Argument(help: "The library, or a folder or document in one. Without it, the library around the current folder.")
    var folder: String?

    @Flag(help: "Show it again and again, until Ctrl-C.")
    var watch = false

    @Flag(help: "One or two words, for a shell's prompt or a status bar.")
    var short = false

    @Flag(help: "Also name the documents that are synced, and since when.")
    var all = false

    @Flag(help: "End with 1 unless everything in the folder is in the vault, and with 4 if a conflict waits.")
    var exitCode = false

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if watch && common.json {
            throw ValidationError("--watch is for people, --json for programs: give one of them.")
        }
        if watch && exitCode {
            throw ValidationError("--watch goes on for ever, and --exit-code ends: give one of them.")
        }
        if short && (common.json || common.quiet) {
            throw ValidationError(
                "--short prints one or two words: leave out \(common.json ? "--json" : "--quiet"), or --short.")
        }
        if watch && (short || common.quiet) {
            throw ValidationError(
                "--watch shows the whole status: leave out \(short ? "--short" : "--quiet"), or --watch.")
        }
        if all && (short || watch) {
            throw ValidationError("--all is a long list: give it without --short and --watch.")
        }
    }

    func run() throws {
        let state = try StateFolder.standard()
        let output = common.output
        if watch { return try redraw(state, output) }
        let (library, below) = try place(state)
        Session.lookAgain(atOlderVaultOf: library, state)
        let status = try LibraryStatus.of(library, all: all, below: below)
        try tell(library, status, output)
        if exitCode {
            try end(!StatusLine(status).isAllStored ? .failed : status.conflicts.isEmpty ? .done : .conflict)
        }
    }

    /// The library, and the folder or document in it that was named; nil for all of it.
    private func place(_ state: StateFolder) throws -> (OpenLibrary, RelativePath?) {
        guard let folder else { return (try Session.openLibrary(nil, state), nil) }
        guard let path = FilePathBytes(ArgumentBytes.bytes(folder)).resolved() else {
            // No such path: a name, or a document that is gone.
            guard let here = currentFolder(), try OpenLibrary.root(around: here) != nil else {
                return (try Session.openLibrary(folder, state), nil)
            }
            let library = try Session.openLibrary(nil, state)
            return (library, try library.project(folder, common.output).path)
        }
        guard let root = try OpenLibrary.root(around: path), root != path else {
            return (try Session.openLibrary(folder, state), nil)
        }
        let below = RelativePath(trusted: Array(path.bytes.dropFirst(root.bytes.count + 1)))
        return (try OpenLibrary(at: root, state: state), below)
    }

    private func tell(_ library: OpenLibrary, _ status: LibraryStatus, _ output: Output) throws {
        if short, !output.json { return Output.print(Output.harmless(StatusLine(status).short) + "\n") }
        let places = try LibraryPlaces.all(of: library)
        // A further place is not offered here: it is used without a question.
        let found = status.isVaultThere ? nil : FoundVault(of: library).flatMap { places.contains($0.place) ? nil : $0 }
        let devices = DeviceNews.untold(of: library)
        try output.object(StatusResult(library, status, found, devices))
        for line in lines(library, status) { output.line(line) }
        output.tell(devices, in: library)
        if let found { output.line("  hint: \(found.hint)") }
        if let drafts = CutOffWords.drafts(status.drafts) { output.line(drafts) }
        output.warnings(status.skipped.map { "\($0.shownPath): \($0.reason.words)" })
    }

    /// Redraws the status every two seconds until Ctrl-C.
    private func redraw(_ state: StateFolder, _ output: Output) throws {
        let waiter = Waiter()
        while !Interruption.isRequested {
            let (library, below) = try place(state)
            let text = lines(library, try LibraryStatus.of(library, below: below)).map {
                Output.harmless($0) + "\u{1b}[K\n"
            }.joined()
            Output.print(
                Terminal.isTerminal(Terminal.output)
                    ? "\u{1b}[H\(text)\u{1b}[J" : text.replacing("\u{1b}[K", with: ""))
            _ = waiter.wait(for: nil, seconds: 2)
        }
    }

    /// The whole status; documents in each state up to ten, or all.
    private func lines(_ library: OpenLibrary, _ status: LibraryStatus) -> [String] {
        let headline = StatusLine(status)
        var lines = [headline.sentence]
        // A renamed document is shown once, under its new name.
        let names = Dictionary(status.renamed.map { (Display.text($0.to), Display.text($0.from)) }) { one, _ in one }
        let (new, later) = (Set(status.new), Dictionary(status.renamed.map { ($0.from, $0.to) }) { one, _ in one })
        let former = Set(later.filter { new.contains($0.value) }.keys.map { Display.text($0) })
        let moved = Dictionary(later.map { (Display.text($0.key), Display.text($0.value)) }) { one, _ in one }
        let states = status.states.filter { $0.change != .gone || !former.contains($0.path) }
        for state in DocumentStatus.State.allCases {
            let documents = states.filter { $0.state == state }
            let most = all ? documents.count : 10
            lines += documents.prefix(most).map { line(of: $0, names[$0.path], moved[$0.path], status) }
            if documents.count > most {
                lines.append("  \(Style.left(state.rawValue, 9)) and \(Style.number(documents.count - most)) more")
            }
        }
        lines += status.left.pending.map { "  \(Style.left("waiting", 9)) \($0.words)" }
        lines += status.settingsDisputes.flatMap(SettingsWords.sentences).map {
            "  \(Style.left("set twice", 9)) \($0)"
        }
        let hints = headline.isShutOut ? [DeviceWords.goOn] : status.watcher?.failure?.words.hints ?? []
        lines += hints.map { "  hint: \($0)" }
        lines.append("library  \(library.path)")
        if let below = status.below { lines.append("only     \(Display.text(below))") }
        lines.append("vault    \(library.marker.vault)\(note(on: library, status))")
        for place in status.places {
            let isBack = status.isVaultThere && place.place == library.vaultPlace
            lines.append("place    \(place.place)  \(PlaceWords.state(place, now: Environment.now, isBack: isBack))")
        }
        lines.append("device   \(status.device)")
        if let snapshot = status.snapshot { lines.append("snapshot \(snapshot.short)") }
        if let state = status.state { lines.append("seen     \(DeviceWords.seen(state))") }
        lines.append("watcher  \(watcher(status, headline))")
        if let verified = status.verified { lines.append("verified \(reading(status, verified))") }
        if status.onlyInVault > 0, !headline.isShutOut {
            lines.append(
                "\(Style.count(status.onlyInVault, "document")) in the vault \(status.onlyInVault == 1 ? "is" : "are") not in this folder; `cue sync` brings \(status.onlyInVault == 1 ? "it" : "them")"
            )
        }
        return lines
    }

    /// The state of the vault's place; empty if it is reachable.
    private func note(on library: OpenLibrary, _ status: LibraryStatus) -> String {
        if (try? library.vaultLocation()) == nil { return "  (not where this device knows it: `cue backup` says more)" }
        return status.isVaultThere ? "" : "  (not reachable now)"
    }

    /// One document with its state, change, reason and last sync.
    private func line(of document: DocumentStatus, _ former: String?, _ moved: String?, _ status: LibraryStatus)
        -> String
    {
        // The first line shows an error of the whole library already.
        let reason = document.reason?.words(nil)
        let synced = document.synced.map { time in
            let ago = StatusLine.ago(time, Environment.now)
            return document.state == .synced ? ago : "last synced \(ago)"
        }
        let change = former == nil && moved == nil ? document.change?.rawValue : "renamed"
        let notes = [change, reason, synced].compactMap(\.self)
        let note = notes.isEmpty ? "" : "  (\(notes.joined(separator: ", ")))"
        // A document that left the folder of which this is the status stands under its old name alone.
        let name =
            former.map { "\($0) → \(document.path)" } ?? moved.map { "\(document.path) → \($0)" } ?? document.path
        return "  \(Style.left(document.state.rawValue, 9)) \(name)\(note)"
    }

    /// The share of the vault that was read back, and the age of the oldest part.
    private func reading(_ status: LibraryStatus, _ oldest: Timestamp) -> String {
        let (read, all) = (status.verifiedPacks, status.verifiedPacks + status.neverVerified)
        if read == 0, all > 0 { return "none of \(Style.count(all, "pack")) was read back yet" }
        let what =
            read == all
            ? "all of the vault was"
            : "\(Style.number(read)) of \(Style.count(all, "pack")) \(read == 1 ? "was" : "were")"
        return "\(what) read back and found right, the oldest part \(StatusLine.ago(oldest, Environment.now))"
    }

    /// The state of the watcher.
    private func watcher(_ status: LibraryStatus, _ line: StatusLine) -> String {
        guard let watcher = status.watcher else {
            return line.isShutOut ? "none runs" : "none runs; `cue watch` saves by itself"
        }
        let limitation = watcher.limitation.map { "; \($0.words), so it looks every minute" } ?? ""
        let rescan = watcher.rescan.map { "; it looks at everything soon: \($0.words)" } ?? ""
        let next = watcher.nextTry.map { date in
            "; it tries again at \(Timestamp(date).shown)"
        }
        return "process \(watcher.process), \(watcher.phase.rawValue)\(limitation)\(rescan)\(next ?? "")"
    }
}
