import CueBase
import CueCrypto
import CueStorage
import CueSystem
import CueVault

extension SealError {
    /// The reason, completing "OBJECT: …".
    var words: String {
        switch self {
        case .notForThisPlace: "its seal is not that of this vault and place"
        case .damaged: "its content was changed or cut"
        case .wrongLength: "it is cut short"
        case .unknownEpoch: "it is sealed under a key that this vault does not have here"
        }
    }
}

extension FormatError {
    /// The reason, completing "OBJECT: …".
    var words: String {
        switch self {
        case .truncated: "it ends too early"
        case .outOfRange: "it holds a number that cannot be"
        case .trailing: "it holds more than it should"
        case .invalid(let flaw): "it holds \(flaw.words)"
        }
    }
}

extension KeySlotError {
    /// The reason, completing "SLOT: …".
    var words: String {
        switch self {
        case .invalid(let flaw): flaw.words
        case .derivationNotAllowed(let passes, let memory):
            "it asks for \(passes) passes over \(memory >> 20) MiB, which is outside of what is allowed"
        case .wrongSecret: "the secret does not open it"
        case .damaged: "its content was changed"
        case .noMemory: "there is not enough memory"
        }
    }
}

extension KeySlotFlaw {
    /// The reason, completing "SLOT: …".
    var words: String {
        switch self {
        case .notASlot: "it is no key slot of this format"
        case .otherVault: "it belongs to another vault"
        case .unknownKind: "it is of a kind that this version does not know"
        case .cutShort: "it is cut short"
        case .unreadable: "it cannot be read"
        }
    }
}

extension VaultPart {
    /// The name of the part.
    var words: String {
        switch self {
        case .object(let name): name
        case .version(let id): "version \(id.short)"
        case .base(let id): "version \(id.short), against which another is written"
        case .unplacedContent: "a piece of content that no commit places"
        case .document(let path): Display.text(path)
        case .beforeDeletion(let path): "what \(Display.text(path)) was before it was deleted"
        }
    }
}

extension VaultDamage {
    /// The damage, completing "OBJECT: …".
    var words: String {
        switch self {
        case .seal(let error): error.words
        case .format(let error): error.words
        case .cutShort: "it is cut short"
        case .noPermission: "there is no permission to read it"
        case .unreadable: "it cannot be read"
        case .size(let size, let wanted): "it has \(size) bytes and should have \(wanted)"
        case .twin(let other):
            "\(other) bears the same commit id, and neither counts; copy the vault, then delete the one that your "
                + "devices did not write"
        case .otherForm(let other):
            "it holds a commit that \(other) holds with other content, and neither counts; copy the vault, then delete "
                + "the one that your devices did not write"
        case .overBudgetTogether: "it holds far more than an object of its size, like others"
        case .leadsNowhere: "its differences lead nowhere"
        case .foreignHeader: "it is not what cue writes"
        case .changedWhileMade: "it was changed while the vault was made"
        case .notAsWritten: "it is not what was written"
        case .chunkOutsideBlock: "a chunk lies outside of its block"
        case .otherChunk: "a chunk is not the one it is called"
        case .shorterThanNamed: "it is shorter than the commits say"
        case .undecodableBlock: "a block does not decompress"
        case .impossibleBase: "a block is a difference from content that is not stored in full"
        case .otherFooter: "its footer does not match what the commits say of it"
        case .pieceSum: "its pieces do not add up to its size"
        }
    }
}

extension VaultError {
    /// One line: which part, and what is wrong with it.
    var sentence: String {
        switch self {
        case .damaged(let part, let damage): "\(part.words): \(damage.words)"
        case .missing(let part): "\(part.words): it is missing"
        case .cut(let part, let size, let wanted): "\(part.words): it has \(size) bytes and should have \(wanted)"
        case .keysWentBack(let missing): PackWords.keysWentBack(missing)
        case .deviceShutOut(let by, let time): DeviceWords.shutOut(by, time)
        default: "\(self)"
        }
    }
}

extension SystemError {
    /// The reason, completing "PATH: …": the system's words, as far as the code is one of its own.
    var words: String {
        self == .changedMeanwhile ? "it was changed meanwhile, and stays as it is" : systemText
    }
}
