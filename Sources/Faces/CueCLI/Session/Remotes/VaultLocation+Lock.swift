import CueEngine
import CueRemotes

extension VaultLocation {
    /// Whether each new object at the place is locked for a time.
    var locksObjects: Bool { lockDays != nil }

    private var lockDays: Int? {
        guard case .s3(let text) = self else { return nil }
        return (try? S3Address(text))?.lockDays
    }

    /// The same place where each new object is locked for so many days. Throws `CueError` if it is no place in S3, or
    /// says another number of days already.
    func locking(days: Int) throws -> VaultLocation {
        guard case .s3(let text) = self else { throw CueError(.usage, RemoteWords.noLocks(self)).unchanged }
        switch lockDays {
        case days: return self
        case .some(let other): throw CueError(.usage, RemoteWords.twoLocks(days, other)).unchanged
        case nil: return .s3("\(text)\(text.contains("?") ? "&" : "?")lock=\(days)d")
        }
    }
}
