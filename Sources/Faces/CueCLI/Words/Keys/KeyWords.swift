import CueBase
import CueCrypto
import CueEngine
import CueTerminal
import CueVault

/// Sentences about the vault's key slots.
enum KeyWords {
    /// The problems that a backup or sync found, including those that it repaired.
    static func warnings(_ report: KeyWatch.Report) -> [String] { report.troubles.map(sentence) }

    private static func sentence(_ trouble: KeyTrouble) -> String {
        if case .epoch = trouble.what { return trouble.sentence + "; it is passed over" }
        if case .epochsMissing = trouble.what { return trouble.sentence }
        guard trouble.isMended else {
            return trouble.sentence
                + "; on another machine a passphrase or recovery code may open nothing. `cue check` tells more"
        }
        return trouble.sentence
            + (trouble.what == .returned ? "; it was removed again" : "; it was written again as it was")
    }

    /// Another device changed the keys, and the slot of this one is not among those that the new ones are sealed to.
    static let changedElsewhere =
        "the keys of this vault were changed, and what opened it on this device does not open it any more"
    /// A slot whose bytes are not those that the vault says.
    static let changed = "its content was changed"
    /// A slot of the vault without a file.
    static let missing = "its file is missing"
    /// The slot through which this device opens the vault.
    static let usedHere = "used on this device"
    /// A file that is not one of the vault's slots.
    static let notOfVault = "not this vault's: nothing is sealed to it"
    /// A new code was shown, and then the keys could not be changed.
    static let codeMayNotOpen =
        "the recovery code that was shown may open nothing, and the old one may still open the vault: `cue key list` says which there is; run the command again"

    /// Two devices changed the keys at the same time.
    static func changedAtOnce(_ count: Int) -> String {
        "the keys were changed on \(count) devices at once; if all slots in this list are yours, `cue key renew` makes one key of them"
    }

    /// What a list on a device that does not know the newest keys is worth.
    static let outdated =
        "the keys were changed on another device, and what this one remembers does not open the new ones: it cannot tell which of these slots "
        + "count, so delete none; `cue key list --passphrase-file FILE` shows the list"

    /// What `cue key renew` did.
    static func renewed(_ changed: ChangedKeys) -> String {
        "The vault has a new key, number \(changed.number). What is written from now on is sealed with it; what was stored before keeps the key that it had."
    }

    /// What `cue key add` did.
    static func added(_ changed: ChangedKeys) -> String {
        let slot = changed.added.map { " (slot \($0))" } ?? ""
        return "The new passphrase opens the vault\(slot); so do the others that `cue key list` shows."
    }

    /// What `cue key remove` did, and did not do.
    static func removed(_ changed: ChangedKeys) -> String {
        let own =
            changed.isOwnRemoved
            ? "\nThis device used that slot: when the keys are changed again, it asks for a passphrase." : ""
        let kept =
            changed.isFileKept
            ? "\nIts file stays in the vault, as the place forbids deleting." : ""
        return
            "The slot \(changed.removed?.id.description ?? "") opens nothing that is written from now on.\nWhat was stored before stays readable to whoever has its secret and a copy of the vault from before."
            + kept + own
    }

    /// Why keys were not changed.
    static func refusal(_ refusal: ChangedKeys.Refusal) -> CueError {
        switch refusal {
        case .unknownSlot(let digits):
            CueError(.failed, "the vault has no key slot \(digits)", "`cue key list` shows the slots").unchanged
        case .tooFewDigits(let digits):
            CueError(
                .failed, "\(digits) are too few digits to remove a key slot by",
                "give four or more; `cue key list` shows them"
            ).unchanged
        case .ambiguousSlot(let digits):
            CueError(.failed, "more than one key slot begins with \(digits)", "give more of its digits").unchanged
        case .notOfVault(let slot):
            CueError(
                .failed, "keys/\(slot) is no slot of this vault: nothing is sealed to it",
                "the file itself may be deleted from the vault's folder"
            ).unchanged
        case .lastSlot:
            CueError(
                .failed, "this is the last key slot that is there and whole: without it nobody could open the vault",
                "add another passphrase first, with `cue key add`"
            ).unchanged
        }
    }

    /// Why a passphrase that was right once may be wrong.
    static let removedSecret =
        "what `cue key remove` or `cue key new-code` took away opens the vault no more; an older copy of the vault opens with what it had then"

    /// The question before a slot is removed.
    static func question(_ slot: ListedSlot, isOwn: Bool) -> String {
        let label = slot.label.isEmpty ? "" : " (\(Display.text(slot.label.utf8)))"
        let own =
            isOwn
            ? " This device opens the vault through it: when the keys are changed again, it asks for another passphrase."
            : ""
        return
            "The slot \(slot.id)\(label), made \(slot.made.shown), will open nothing that is written from now on.\(own) That cannot be taken back.\nRemove it?"
    }

    /// The answer was no.
    static let notRemoved = "the slot was not removed"

    /// A question for a passphrase was ended without an answer.
    static let notTried = "stopped; nothing was done"
    /// The same for a new vault.
    static let notMade = "stopped; nothing was made"

    /// A slot that came later, and whose maker is unknown.
    static func unproven(_ slot: String) -> String {
        "\(slot): this file is no key slot of this vault: it was removed, or somebody put it there; nothing is sealed to it, and it may go"
    }

    /// Steps for slots that a check finds damaged; empty if there are none.
    static func hints(_ report: KeyWatch.Report, _ library: OpenLibrary?) -> [String] {
        guard !report.troubles.isEmpty else { return [] }
        let folder = library.map { ShellWord.quoted("\($0.path)") } ?? "FOLDER"
        return [
            "the documents are not affected, and what remembers the key goes on; but a passphrase or recovery code may open nothing on another machine",
            "`cue backup \(folder)` writes again what this device has made or opened itself, and a slot that is missing a day after it was first missed; so does any other device that has",
            "`cue key new-code --library \(folder)` makes a new recovery code",
        ]
    }
}

extension EpochFlaw {
    /// The reason why an epoch does not count, completing "EPOCH: …".
    var words: String {
        switch self {
        case .notAnEpoch: "it is no change of this vault's keys"
        case .notForThisSlot:
            "it is not for the key slot that opened the vault here: the slot was removed, or this is a foreign file"
        case .otherKey: "it does not hold the key that it is called by"
        case .damaged: "its content was changed or cut"
        case .impossible: "it breaks the rules of the format"
        case .foreign: "nobody with a key of this vault made it"
        case .unreadable: "it cannot be read"
        }
    }
}

extension KeyTrouble {
    /// One line, in the form of the vault's other problems.
    var sentence: String {
        switch what {
        case .changed: "\(slot): the key slot is not as this device knew it"
        case .missing: "\(slot): the key slot is missing"
        case .returned: "\(slot): the key slot is there again, though it was removed"
        case .unusable(let error): "\(slot): \(error.words)"
        case .unlisted: "\(slot): the folder cannot be read"
        case .epoch(let flaw): "\(slot): \(flaw.words)"
        case .epochsMissing(let count):
            "\(slot): \(Style.count(count, "change")) of the keys \(count == 1 ? "is" : "are") not there any more: is a sync service still at work? If not, `cue key renew` stores the keys again"
        }
    }
}
