import CueBase
import CueEngine
import CueLibrary
import CueSystem
import CueVault

extension SkippedPath {
    /// The path as people see it; empty without one.
    var shownPath: String { Display.text(path ?? .root) }

    /// One line with the path, if the reason concerns one.
    var sentence: String { isOfDocument ? "\(shownPath): \(reason.words)" : reason.words }
}

extension SkipReason {
    /// The reason, completing "PATH: …"; a sentence of its own where no path is concerned.
    var words: String {
        switch self {
        case .special(let file): "it is \(file.words)"
        case .nameTooLong: "its name is over \(Limits.name) bytes"
        case .pathTooLong: "its path is over \(Limits.path) bytes"
        case .folderUnreadable(let error): "the folder cannot be read (\(error.words))"
        case .rulesUnreadable(let error): "its rules cannot be read (\(error.words))"
        case .unreadable(let error): "it cannot be read (\(Self.member(error))\(error.words))"
        case .listTooLong:
            "the list of its files and their pieces is longer than cue can store at once (64 MiB); it stays as it is, here and in "
                + "the vault"
        case .damaged(let error): error.sentence
        case .givenUp(let version):
            "what it was then (version \(version.short)) was given up to save room; it cannot be brought back"
        case .gap(let gap): gap.sentence
        case .contentAwaited(let part):
            "its content has not arrived in the vault yet (\(part.words)); what is here stays"
        case .contentCut(let part, let size, let wanted):
            "its content has not arrived whole in the vault yet (\(part.words): \(size) of \(wanted) bytes); what is here "
                + "stays"
        case .folderNotMade(let error): "the folder cannot be made (\(error.words))"
        case .bundleNotMade(let error): "its folder cannot be made (\(error.words))"
        case .folderNotOpened(let error): "its folder cannot be opened (\(error.words))"
        case .notWritten(let error): "it cannot be written (\(error.words))"
        case .notPlaced(let error): "it cannot be put in its place (\(error.words))"
        case .attributeNotSet(let name, let error):
            "its attribute \(Display.text(name)) cannot be set (\(error.words))"
        case .modeNotSet(let error): "its mode and time cannot be set (\(error.words))"
        case .keptBeside(let names, let error):
            "it was changed meanwhile\(error == .changedMeanwhile ? "" : " (\(error.words))"); what somebody wrote is kept "
                + "beside it as \(names.map { Display.text($0) }.joined(separator: " and "))"
        case .replacedChanged(let name):
            "what it replaced was changed meanwhile, and is kept beside it as \(Display.text(name))"
        case .replacedStays(let name, let error):
            "it is back; what it replaced cannot be removed\(error.map { " (\($0.words))" } ?? ""), and is beside it as "
                + Display.text(name)
        case .vaultInUse: "another device is writing to the vault just now"
        case .leftForNextRun: "there is more to bring together than one run takes on; the next sync goes on with it"
        case .leftUntidy:
            "a sync that was cut off cannot be tidied up, as a folder does not let itself be written; nothing was changed "
                + "here"
        case .historyAwaited: "a part of its history has not arrived in the vault yet"
        case .libraryHistoryAwaited: "a part of the library folder's history has not arrived in the vault yet"
        case .gapAwaited(let gap): gap.waitingSentence
        case .holdsIgnored(let name, let more):
            "it was deleted or renamed on another device, and still holds "
                + "\(Display.text(name))\(more > 0 ? " and \(more) more" : ""), which "
                + "cue leaves out; it stays here until that is gone"
        case .open(let change, let holder):
            "\(change.words), and is open here (\(holder.words)); it is left as it is until that is closed"
        case .touched(let change): "\(change.words), and was touched here meanwhile; the next sync looks at both"
        case .touchedMeanwhile(.renamed): "it was renamed on another device, and was touched here meanwhile"
        case .touchedMeanwhile(let change): "\(change.words), and was touched here meanwhile"
        case .notAllowed(let error):
            "this folder does not let it be changed (\(error.words)); it is left as it is"
        case .folderNotRemoved(let error):
            "it was deleted or renamed on another device, and cannot be removed (\(error.words))"
        case .otherKind: "the vault has it as a document of another kind; what is here stays as it is"
        case .nameDiffersInCase:
            "a name in this folder differs from it only by capital letters or accents, which this disk cannot "
                + "tell apart; it stays in the vault"
        case .nameTaken: "something else stands at its name here; it stays in the vault"
        case .newNameTaken: "it has another name on another device, at which something else stands here"
        case .lastCopy(let change):
            "\(change.words), but a part of the vault that held it is gone or damaged; it could not be stored again just "
                + "now, and stays here, as this may be the last copy"
        case .documentAbove(let folder):
            "\(Display.text(folder)) is a document here and a folder on another device; it stays in the vault "
                + "until one of the two has another name"
        }
    }

    /// The file of a bundle that a path too long is about: the only one of these errors that has a whole path.
    private static func member(_ error: SystemError) -> String {
        error.code == SystemError.tooLong.code ? "\(error.subject): " : ""
    }
}

extension RemoteChange {
    /// The change, as the beginning of a sentence.
    fileprivate var words: String {
        switch self {
        case .deleted: "it was deleted on another device"
        case .renamed: "it has another name on another device"
        case .changed: "it was changed on another device"
        }
    }
}

extension DocumentHolder {
    /// The program or lock file, in parentheses of a sentence.
    fileprivate var words: String {
        switch self {
        case .process(let name): name
        case .lockFile(let name): "\(Display.text(name)) is there"
        case .scrivenerLock: "Files/user.lock is there"
        }
    }
}

extension SpecialFile {
    /// The kind, completing "it is …".
    var words: String {
        switch self {
        case .fifo: "a FIFO"
        case .socket: "a socket"
        case .device: "a device"
        case .unknown: "of an unknown kind"
        }
    }
}

extension DocumentStatus.Reason {
    /// The reason for a line of the status; `message`: the watcher's, if one runs and fails.
    func words(_ message: String?) -> String? {
        switch self {
        case .skipped(let reason): reason.words
        case .cutShort: "cut short on this disk, and by no writer; `cue sync` brings it again"
        case .deletionHeldBack: "its deletion waits for your word"
        case .keptChanging: "it kept changing while it was read"
        case .beingWritten: "being written"
        case .watcherFails: message
        }
    }
}
