import CueBase
import CueCrypto
import CueEngine
import CueEntitlements
import CueLibrary
import CueStorage
import CueSystem
import CueTerminal
import CueVault
import Foundation

extension CueError {
    /// The words for any error. `vault` names the vault that the command worked on.
    static func describing(_ error: any Error, vault: String) -> CueError {
        (error as? CueError) ?? words(for: error, vault).caused(by: error)
    }

    private static func words(for error: any Error, _ vault: String) -> CueError {
        switch error {
        case is Interrupted:
            CueError(.interrupted, "interrupted; what was finished is kept, and the next run goes on from there")
        case let error as StorageError: storage(error, vault)
        case let error as VaultError: self.vault(error, vault)
        case let error as KeySlotError: CueError(.failed, "a key slot cannot be made: \(error.words)")
        case let error as LibraryError: library(error)
        case let error as EngineError: engine(error, vault)
        case let error as NotStored: RestoreWords.notStored(error, vault: vault)
        case let error as Initialization.NotTied: describing(error.cause, vault: vault)
        case let error as EventFileError: error.words
        case let error as SnapshotRefusal: PlanWords.error(error, "the plan")
        case let error as SystemError: system(error)
        case let error as SealError: CueError(.damaged, "the vault is damaged: \(error.words)")
        case let error as FormatError: CueError(.damaged, "the vault is damaged: \(error.words)")
        case FailureCause.unexpected(let text): unexpected(text)
        default: unexpected((error as NSError).localizedDescription)
        }
    }

    private static func storage(_ error: StorageError, _ vault: String) -> CueError {
        switch error {
        case .unreachable(let what):
            CueError(
                .unreachable, "the vault at \(what) cannot be reached",
                "is its disk plugged in, or its network folder mounted?")
        case .busy(let what, let seconds):
            CueError(
                .unreachable, "the vault at \(what) asks to wait for \(Style.count(seconds, "second"))",
                "run the command again then; nothing is lost")
        case .signedOut(let what):
            CueError(.failed, "the vault at \(what) wants you to sign in again", "sign in, then run the command again")
        case .noSpace:
            CueError(
                .failed, "no space is left where the vault is (\(vault)); everything that was backed up before is safe",
                "make room, then run the command again; it goes on where it stopped")
        case .readOnly:
            CueError(
                .failed, "the vault at \(vault) is read-only",
                "restore, ls, log, cat and check work; a backup needs to write")
        case .noPermission(let what):
            CueError(
                .failed, "no permission in the vault at \(vault) (\(what))", "check who owns the folder and its modes")
        case .notFound(let what): CueError(.damaged, "the vault is damaged: \(what) is missing", damageHint)
        case .shortRead(let what): CueError(.damaged, "the vault is damaged: \(what) is cut short", damageHint)
        case .alreadyThere(let what):
            CueError(.failed, "\(what) is in the vault already; nothing was replaced", "run the command again")
        case .blocked, .tooLarge, .endlessList, .system, .failed:
            CueError(.failed, "the vault at \(vault) does not work: \(error.words)")
        }
    }

    private static let damageHint =
        "`cue check --read-data` names all that is wrong; documents on this device are not touched"

    /// The same for every wrong secret: only a right one would show that a slot was changed.
    private static let damagedSlotHint =
        "if it is certainly right, its key slot may be damaged: the other one of passphrase and recovery code still opens the vault, and a device that remembers the key finds and mends it (`cue check`, `cue backup`)"

    private static func vault(_ error: VaultError, _ vault: String) -> CueError {
        switch error {
        case .notAVault:
            CueError(
                .failed, "there is no vault at \(vault)", "is its disk plugged in, or its network folder mounted?",
                "`cue init FOLDER --vault \(vault)` makes a new one")
        case .notEmpty:
            CueError(
                .failed, "\(vault) holds other files and is no vault",
                "choose an empty or a new folder for the vault"
            ).unchanged
        case .newerFormat(let format):
            CueError(
                .failed, "the vault at \(vault) has a newer format (\(format)) than this cue reads (\(Vault.format))",
                "upgrade cue, then run the command again")
        case .damaged: CueError(.damaged, "the vault is damaged or was tampered with: \(error.sentence)", damageHint)
        case .missing(let part): CueError(.damaged, "the vault is damaged: \(part.words) is missing", damageHint)
        case .cut: CueError(.damaged, "the vault is damaged: \(error.sentence)", damageHint)
        case .noKeySlot:
            CueError(
                .damaged, "the vault has no key slot that this cue can use", "is the folder `keys` complete?",
                "`cue key list` says of each what is wrong; a device that remembers the key still reads the vault")
        case .wrongSecret:
            CueError(
                .wrongSecret, "wrong passphrase or recovery code",
                "capital letters count in a passphrase, and not in a recovery code",
                damagedSlotHint
            ).unchanged
        case .tooManySlots(let left):
            CueError(
                .wrongSecret,
                "wrong passphrase or recovery code, as far as was tried: \(Style.count(left, "key slot")) \(left == 1 ? "was" : "were") left out, as trying all would take many minutes",
                "somebody may have added slots to the vault; `cue key list` lists them, and files in `keys` that are not yours may go",
                damagedSlotHint)
        case .derivationNotAllowed(let passes, let memory):
            CueError(
                .damaged,
                "a key slot asks for \(passes) passes over \(memory >> 20) MiB, outside of what is allowed (3 to 16 passes, 64 to 2048 MiB); "
                    + "nothing was tried",
                "somebody may have changed the vault; other slots and other copies of it are not affected")
        case .noMemoryForKey(let slot, let memory):
            CueError(
                .failed,
                "wrong passphrase or recovery code, as far as was tried: the key slot \(slot) asks for \(memory >> 20) MiB of memory, which is not there",
                "close other programs and try again, or try on another machine",
                "cue itself makes slots of 256 MiB; somebody may have added this one", damagedSlotHint)
        case .wentBack(let missing):
            CueError(
                .damaged,
                PackWords.wentBack(missing),
                "was an old copy of the vault put in place, or is a sync service still at work?",
                "if the vault was put back on purpose: `cue init` on this folder with --accept-older-vault starts from what is there"
            ).unchanged
        case .unknownSnapshot(let id): CueError(.failed, "there is no snapshot \(id)", "`cue log` lists the snapshots")
        case .ambiguousSnapshot(let id):
            CueError(.failed, "more than one snapshot begins with \(id)", "give more of its digits")
        }
    }

    private static func library(_ error: LibraryError) -> CueError {
        switch error {
        case .notALibrary(let path):
            CueError(.failed, "\(path) is no library of cue", "`cue init \(path) --vault WHERE` makes it one")
        case .folderMissing(let path): CueError(.failed, "there is no folder \(path)")
        case .markerBlocked:
            CueError(
                .failed,
                "a file or link called .cue is in the folder, where cue keeps what names a library",
                "give it another name, then run the command again"
            ).unchanged
        case .markerInvalid(let flaw):
            CueError(
                .failed, ".cue/library.toml is not understood: \(flaw.words)",
                "nothing was changed; mend that setting, then run the command again (a watcher that runs goes on as before)"
            )
        case .noState(let path):
            CueError(
                .failed, "\(path) is a library, but this device does not remember it; its documents are as they were",
                "`cue init \(path) --vault WHERE` with the same vault ties it again, without uploading anything twice")
        case .copyOf(let path):
            CueError(
                .failed, "this folder is a copy of the library at \(path)",
                "`cue init` on it makes it a library of its own")
        case .stateUnusable(let flaw):
            CueError(
                .failed, "cue cannot use its memory of this library: \(flaw.words)",
                "has the disk with the state folder (CUE_HOME) room, and may you write there?")
        case .stateOfOthers(let path, let why): ofOthers(path, why)
        case .planDamaged(let flaw):
            CueError(
                .failed,
                "cue cannot use its memory of your plan: \(flaw.words); your documents and vaults are not affected",
                "`cue plan forget --device` begins anew, as a device for which a plan has to be issued again")
        case .planNewer(let format):
            CueError(
                .failed,
                "cue's memory of your plan has a newer format (\(format)) than this cue reads; your documents and vaults are not affected",
                "upgrade cue, then run the command again")
        case .planUnusable(let trouble):
            CueError(
                .failed,
                "cue cannot use its memory of your plan: \(trouble.words); your documents and vaults are not affected",
                "has the disk with the state folder (CUE_HOME) room, and may you write there?")
        case .busy:
            CueError(
                .failed, "another cue is working on this library and did not end while this one waited",
                "wait until it is done, then run the command again")
        }
    }

    private static func ofOthers(_ path: String, _ why: StateOfOthers) -> CueError {
        let look = "the key of your vault lies in it: look whether all in it is yours, and remove what is not"
        return switch why {
        case .owner:
            CueError(
                .failed, "the folder with cue's memory, \(path), belongs to another user; nothing was done",
                "run cue as that user, or give the folder to yourself (chown -R); CUE_HOME names another one", look)
        case .mode(let mode):
            CueError(
                .failed,
                "other users may write in the folder with cue's memory, \(path) (mode \(String(mode, radix: 8))); nothing was done",
                "`chmod go-w \(path)` keeps them out", look)
        case .link:
            CueError(
                .failed,
                "\(path) is no folder of cue's: a link or a file stands there, and is not followed; nothing was done",
                "remove it, if you did not put it there; a state folder that lies elsewhere is named by CUE_HOME", look)
        }
    }

    private static func engine(_ error: EngineError, _ vault: String) -> CueError {
        switch error {
        case .vaultInsideLibrary:
            CueError(
                .failed, "the vault cannot be inside the library: it would back itself up",
                "choose a folder elsewhere, best on another disk")
        case .libraryInsideVault:
            CueError(.failed, "the library cannot be inside the vault", "choose another folder for the vault")
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
        case .noPlace(""):
            CueError(.usage, "the vault's place is empty", "name a folder, as in --vault /media/usb/vault")
        case .noPlace(let text):
            CueError(
                .usage, "\(text) is no place that cue knows for a vault; nothing was made",
                "this version keeps vaults in folders; for a folder of that name: --vault ./\(text)")
        case .remoteNotSupported(let scheme):
            CueError(.failed, "this version of cue keeps vaults in folders; \(scheme) is not supported")
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
            unknown(name, near)
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
        case .unknownVersion(let version):
            CueError(.failed, "there is no version \(version)", "`cue log NAME` lists the versions of a document")
        case .notAVersion(let version, let name):
            CueError(
                .failed, "\(version) is no version of \(Display.text(ArgumentBytes.bytes(name)))",
                "`cue log NAME` lists the versions of a document")
        case .noSuchMember(let file, let project):
            CueError(
                .failed, "\(project) holds no file \(Display.text(ArgumentBytes.bytes(file)))",
                "`cue ls NAME` shows what a document holds")
        case .notAFile(let name):
            CueError(
                .failed, "\(name) is a folder of files; name one of them",
                "`cue cat NAME:FILE` shows one; `cue ls NAME` lists them")
        case .unreadableTime(let text):
            CueError(
                .usage, "\(text) is neither a snapshot nor a time",
                "times look like 2026-11-21, \"2026-11-21 14:30\", yesterday, or \"3 days ago\"")
        case .nothingAt(let text):
            CueError(.failed, "there is no snapshot as old as \(text)", "`cue log` lists the snapshots")
        case .wouldOverwrite(let names): RestoreWords.inTheWay(names).unchanged
        case .otherKindInTheWay(let names): RestoreWords.otherKind(names).unchanged
        case .noRestoreToUndo: RestoreWords.nothingToUndo.unchanged
        case .notHere(let name, let versions):
            CueError(
                .usage, "this device has none of the versions of \(name) that are in conflict",
                "name one of them: --keep \(versions.joined(separator: ", or --keep "))")
        case .manyOthers(let name, let versions):
            CueError(
                .usage, "\(name) has \(versions.count) other versions",
                "name one of them: --keep \(versions.joined(separator: ", or --keep "))")
        case .noConflict(let name):
            CueError(
                .failed, "\(name) is in no conflict", "`cue conflicts` lists those that are"
            ).unchanged
        case .nothingToUndo(let name):
            CueError(
                .failed, "no conflict of \(name) was resolved that could be undone",
                "`cue log` with its name lists its versions, and `cue restore --version` brings one back"
            ).unchanged
        case .otherLibrary(let here, let there):
            CueError(
                .failed,
                "\(here == 1 ? "the one document" : "none of the \(here) documents") in this folder is \(here == 1 ? "not " : "")among the \(there) in the vault at \(vault)",
                "is it the right folder, and the right vault? `cue ls --vault \(vault)` shows what is there",
                "if both shall become one library, on this and all other devices: `cue sync --merge`"
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

    private static func system(_ error: SystemError) -> CueError {
        let subject = error.subject.isEmpty ? "" : "\(error.subject): "
        if error.isNoSpace {
            return CueError(
                .failed, "\(subject)no space is left there; what is whole stays, nothing half was kept",
                "make room, then run the command again")
        }
        return CueError(.failed, "\(subject)\(error.words)")
    }

    /// `text`: the message alone, as errors of GRDB also hold the statement and perhaps paths.
    private static func unexpected(_ text: String) -> CueError {
        CueError(
            .failed, "something unexpected happened: \(text)",
            "nothing that was backed up is affected; please report this")
    }
}
