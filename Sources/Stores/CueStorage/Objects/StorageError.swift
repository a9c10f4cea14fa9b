package import CueSystem

/// Why a store did not do what was asked.
public enum StorageError: Error, Sendable, Hashable, Codable {
    /// No object of that name.
    case notFound(String)
    /// An object of that name is there already; nothing was written.
    case alreadyThere(String)
    /// The store cannot be reached at all: unplugged, unmounted, no network.
    case unreachable(String)
    /// The store asks to wait for so many seconds.
    case busy(String, seconds: Int)
    /// The store wants a person to sign in again.
    case signedOut(String)
    case noSpace
    case readOnly
    case noPermission(String)
    /// Fewer bytes than the object has.
    case shortRead(String)
    /// A file or a link stands where this folder of the store should be.
    case blocked(String)
    /// The object of this name is larger than any of its kind.
    case tooLarge(String)
    /// A list of this folder names one place twice.
    case endlessList(String)
    /// Anything else; the name, and the system's text.
    case failed(String)

    /// When the same call may succeed.
    public enum Healing: Sendable, Hashable {
        /// Not before a person changes something.
        case never
        /// At any time, by itself.
        case soon
        /// By itself, after so many seconds.
        case after(seconds: Int)
        /// Once a person has signed in.
        case afterSignIn
    }

    /// When the same call may succeed: whether a caller tries again, waits, or gives up depends on this alone.
    public var heals: Healing {
        switch self {
        case .unreachable: .soon
        case .busy(_, let seconds): .after(seconds: seconds)
        case .signedOut: .afterSignIn
        case .notFound, .alreadyThere, .noSpace, .readOnly, .noPermission, .shortRead, .blocked, .tooLarge,
            .endlessList, .failed:
            .never
        }
    }
}

extension StorageError {
    /// What a call of the system says of an object or a folder. `opening`: of the vault's own folder, which may be on a disk that is not
    /// there.
    package init(_ error: SystemError, of name: String, opening: Bool = false) {
        if error.isNoSpace {
            self = .noSpace
        } else if error.isReadOnly {
            self = .readOnly
        } else if error.isNoPermission {
            self = .noPermission(name)
        } else if error.isNotFound {
            self = opening ? .unreachable(name) : .notFound(name)
        } else if error.isAlreadyThere {
            self = .alreadyThere(name)
        } else {
            self = .failed("\(name): \(error.systemText)")
        }
    }
}
