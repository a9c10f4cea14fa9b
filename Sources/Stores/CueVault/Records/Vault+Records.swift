import CueBase
import CueCrypto
package import CueStorage

extension Vault {
    /// Seals a commit and makes it durable: after this it has happened. Returns the bytes that it took.
    package func append(_ draft: CommitDraft, at position: LogPosition) throws -> Int {
        let name = ObjectRecordLog.name(of: position)
        let plaintext = try draft.plaintext()
        // What this program could not read again must never be called backed up.
        let written = try RecordObject(commit: plaintext, at: position)
        for version in written.versions { _ = try version.changes(in: written) }
        let sealed = seal(plaintext, .commit, name)
        try log.append(sealed, at: position)
        return sealed.count
    }

    /// Reads and opens a commit; `more` are the bytes of those that come after it.
    package func commit(_ entry: LogEntry, roomFor more: Int = 0) throws -> RecordObject {
        let name = ObjectRecordLog.name(of: entry.position)
        return try object(name) {
            let plaintext = try PlainReader(try log.source(of: entry), of: self, .commit, name)
            return try RecordObject(commit: plaintext, at: entry.position, roomFor: more)
        }
    }

    /// Errors of `read` become those of the object.
    func object<Value>(_ name: ObjectName, _ read: () throws -> Value) throws -> Value {
        do {
            return try read()
        } catch let error as SealError {
            objects.forget(name)
            throw VaultError.damaged(.object(name.text), .seal(error))
        } catch let error as FormatError {
            throw VaultError.damaged(.object(name.text), .format(error))
        } catch let error as StorageError {
            throw VaultError.of(error, name)
        }
    }
}

extension VaultError {
    /// A store that does not give an object says that the object is damaged; only one that is gone altogether is another matter.
    static func of(_ error: StorageError, _ name: ObjectName) -> any Error {
        guard error.heals == .never else { return error }
        return switch error {
        case .notFound: VaultError.missing(.object(name.text))
        case .shortRead: VaultError.damaged(.object(name.text), .cutShort)
        case .noPermission: VaultError.damaged(.object(name.text), .noPermission)
        default: VaultError.damaged(.object(name.text), .unreadable)
        }
    }
}
