import CueBase
import CueEntitlements

extension PlanFlaw {
    /// The flaw, completing "FILE is not taken: …".
    var words: String {
        switch self {
        case .tooLong(let limit): "it is longer than \(limit >> 10) KiB"
        case .notJSON(let flaw, let offset): "it is no JSON: \(flaw.words), at byte \(offset)"
        case .notCanonical: "it is not in the form of RFC 8785"
        case .noObject(let part): "\(part.words) is no object"
        case .unknownKey(let part): "\(part.words) has a key that format 1 does not know"
        case .wrongValue(let part, let key): "\(part.words) has no right \(key)"
        case .beforeEpoch: "its times are before 1970"
        case .endsBeforeStart: "it expires before it is issued"
        case .ttl: "its ttlSeconds are not from 1 to 31622400"
        case .account: "its account has not 1 to 256 bytes, or control characters"
        case .tooManyFeatures: "it has more than 256 features"
        case .keyLength: "its key has not 32 bytes"
        }
    }
}

extension PlanFlaw.Part {
    /// The name of the part.
    fileprivate var words: String {
        switch self {
        case .file: "the file"
        case .keyFile: "the key file"
        case .snapshot: "the snapshot"
        case .memory: "the memory"
        case .acceptedSnapshot: "an accepted snapshot"
        }
    }
}
