import CueTerminal

/// Messages about the monitor of `[notify] ping`.
enum PingWords {
    static let givenUp = "cue: the address of [notify] ping does not answer; that changes nothing about the backup"

    static let heard = "the address of [notify] ping hears this watcher again"

    static func unheard(_ trouble: PingTrouble) -> String {
        "the address of [notify] ping does not hear this watcher: \(trouble.words); documents are stored all the same"
    }
}

extension PingTrouble {
    /// The trouble, completing "…: ".
    fileprivate var words: String {
        switch self {
        case .refused(let status): "it answers with status \(status)"
        case .unheard(let error): error.words
        }
    }
}
