package import CueBase
package import CueCrypto
package import CueLibrary
package import CueStorage
package import CueSystem
package import CueVault
import Foundation

/// The cause of a failure, in a form that another process can read.
///
/// A watcher's state keeps it: a changed case, here or in one of these errors, needs another version of `FactCode`.
package enum FailureCause: Error, Codable, Sendable, Equatable {
    case storage(StorageError)
    case vault(VaultError)
    case library(LibraryError)
    case engine(EngineError)
    case system(SystemError)
    case keySlot(KeySlotError)
    case seal(SealError)
    case format(FormatError)
    /// An error of a library that cue uses, in the text of that library.
    case unexpected(String)
    /// A message and hints in place of the cause: of an earlier cue, or of a command that found the error itself.
    case told(String, hints: [String])

    /// The cause that this error is.
    package init(_ error: any Error) {
        self =
            switch error {
            case let error as StorageError: .storage(error)
            case let error as VaultError: .vault(error)
            case let error as LibraryError: .library(error)
            case let error as EngineError: .engine(error)
            case let error as SystemError: .system(error)
            case let error as KeySlotError: .keySlot(error)
            case let error as SealError: .seal(error)
            case let error as FormatError: .format(error)
            case let error as FailureCause: error
            default: .unexpected((error as NSError).localizedDescription)
            }
    }

    /// The error; the cause itself if only its text is known.
    package var error: any Error {
        switch self {
        case .storage(let error): error
        case .vault(let error): error
        case .library(let error): error
        case .engine(let error): error
        case .system(let error): error
        case .keySlot(let error): error
        case .seal(let error): error
        case .format(let error): error
        case .unexpected, .told: self
        }
    }

    /// Whether nothing more can be stored at the place of the vault until a person makes room or gives leave.
    package var takesNothingMore: Bool { (error as? StorageError)?.takesNothingMore ?? false }

    /// Whether the same work may succeed later without anything that a person does.
    package var heals: Bool {
        switch self {
        case .storage(let error):
            switch error.heals {
            case .soon, .after: true
            case .never, .afterSignIn: false
            }
        case .engine(.vaultNotInFolder), .engine(.vaultBehind): true
        default: false
        }
    }
}
