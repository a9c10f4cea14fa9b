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

    @OptionGroup var common: CommonOptions

    func run() throws {
        let library = try Session.openLibrary(folder, try StateFolder.standard())
        let status = try LibraryStatus.of(library)
        let output = common.output
        try output.object(StatusResult(library, status))
        output.line(headline(status))
        if !status.conflicts.isEmpty {
            let count = status.conflicts.count
            output.line(
                "\(Style.count(count, "conflict")) need\(count == 1 ? "s" : "") you: `cue sync` asks, `cue conflicts` shows them."
            )
            for path in status.conflicts.prefix(10) { output.line("  conflict \(path)") }
        }
        for (word, paths) in [("new", status.new), ("changed", status.changed), ("gone", status.gone)] {
            for path in paths.prefix(10) { output.line("  \(Style.left(word, 8)) \(Display.text(path))") }
            if paths.count > 10 { output.line("  \(Style.left(word, 8)) and \(Style.number(paths.count - 10)) more") }
        }
        output.line("library  \(library.path)")
        output.line("vault    \(library.marker.vault)\(status.isVaultThere ? "" : "  (not reachable now)")")
        output.line("device   \(status.device)")
        if status.onlyInVault > 0 {
            output.line(
                "\(Style.count(status.onlyInVault, "document")) in the vault \(status.onlyInVault == 1 ? "is" : "are") not in this folder; `cue sync` brings them"
            )
        }
        output.warnings(status.skipped.map { "\(Display.text($0.path)): \($0.reason)" })
    }

    private func headline(_ status: LibraryStatus) -> String {
        let waiting = status.new.count + status.changed.count + status.gone.count
        guard let time = status.lastBackup else {
            return "This device has not stored this folder yet: run `cue sync`, or `cue backup`."
        }
        let last = "the last backup was \(time.shown), snapshot \(status.snapshot?.short ?? "none")"
        if waiting == 0 {
            return status.documents == 1
                ? "The one document is in the vault; \(last)."
                : "All \(Style.number(status.documents)) documents are in the vault; \(last)."
        }
        return "\(Style.count(waiting, "change")) wait\(waiting == 1 ? "s" : "") for `cue backup`; \(last)."
    }
}

private struct StatusResult: Encodable {
    let library, vault, device: String
    let vaultReachable: Bool
    let snapshot: String?
    let lastBackup: Date?
    let documents, onlyInVault: Int
    let new, changed, gone, conflicts: [String]

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
