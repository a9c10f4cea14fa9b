package import CueSystem

/// The reasons why a store did not do what was asked. The text of a case is the name of the object, folder or store.
public enum StorageError: Error, Sendable, Hashable, Codable {
    /// There is no object of this name.
    case notFound(String)
    /// An object has this name already, and nothing was written.
    case alreadyThere(String)
    /// The store cannot be reached at all: unplugged, unmounted, or no network.
    case unreachable(String)
    /// The store asks to wait for so many seconds.
    case busy(String, seconds: Int)
    /// The store wants a person to sign in again.
    case signedOut(String)
    /// The disk or the quota is full, or the file would be too large.
    case noSpace
    /// The file system is mounted read-only.
    case readOnly
    /// The user may not read or write it.
    case noPermission(String)
    /// The object ends before the bytes that were asked for.
    case shortRead(String)
    /// A file or a link stands in the place of this folder.
    case blocked(String)
    /// The object is larger than any of its kind.
    case tooLarge(String)
    /// The listing of this folder does not end: a page leads back, or too many in a row are empty.
    case endlessList(String)
    /// Any other error of the system, with its `errno`.
    case system(String, code: Int32)
    /// The service of the vault refuses, for a reason that a person can change.
    case service(ServiceFault)
    /// A stop was requested, and the request was given up.
    case stopped
    /// An error in its own text, as an earlier cue kept it in the local store where this one keeps `system`. No store
    /// throws it; without the case such facts could not be read.
    case failed(String)

    /// The circumstances under which the same call may succeed later.
    public enum Healing: Sendable, Hashable {
        /// Only after a person changes something.
        case never
        /// At any time, by itself.
        case soon
        /// By itself, after so many seconds.
        case after(seconds: Int)
        /// Once a person has signed in.
        case afterSignIn
    }

    /// True if the place does not allow what was asked: a bucket that keeps everything forbids deletions.
    public var isForbidden: Bool {
        switch self {
        case .noPermission, .readOnly, .service(.denied): true
        default: false
        }
    }

    /// True if nothing more can be stored at the place until a person makes room or gives leave.
    public var takesNothingMore: Bool {
        switch self {
        case .noSpace, .readOnly, .noPermission, .service(.denied(.write, _)), .service(.denied(.lock, _)): true
        default: false
        }
    }

    /// When the same call may succeed. On this alone depends whether a caller tries again, waits, or gives up.
    public var heals: Healing {
        switch self {
        case .unreachable, .service(.away): .soon
        case .busy(_, let seconds): .after(seconds: seconds)
        case .signedOut: .afterSignIn
        case .notFound, .alreadyThere, .noSpace, .readOnly, .noPermission, .shortRead, .blocked, .tooLarge,
            .endlessList, .system, .service, .stopped, .failed:
            .never
        }
    }
}

extension StorageError {
    /// Translates the error of a system call on the object or folder `name`.
    ///
    /// `opening` is true for the vault's own folder: if that is missing, its disk may not be mounted, and the error is
    /// `.unreachable` in place of `.notFound`.
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
            self = .system(name, code: error.code)
        }
    }
}
