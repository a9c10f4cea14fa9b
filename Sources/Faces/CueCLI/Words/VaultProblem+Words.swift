import CueBase
import CueEngine
import CueStorage
import CueTerminal
import CueVault

extension HistoryGap {
    /// One line for a list or a check that shows what is there.
    var sentence: String {
        switch self {
        case .damaged(let error): error.sentence
        case .missing(let position):
            "\(ObjectRecordLog.name(of: position)): other commits name it, but it is not there"
        case .checkpoint(let problem): problem.sentence
        }
    }

    /// One line for a backup or a sync, which goes on without it.
    var waitingSentence: String {
        switch self {
        case .damaged(let error):
            "a part of the vault has not arrived whole, or is damaged (\(error.sentence)); what is in it waits. "
                + "`cue check` tells more"
        case .missing(let position):
            "what another device stored has not arrived yet (\(ObjectRecordLog.name(of: position))); it waits"
        case .checkpoint(let problem): problem.sentence
        }
    }
}

extension CheckpointProblem {
    /// One line.
    var sentence: String {
        switch self {
        case .incomplete(let name):
            "\(name): commits that it sums up are not there, on their way here or lost; what it keeps of them is restored "
                + "from it"
        case .wrong(let name):
            "\(name): it does not match the commits; they hold everything, and the files in checkpoints/ can be deleted"
        }
    }
}

extension VaultProblem {
    /// One line.
    var sentence: String {
        switch self {
        case .gap(let gap): gap.sentence
        case .damage(let error), .falseClaim(let error): error.sentence
        case .keySlot(let trouble): trouble.sentence
        case .noKeySlot: "keys/: there is no key slot; without this device's memory nobody can open the vault"
        case .keysUnlisted(let error): "keys/: \(error.words)"
        case .falseRecord(let pack, let commit):
            "\(ObjectRecordLog.name(of: commit)): what it says of \(PackRecord.name(of: pack, pack.isInline ? commit : nil)) is false, and does not count"
        case .batchMissing(let position):
            "\(ObjectRecordLog.name(of: position, .events)): another batch of events names it, but it is not there"
        case .version(let id, let flaw): "version \(id.short): \(flaw.words)"
        case .contradiction(let found):
            "\(ObjectRecordLog.name(of: found.of)): it is not what \(ObjectRecordLog.name(of: found.by)) says that it was; either one of the two devices wrote something false, or the commit was replaced by somebody with its device's key"
        case .heldByRun(let found):
            "\(found.damage?.sentence ?? ObjectRecordLog.name(of: found.position).text); nothing of the history is lost, as "
                + "\(found.run) holds this commit too"
        case .otherForm(let found):
            "\(found.run): it holds \(ObjectRecordLog.name(of: found.position)) with other content, which does not count; "
                + "somebody with its device's key wrote one of the two: copy the vault, then delete the one that your devices did not write"
        case .noCommit:
            "log/: there is no commit, though content was stored: either all that says what it is was lost, or the first "
                + "backup never ended"
        case .packsGone(let count): PackWords.gone(count)
        case .commitsGone(let count):
            "the vault went back in time: \(Style.count(count, "commit")) that this device has seen "
                + "\(count == 1 ? "is" : "are") gone"
        case .batchesGone(let count):
            "\(EventWords.batches(count)) that this device has seen \(count == 1 ? "is" : "are") gone or cut; `cue sync` "
                + "stores again what it knows of them"
        case .document(let document): document.words
        }
    }
}

extension VersionFlaw {
    /// The flaw, completing "version …: …".
    var words: String {
        switch self {
        case .strayParent(.itself): "it names itself as what it comes from; that counts for nothing"
        case .strayParent(.otherProject):
            "it names a version of another document as what it comes from; that counts for nothing"
        case .strayParent(.circle): "it names what comes from it as what it comes from; that counts for nothing"
        case .missingParent: "it comes from a version that is not there"
        case .unplacedContent: "a piece of its content is nowhere in the vault"
        case .pieceSum: "the pieces of a file do not add up to its size"
        }
    }
}

extension DamagedDocument {
    /// The name of the document with its version.
    var words: String { "\(Display.text(path)) (version \(version.short))" }
}
