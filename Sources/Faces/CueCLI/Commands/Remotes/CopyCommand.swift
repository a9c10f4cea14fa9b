import ArgumentParser
import CueBase
import CueEngine
import CueStorage
import CueSystem
import CueTerminal
import CueVault

/// `cue copy`.
struct CopyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copy a vault to another place, or bring a copy up to date.",
        discussion: """
            From a folder to S3, back, or between two of a kind. It needs no passphrase: everything is copied as it is sealed. \
            What is there already is not copied again, so it can be cut off and run again, and nothing is ever replaced or \
            removed. Two copies that both went on become one with a copy each way. `cue check --vault WHERE` looks whether \
            the copy is whole.
            """)

    @Argument(help: "The vault: a folder, or s3://bucket/prefix.")
    var from: String

    @Argument(help: "Where the copy is or shall be: a folder, or s3://bucket/prefix.")
    var to: String

    @Flag(help: "Copy nothing: compare the names and sizes of what is in both places.")
    var check = false

    @Flag(help: "With --check, read everything in both places and compare it.")
    var readData = false

    @OptionGroup var line: LineOptions
    @OptionGroup var common: CommonOptions

    func validate() throws {
        if readData && !check { throw ValidationError("--read-data goes with --check.") }
    }

    func run() throws {
        let (source, target) = (VaultLocation(from), VaultLocation(to))
        guard source != target else { throw CueError(.usage, RemoteWords.samePlace(source)).unchanged }
        let started = Environment.monotonicSeconds
        let reporter = common.output.reporter
        let summary: VaultCopy.Summary
        do {
            let objects = try source.open(writerName: "copy", isCached: false).objects
            // Before a folder is made for the copy.
            _ = try Vault.id(in: objects)
            let copy = VaultCopy(from: objects, to: try open(target), reporter: reporter)
            summary =
                try check
                ? copy.compare(readingAll: readData, targetName: target.description)
                : copy.run(targetName: target.description)
        } catch let error as VaultCopy.OfTarget {
            reporter.finish()
            throw CueError.describing(error.cause, vault: target.description)
        } catch {
            reporter.finish()
            throw CueError.describing(error, vault: source.description)
        }
        reporter.finish()
        let seconds = Environment.monotonicSeconds - started
        try common.output.object(CopyResult(summary, seconds))
        common.output.warnings(summary.different.map { RemoteWords.different($0) })
        common.output.warnings(summary.missing.map { RemoteWords.missing($0, target) })
        common.output.line(
            check
                ? RemoteWords.compared(summary, readData, seconds)
                : RemoteWords.copied(summary, source, target, seconds))
        if !summary.different.isEmpty { try end(.damaged) }
        if !summary.missing.isEmpty { try end(.incomplete) }
    }

    /// Opens the second place; a folder is made if it is missing.
    private func open(_ place: VaultLocation) throws -> any ObjectStore {
        if let folder = place.folder, !check { try VaultCopy.prepare(folder) }
        do { return try place.open(writerName: "copy", isCached: false).objects } catch {
            throw VaultCopy.OfTarget(cause: error)
        }
    }
}
