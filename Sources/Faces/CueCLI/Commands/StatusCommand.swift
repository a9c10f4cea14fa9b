import ArgumentParser
import CueBase
import CueEngine
import CueLibrary
import CueSystem
import CueTerminal
import Foundation

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Say whether everything is in the vault.",
        discussion: "Looks at the folder and at what this device remembers; the vault need not be there.")

    @Argument(help: "The library. Without it, the one around the current folder.")
    var folder: String?

    @Flag(help: "Show it again and again, until Ctrl-C.")
    var watch = false

    @Flag(help: "One or two words, for a shell's prompt or a status bar.")
    var short = false

    @OptionGroup var common: CommonOptions

    func validate() throws {
        if watch && common.json {
            throw ValidationError("--watch is for people, --json for programs: give one of them.")
        }
    }

    func run() throws {
        let state = try StateFolder.standard()
        let output = common.output
        if watch { return try redraw(state, output) }
        let library = try Session.openLibrary(folder, state)
        let status = try LibraryStatus.of(library)
        if short, !output.json { return Output.print(Output.harmless(StatusLine(status).short) + "\n") }
        try output.object(StatusResult(library, status))
        for line in lines(library, status) { output.line(line) }
        output.warnings(status.skipped.map { "\(Display.text($0.path)): \($0.reason)" })
    }

    /// Until Ctrl-C, in place of what stood there before.
    private func redraw(_ state: StateFolder, _ output: Output) throws {
        let waiter = Waiter()
        while !Interruption.isRequested {
            let library = try Session.openLibrary(folder, state)
            let text = lines(library, try LibraryStatus.of(library)).map { Output.harmless($0) + "\u{1b}[K\n" }.joined()
            Output.print(
                Environment.isTerminal(Terminal.output)
                    ? "\u{1b}[H\(text)\u{1b}[J" : text.replacing("\u{1b}[K", with: ""))
            _ = waiter.wait(for: nil, seconds: 2)
        }
    }

    private func lines(_ library: OpenLibrary, _ status: LibraryStatus) -> [String] {
        var lines = [StatusLine(status).sentence]
        let settling = Set(status.watcher?.waiting ?? [])
        func add(_ word: String, _ names: [String]) {
            for name in names.prefix(10) {
                lines.append("  \(Style.left(word, 8)) \(name)\(settling.contains(name) ? "  (being written)" : "")")
            }
            if names.count > 10 { lines.append("  \(Style.left(word, 8)) and \(Style.number(names.count - 10)) more") }
        }
        add("conflict", status.conflicts)
        add("new", status.new.map { Display.text($0) })
        add("changed", status.changed.map { Display.text($0) })
        add("gone", status.gone.map { Display.text($0) })
        lines.append("library  \(library.path)")
        lines.append("vault    \(library.marker.vault)\(status.isVaultThere ? "" : "  (not reachable now)")")
        lines.append("device   \(status.device)")
        if let snapshot = status.snapshot { lines.append("snapshot \(snapshot.short)") }
        lines.append("watcher  \(watcher(status))")
        if let verified = status.verified {
            let rest = status.neverVerified == 0 ? "" : "; \(Style.count(status.neverVerified, "pack")) not yet"
            lines.append(
                "verified the vault was read back and found right, the oldest part \(StatusLine.ago(verified, Environment.now))\(rest)"
            )
        }
        if status.onlyInVault > 0 {
            lines.append(
                "\(Style.count(status.onlyInVault, "document")) in the vault \(status.onlyInVault == 1 ? "is" : "are") not in this folder; `cue sync` brings \(status.onlyInVault == 1 ? "it" : "them")"
            )
        }
        return lines
    }

    private func watcher(_ status: LibraryStatus) -> String {
        guard let watcher = status.watcher else { return "none runs; `cue watch` saves by itself" }
        let limitation = watcher.limitation.map { "; \($0), so it looks every minute" } ?? ""
        return "process \(watcher.process), \(watcher.phase.rawValue)\(limitation)"
    }
}

private struct StatusResult: Encodable {
    let library, vault, device: String
    let vaultReachable: Bool
    let snapshot: String?
    let lastBackup: Date?
    let documents, onlyInVault: Int
    let new, changed, gone, conflicts: [String]
    let headline: String
    let watcher: Watcher?
    let verified: Date?
    let neverVerified: Int
    let vaultProblem: String?

    struct Watcher: Encodable {
        let process: Int32
        let phase: String
        let message: String?
        let since: Date
        let lastSync, nextTry: Date?
        let waiting: [String]
        let limitation: String?

        init(_ state: WatchState) {
            (process, phase, message, since) = (state.process, state.phase.rawValue, state.message, state.phaseSince)
            (lastSync, nextTry, waiting, limitation) = (state.lastSync, state.nextTry, state.waiting, state.limitation)
        }
    }

    init(_ library: OpenLibrary, _ status: LibraryStatus) {
        self.library = library.path.description
        vault = library.marker.vault
        (device, vaultReachable) = (status.device, status.isVaultThere)
        (snapshot, lastBackup) = (status.snapshot?.description, status.lastBackup?.date)
        (documents, onlyInVault) = (status.documents, status.onlyInVault)
        new = status.new.map { Display.text($0) }
        changed = status.changed.map { Display.text($0) }
        gone = status.gone.map { Display.text($0) }
        conflicts = status.conflicts
        headline = StatusLine(status).sentence
        watcher = status.watcher.map { Watcher($0) }
        verified = status.verified?.date
        (neverVerified, vaultProblem) = (status.neverVerified, status.vaultProblem)
    }
}

struct KeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Look at what opens the vault.", subcommands: [KeyListCommand.self])
}

struct KeyListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the key slots.")

    @OptionGroup var vault: VaultOptions
    @OptionGroup var common: CommonOptions

    func run() throws {
        let rows = try KeySlotInfo.list(vault: vault.vault, library: vault.library)
        let output = common.output
        try output.object(KeyListResult(slots: rows))
        for row in rows {
            output.line(
                "\(row.slot)  \(Style.left(row.kind, 14))  \(row.problem ?? "Argon2id, \(row.memory >> 20) MiB, \(row.passes) passes")"
            )
        }
        try end(rows.contains { $0.problem != nil } ? .damaged : .done)
    }
}

private struct KeyListResult: Encodable {
    let slots: [KeySlotInfo]
}
