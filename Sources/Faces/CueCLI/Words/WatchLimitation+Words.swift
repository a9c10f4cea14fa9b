import CueEngine

extension WatchLimitation {
    /// The reason, as the beginning of a sentence.
    var words: String {
        switch self {
        case .noEvents: "this system tells of no changes"
        case .noMoreFolders: "the system watches no more folders (fs.inotify.max_user_watches)"
        }
    }
}

extension RescanReason {
    /// The reason, as a clause.
    var words: String {
        switch self {
        case .folderReplaced: "the folder was moved or replaced"
        case .settingsChanged: "its settings changed"
        case .newFolders: "folders came, and what came in them"
        case .lostEvents: "more happened than the system could tell"
        case .slept: "the machine slept"
        }
    }
}

extension WatchState {
    /// The line of a watcher that a second signal ends at once; `waiting`: the number of documents that wait.
    static func lastWords(_ waiting: Int, _ phase: Phase) -> String {
        let left =
            switch waiting {
            case 0: phase == .syncing ? "a sync was not finished" : "nothing was heard of that waits"
            case 1: "1 document waits in the folder"
            default: "\(waiting) documents wait in the folder"
            }
        return "cue: stopped at once; \(left); the next start stores what is not stored yet\n"
    }
}
