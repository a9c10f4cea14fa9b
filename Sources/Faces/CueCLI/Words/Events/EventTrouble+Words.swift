import CueEventLog
import CueStorage
import CueSystem

extension EventTrouble {
    /// The reason, completing "events: …".
    var words: String {
        switch self {
        case .batch(let error): error.sentence
        case .store(let error): error.words
        }
    }
}

extension StorageError {
    /// The reason, completing "events: …" or "the vault does not work: …".
    var words: String {
        switch self {
        case .noSpace: "no space is left where the vault is"
        case .readOnly: "the vault is read-only"
        case .noPermission(let what): "no permission for \(what)"
        case .notFound(let what): "\(what) is missing"
        case .alreadyThere(let what): "\(what) is there already"
        case .shortRead(let what): "\(what) is cut short"
        case .blocked(let folder): "a file or a link stands where its folder \(folder) should be"
        case .tooLarge(let name): "\(name) is larger than any object of its kind"
        case .endlessList(let folder): "\(folder): the list of what it holds does not go on"
        case .system(let name, let code): "\(name): \(SystemError(code: code, call: "").systemText)"
        case .service(let fault): fault.words("the vault").problem
        case .stopped: "it was stopped"
        case .failed(let what), .unreachable(let what), .busy(let what, _), .signedOut(let what): what
        }
    }
}
