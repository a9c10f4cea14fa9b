import CueBase
import CueEngine

extension EngineError {
    /// The words for the error. `vault` names the vault that the command worked on.
    func words(_ vault: String) -> CueError {
        switch self {
        case .vaultInsideLibrary:
            CueError(
                .failed, "the vault cannot be inside the library: it would back itself up",
                "choose a folder elsewhere, best on another disk")
        case .insideLibrary(let path, let library):
            CueError(
                .failed, "\(path) is in the library \(library)",
                "name the library itself: \(ShellWord.quoted(library)); all that is in it is stored with it"
            ).unchanged
        case .libraryInsideVault:
            CueError(.failed, "the library cannot be inside the vault", "choose another folder for the vault")
        case .vaultBehind(let place, let others):
            CueError(
                .unreachable,
                "the vault at \(place) lacks what was stored at \(others.joined(separator: " and ")) while it was away or full"
                    + ", and that place is not there now",
                "connect it, and run `cue sync`: it brings both up to date. What is new is safe in the folder until then",
                "only if it is lost for good: `cue vault remove`, then `cue init` on this folder with --accept-older-vault; what no other place has is lost then"
            ).unchanged
        case .vaultInsideVault(let path, let around):
            CueError(
                .failed, "\(path) is inside the vault at \(around)", "choose a folder elsewhere, best on another disk"
            ).unchanged
        case .placeIsFile(let path):
            CueError(
                .failed, "\(path) is a file, and a vault is a folder", "choose an empty or a new folder for the vault"
            ).unchanged
        case .stateInsideLibrary(let path):
            CueError(
                .failed, "cue's own memory (\(path)) is inside this folder: it would back itself up",
                "choose a folder inside for your writing, or set CUE_HOME to a place outside",
                "if it was moved here, move it back; the vault's key is in it, so leave no copy")
        case .unfinishedVault:
            CueError(
                .failed, "\(vault) holds key slots of a vault and nothing else",
                "is a sync service still bringing it? then wait. If an earlier `cue init` was interrupted, empty that folder and try again"
            ).unchanged
        case .otherVault(let place):
            CueError(
                .damaged, "the vault at \(place) is not the one that this library belongs to",
                "put the right vault back, or mend `vault` in .cue/library.toml and run `cue init` with it"
            ).unchanged
        case .vaultNotInFolder(let place):
            CueError(
                .unreachable, "the folder \(place) is there, but the vault is not in it",
                "is its disk plugged in, or its network folder mounted?"
            ).unchanged
        case .libraryReplaced(let path):
            CueError(
                .failed, "another library is at \(path) now; nothing of it was stored",
                "put the one back that was watched, or stop this watcher")
        case .vaultMoved(let old, let new, let library):
            CueError(
                .failed,
                "\(library)/.cue/library.toml names another place for the vault than this device knows: \(new), and not \(old); nothing was done",
                "if the vault was moved there: `cue init \(ShellWord.quoted(library)) --vault \(ShellWord.quoted(new))` takes it over",
                "if not, somebody else has written in the folder: put `vault = '\(old)'` back")
        case .placeDiffers(let name, let place):
            CueError(
                .failed, "\(name) is not the same at \(place) as in the vault: one of the two is damaged",
                "`cue check --read-data --vault WHERE` says which")
        case .placeOfOtherVault(let place):
            CueError(
                .failed, "another vault is at \(place); the two are not mixed",
                "choose another place, or another name behind the bucket or in the folder"
            ).unchanged
        case .placeTaken(let place):
            CueError(.failed, "this library keeps its vault at \(place) already", "`cue vault list` shows all places")
                .unchanged
        case .noPlace(""):
            CueError(
                .usage, "the vault's place is empty", "name a folder, such as /media/usb/vault, or s3://bucket/prefix")
        case .noPlace(let text):
            CueError(
                .usage, "\(text) is no place that cue knows for a vault; nothing was made",
                "a vault is in a folder, or at s3://bucket/prefix; for a folder of that name: \(ShellWord.quoted("./" + text))"
            )
        case .remoteNotSupported(let scheme):
            CueError(
                .failed, "this version of cue keeps vaults in folders and in S3; \(scheme) is not supported",
                "for a service that speaks S3: s3://bucket/prefix?endpoint=\(scheme)HOST")
        case .emptyPassphrase:
            CueError(
                .usage, "the passphrase is empty",
                "choose one of several words; without it, or the recovery code, nobody can read the vault")
        case .alreadyLibrary(let other):
            CueError(
                .failed, "this folder is tied to the vault at \(other) already",
                "remove its folder .cue first, if it shall have another vault")
        case .listTooLong(let name):
            CueError(
                .failed,
                "\(name): the list of its files and their pieces is longer than cue can store at once (64 MiB); nothing was changed"
            )
        case .vaultAway(let place):
            CueError(
                .unreachable, "this folder has a vault at \(place), which is not there now; no new one was made",
                "is its disk plugged in, or its network folder mounted? If that vault is gone for good, remove the folder .cue of the library, and run this again: the history was in that vault, and a new one begins anew"
            )
        case .unknownName(let name, let near):
            Self.unknown(name, near)
        case .bundleNotHere(let name):
            CueError(
                .failed, "\(name) is not in the folder: one file of it alone would stand there as all of it",
                "`--to DIR` puts the file elsewhere; without --file, all of \(name) comes back")
        case .deletedName(let name, let time):
            CueError(
                .failed, "\(name) was deleted; the vault says so since \(time.shown)",
                "`cue restore NAME` brings it back; `cue log NAME` lists its versions, `cue cat NAME --version ID` prints one"
            )
        case .ambiguousName(let name, let candidates):
            CueError(
                .failed, "\(Display.text(ArgumentBytes.bytes(name))) may be any of \(candidates.count) documents",
                "give more of the path: \(candidates.prefix(5).joined(separator: ", "))\(candidates.count > 5 ? ", …" : "")"
            )
        case .noText(let name, let reason):
            CueError(
                .failed, "\(name) \(ExportWords.noText(reason))",
                "plain text, Markdown, RTF, Word, OpenDocument and Scrivener are read",
                "`cue restore NAME --to DIR` copies the document itself; `cue cat NAME` prints the bytes of a file"
            )
        case .isAFolder(let name):
            CueError(
                .failed, "\(name) is a folder",
                "`cue ls \(ShellWord.quoted(name))` lists its documents, `cue export \(ShellWord.quoted(name)) --to DIR` writes their text"
            )
        case .documentUnreadable(let name, let error):
            CueError(
                .failed, "\(name) cannot be read (\(error.words))",
                "make it readable, then run the command again; two versions of the vault can be compared without it")
        case .notAFolder(let name):
            CueError(.failed, "\(Display.text(ArgumentBytes.bytes(name))) is no folder")
        case .nothingToCompare:
            CueError(
                .usage, "two states are needed to compare: there is no library here",
                "say since when, as in `cue diff . \"2 days ago\"`; `cue show` tells what the last snapshot changed")
        case .versionGivenUp(let version):
            CueError(
                .failed, "the content of version \(version) was given up, to save room; it cannot be brought back",
                "`cue log NAME` shows the versions that are there"
            ).unchanged
        case .unknownVersion(let version):
            VersionWords.unknown(version)
        case .tooFewVersions(let name, let count):
            VersionWords.tooFew(name, count)
        case .notAVersion(let version, let name):
            CueError(
                .failed, "\(version) is no version of \(Display.text(ArgumentBytes.bytes(name)))",
                "`cue log NAME` lists the versions of a document")
        case .noSuchMember(let file, let project):
            CueError(
                .failed, "\(project) holds no file \(Display.text(ArgumentBytes.bytes(file)))",
                "`cue ls NAME` shows its files; a scene of Scrivener is called by its title, as `cue cat NAME` shows it"
            )
        case .notAFile(let name):
            CueError(
                .failed, "\(name) is a folder of files; name one of them",
                "`cue cat NAME --text` prints the text of a document; `cue cat NAME:FILE` prints a file, and `cue ls NAME` lists them"
            )
        case .unreadableTime(let text) where VersionWords.isVersion(text):
            VersionWords.atVersion(text)
        case .unreadableTime(let text):
            CueError(
                .usage, "\(text) is neither a snapshot nor a time",
                "times look like 2026-11-21, \"22 Nov 14:30\", 05:47, yesterday, \"last monday\" or \"3 days ago\"; `latest~1` is the snapshot before the latest"
            )
        case .nothingAt(let text, let first):
            CueError(
                .failed, "there is no snapshot as old as \(text)",
                "`cue log` lists the snapshots" + (first.map { "; the first is of \($0.shown)" } ?? ""))
        case .wouldOverwrite(let names): RestoreWords.inTheWay(names).unchanged
        case .otherKindInTheWay(let names): RestoreWords.otherKind(names).unchanged
        case .noRestoreToUndo: RestoreWords.nothingToUndo.unchanged
        case .notHere(let name, let versions):
            CueError(
                .usage, "none of the versions of \(name) that are in conflict is in this folder now",
                "name one of them: --keep \(versions.joined(separator: ", or --keep "))")
        case .manyOthers(let name, let versions):
            CueError(
                .usage, "\(name) has \(versions.count) other versions",
                "name one of them: --keep \(versions.joined(separator: ", or --keep "))")
        case .noConflict(let name):
            NameWords.noConflict(name, synced: nil)
        case .nothingToUndo(let name):
            CueError(
                .failed, "no conflict of \(name) was resolved that could be undone",
                "`cue log` with its name lists its versions, and `cue restore --version` brings one back"
            ).unchanged
        case .otherLibrary(let here, let there):
            CueError(
                .failed,
                "\(here == 1 ? "the one document" : "none of the \(here) documents") in this folder is \(here == 1 ? "not " : "")among the \(there) in the vault at \(vault)",
                "is it the right folder, and the right vault? `cue ls --vault \(ShellWord.quoted(vault))` shows what is there",
                "if both shall become one library, on this and all other devices: say --merge"
            ).unchanged
        case .alreadyWatched(let process):
            CueError(
                .failed, "this library is being watched already\(process.map { " (by process \($0))" } ?? "")",
                "`cue status` says what that one does; one watcher is enough")
        case .onlyOneVersion(let name):
            CueError(.failed, "\(name) has one version only: there is nothing to compare it with")
        case .notDurable(let error):
            CueError(
                .failed,
                "what was written to the folder did not reach its disk (\(error.words)); the vault has everything, and nothing counts as received",
                "look at the disk (`dmesg` names what fails), then run the command again")
        case .leftUntidy:
            CueError(
                .failed,
                "a sync or restore that was cut off cannot be tidied up, as a folder does not let itself be written",
                "make the folders writable, then run the command again"
            ).unchanged
        case .notThereAt(let name, let time):
            CueError(.failed, "\(name) was not in the vault at \(time)", "`cue log` with its name lists its versions")
        case .clockBehind(let newest, let now):
            CueError(
                .failed,
                "the log has something about this at \(newest.shown), and now it is \(now.shown); nothing was changed",
                "is the clock of this device right? From that time on it can be done")
        case .targetIsVault: CueError(.failed, "the target is inside the vault", "choose another folder with --to")
        case .emptyVault:
            CueError(.failed, "the vault at \(vault) holds no backup yet", "`cue backup` makes the first one")
        }
    }

    private static func unknown(_ name: String, _ near: [String]) -> CueError {
        var error = CueError(.failed, "nothing in the vault is called \(Display.text(ArgumentBytes.bytes(name)))")
        if !near.isEmpty { error.hints.append("did you mean \(near.joined(separator: ", or "))?") }
        error.hints.append(
            "`cue ls` lists what is there, `cue ls --deleted` what was deleted; `--at` looks at an earlier time")
        return error
    }
}
