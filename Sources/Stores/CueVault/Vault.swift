package import CueBase
package import CueCrypto
import CueSodium
package import CueStorage

/// An open vault: its store and its key.
package final class Vault: Sendable {
    package static let format = 1

    package let store: any ObjectStore
    package let key: VaultKey
    package var id: VaultID { key.vault }

    package init(store: any ObjectStore, key: VaultKey) { (self.store, self.key) = (store, key) }

    package var log: ObjectRecordLog { ObjectRecordLog(on: store) }

    func context(_ kind: SealContext.Kind, _ name: ObjectName) -> SealContext {
        SealContext(vault: id, kind: kind, name: Array(name.text.utf8))
    }

    func newPack() -> (PackID, ObjectName) {
        var generator = SodiumGenerator()
        let id = PackID.random(using: &generator)
        return (id, PackRecord.name(of: id))
    }

    /// A random id for a commit; zero stands for "none" and is never one.
    package static func newCommitID() -> CommitID {
        var generator = SodiumGenerator()
        return CommitID(max(1, generator.next()))
    }

    // MARK: Records

    /// Seals a commit and makes it durable: after this it has happened. Returns the bytes that it took.
    package func append(_ draft: CommitDraft, at position: LogPosition) throws -> Int {
        let name = ObjectRecordLog.name(of: position)
        let sealed = Message.seal(try draft.plaintext(), key: key.records, context: context(.commit, name))
        try log.append(sealed, at: position)
        return sealed.count
    }

    /// Reads and opens a commit.
    package func commit(_ entry: LogEntry) throws -> RecordObject {
        let name = ObjectRecordLog.name(of: entry.position)
        return try object(name, .commit) { plaintext throws(FormatError) in
            try RecordObject(commit: plaintext, at: entry.position)
        }
    }

    func object(
        _ name: ObjectName, _ kind: SealContext.Kind, _ parse: ([UInt8]) throws(FormatError) -> RecordObject
    ) throws -> RecordObject {
        let sealed = try store.get(name, upTo: Limits.recordObject)
        do {
            let plaintext = try Message.open(sealed, key: key.records, context: context(kind, name))
            return try parse(plaintext)
        } catch let error as SealError {
            throw VaultError.damaged(object: name.text, reason: error.reason)
        } catch let error as FormatError {
            throw VaultError.damaged(object: name.text, reason: error.reason)
        }
    }
}

extension SealError {
    /// For people.
    package var reason: String {
        switch self {
        case .notForThisPlace: "its seal is not that of this vault and place"
        case .damaged: "its content was changed or cut"
        case .wrongLength: "it is cut short"
        }
    }
}

extension FormatError {
    /// For people.
    package var reason: String {
        switch self {
        case .truncated: "it ends too early"
        case .outOfRange: "it holds a number that cannot be"
        case .trailing: "it holds more than it should"
        case .invalid(let what): "it holds \(what)"
        }
    }
}
