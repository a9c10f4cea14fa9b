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
    /// The key slots that this process made, or opened with what a person gave: these bytes are known to be whole.
    package let opened: [ObjectName: [UInt8]]

    package init(store: any ObjectStore, key: VaultKey, opened: [ObjectName: [UInt8]] = [:]) {
        (self.store, self.key, self.opened) = (store, key, opened)
    }

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

    /// The packs that are there, with their sizes in bytes.
    package func packSizes() throws -> [PackID: Int] {
        Dictionary(
            try store.list("packs").compactMap { entry in PackRecord.id(of: entry.name).map { ($0, entry.size) } },
            uniquingKeysWith: { size, _ in size })
    }

    // MARK: Records

    /// Seals a commit and makes it durable: after this it has happened. Returns the bytes that it took.
    package func append(_ draft: CommitDraft, at position: LogPosition) throws -> Int {
        let name = ObjectRecordLog.name(of: position)
        let plaintext = try draft.plaintext()
        // What this program could not read again must never be called backed up.
        let written = try RecordObject(commit: plaintext, at: position)
        for version in written.versions { _ = try version.changes(in: written) }
        let sealed = Message.seal(plaintext, key: key.records, context: context(.commit, name))
        try log.append(sealed, at: position)
        return sealed.count
    }

    /// Reads and opens a commit; `more` are the bytes of those that come after it.
    package func commit(_ entry: LogEntry, roomFor more: Int = 0) throws -> RecordObject {
        let name = ObjectRecordLog.name(of: entry.position)
        return try object(name, .commit) { try RecordObject(commit: $0, at: entry.position, roomFor: more) }
    }

    func object(
        _ name: ObjectName, _ kind: SealContext.Kind, _ parse: (PlainReader) throws -> RecordObject
    ) throws -> RecordObject {
        do {
            return try parse(try PlainReader(name, of: self, context(kind, name)))
        } catch let error as SealError {
            throw VaultError.damaged(object: name.text, reason: error.reason)
        } catch let error as FormatError {
            throw VaultError.damaged(object: name.text, reason: error.reason)
        } catch let error as StorageError {
            throw VaultError.of(error, name)
        }
    }
}

extension VaultError {
    /// A store that does not give an object says that the object is damaged; only one that is gone altogether is another matter.
    static func of(_ error: StorageError, _ name: ObjectName) -> any Error {
        switch error {
        case .unreachable: error
        case .notFound: VaultError.missing(object: name.text)
        case .shortRead: VaultError.damaged(object: name.text, reason: "it is cut short")
        case .noPermission: VaultError.damaged(object: name.text, reason: "there is no permission to read it")
        default: VaultError.damaged(object: name.text, reason: "it cannot be read")
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
