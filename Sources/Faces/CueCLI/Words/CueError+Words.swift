import CueBase
import CueCrypto
import CueEngine
import CueEntitlements
import CueLibrary
import CueRemotes
import CueSearch
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
            interrupted
        case let error as StorageError: storage(error, vault)
        case let error as S3SetupError: error.words(vault)
        case let error as VaultError: self.vault(error, vault)
        case let error as KeySlotError: CueError(.failed, "a key slot cannot be made: \(error.words)")
        case let error as LibraryError: library(error)
        case let error as EngineError: error.words(vault)
        case let error as ChangedKeys.Refusal: KeyWords.refusal(error)
        case let error as NotStored: RestoreWords.notStored(error, vault: vault)
        case let error as Initialization.NotTied: describing(error.cause, vault: vault)
        case let error as EventFileError: error.words
        case let error as SearchError: SearchWords.error(error)
        case let error as SnapshotRefusal: PlanWords.error(error, "the plan")
        case let error as SystemError: system(error)
        case let error as SealError: CueError(.damaged, "the vault is damaged: \(error.words)")
        case let error as FormatError: CueError(.damaged, "the vault is damaged: \(error.words)")
        case FailureCause.unexpected(let text): unexpected(text)
        case FailureCause.told(let message, let hints): hints.reduce(CueError(.failed, message)) { $0.hinting($1) }
        default: unexpected((error as NSError).localizedDescription)
        }
    }

    private static var interrupted: CueError {
        CueError(.interrupted, "interrupted; what was finished is kept, and the next run goes on from there")
    }

    private static func storage(_ error: StorageError, _ vault: String) -> CueError {
        switch error {
        case .unreachable(let what):
            CueError(
                .unreachable, "the vault at \(what) cannot be reached",
                what.hasPrefix("s3://")
                    ? "is there a network? What is saved in the folder is safe there"
                    : "is its disk plugged in, or its network folder mounted?")
        case .service(let fault): fault.words(vault)
        case .stopped: interrupted
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
                .failed, "no permission in the vault at \(vault)\(what == vault ? "" : " (\(what))")",
                "check who owns the folder and its modes")
        case .notFound(let what): CueError(.damaged, "the vault is damaged: \(what) is missing", damageHint)
        case .shortRead(let what): CueError(.damaged, "the vault is damaged: \(what) is cut short", damageHint)
        case .alreadyThere(let what):
            CueError(.failed, "\(what) is in the vault already; nothing was replaced", "run the command again")
        case .endlessList:
            CueError(
                .failed, "the vault at \(vault) does not work: \(error.words)",
                "nothing was changed; run the command again, and if it stays so, `cue doctor --vault WHERE` tries out what the place can do"
            )
        case .blocked, .tooLarge, .system, .failed:
            CueError(.failed, "the vault at \(vault) does not work: \(error.words)")
        }
    }

    private static let damageHint =
        "`cue check --read-data` names all that is wrong; documents on this device are not touched"

    /// The same for every wrong secret: only a right one would show that a slot was changed.
    private static let damagedSlotHint =
        "if it is certainly right, its key slot may be damaged: the other one of passphrase and recovery code still opens the vault, and a device that remembers the key finds and mends it (`cue check`, `cue backup`)"

    private static func wentBack(_ sentence: String) -> CueError {
        CueError(
            .damaged, sentence, "was an old copy of the vault put in place, or is a sync service still at work?",
            "if the vault was put back on purpose: `cue init` on this folder with --accept-older-vault starts from what is there; it asks for a passphrase or recovery code that opened the vault at that time"
        ).unchanged
    }

    private static func vault(_ error: VaultError, _ vault: String) -> CueError {
        switch error {
        case .notAVault:
            CueError(
                .failed, "there is no vault at \(vault)",
                vault.hasPrefix("s3://")
                    ? "is the prefix right? In the bucket, look for an object that ends with /vault.json"
                    : "is its disk plugged in, or its network folder mounted? Look for a folder that has vault.json in it"
            )
        case .notEmpty:
            CueError(
                .failed, "\(vault) holds other files and is no vault",
                "choose an empty or a new folder for the vault"
            ).unchanged
        case .newerFormat(let format):
            CueError(
                .failed, "the vault at \(vault) has a newer format (\(format)) than this cue reads (\(Vault.format))",
                "upgrade cue, then run the command again")
        case .olderFormat(let format):
            CueError(
                .failed,
                "the vault at \(vault) has format \(format), which no released cue wrote; this cue reads \(Vault.format)",
                "`cue init` with another place makes a new vault; the cue that made this one still reads it")
        case .shutOut:
            CueError(
                .wrongSecret, KeyWords.changedElsewhere,
                "`cue backup` asks for a passphrase or recovery code that opens the vault now, and then remembers the new keys"
            ).unchanged
        case .deviceShutOut(let by, let time):
            CueError(
                .failed, "\(DeviceWords.shutOut(by, time)); nothing was stored, and the folder is as it was",
                DeviceWords.goOn)
        case .tooManyKeys:
            CueError(
                .failed, "the keys of this vault cannot be changed any more: no more changes or key slots fit into it",
                "remove a key slot that nobody needs, or make a new vault with `cue init`"
            ).unchanged
        case .damaged: CueError(.damaged, "the vault is damaged or was tampered with: \(error.sentence)", damageHint)
        case .missing(let part): CueError(.damaged, "the vault is damaged: \(part.words) is missing", damageHint)
        case .cut: CueError(.damaged, "the vault is damaged: \(error.sentence)", damageHint)
        case .noKeySlot:
            CueError(
                .damaged, "the vault has no key slot that this cue can use", "is the folder `keys` complete?",
                "`cue key list` says of each what is wrong; a device that remembers the key still reads the vault")
        case .wrongSecret:
            CueError(
                .wrongSecret, "wrong passphrase or recovery code, or one that was removed",
                KeyWords.removedSecret,
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
        case .wentBack(let missing): wentBack(PackWords.wentBack(missing))
        case .keysWentBack(let missing): wentBack(PackWords.keysWentBack(missing))
        case .unknownSnapshot(let id): CueError(.failed, "there is no snapshot \(id)", "`cue log` lists the snapshots")
        case .ambiguousSnapshot(let id):
            CueError(.failed, "more than one snapshot begins with \(id)", "give more of its digits")
        }
    }

    private static func library(_ error: LibraryError) -> CueError {
        switch error {
        case .notALibrary(let path):
            CueError(
                .failed, "\(path) is no library of cue",
                "`cue init \(ShellWord.quoted(path)) --vault WHERE` makes it one")
        case .folderMissing(let path): CueError(.failed, "there is no folder \(path)")
        case .notAFolder(let path):
            CueError(
                .failed, "\(path) is a file, and a library is a folder",
                "name the folder that it is in; all that is in it is stored with it"
            ).unchanged
        case .folderNotWritable(let path, let error):
            CueError(
                .failed,
                "cue cannot write in \(path) (\(error.words)), and keeps there what names a library, in a folder .cue; nothing was made",
                "look who owns the folder, and at its modes (`ls -ld`); make it writable, then run the command again"
            )
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
                "`cue init \(ShellWord.quoted(path)) --vault WHERE` with the same vault ties it again, without uploading anything twice"
            )
        case .copyOf(let path):
            CueError(
                .failed, "this folder is a copy of the library at \(path)",
                "`cue init` on it makes it a library of its own")
        case .stateUnusable(let flaw):
            CueError(
                .failed, "cue cannot use its memory of this library: \(flaw.words)", flaw.hint)
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
                trouble == .store(.damaged)
                    ? "`cue plan forget --device` begins anew, as a device for which a plan has to be issued again"
                    : "has the disk with the state folder (CUE_HOME) room, and may you write there?")
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
                "`chmod go-w \(ShellWord.quoted(path))` keeps them out", look)
        case .link:
            CueError(
                .failed,
                "\(path) is no folder of cue's: a link or a file stands there, and is not followed; nothing was done",
                "remove it, if you did not put it there; a state folder that lies elsewhere is named by CUE_HOME", look)
        }
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
