package import CueBase
package import CueCrypto
package import CueStorage

extension Vault {
    /// Signs and seals a commit, and makes it durable. Returns the bytes of the object, and its digest.
    ///
    /// `key` must be that of the device of `position`.
    /// Throws `FormatError` for a draft that breaks the format by itself, and `ZstdError`; nothing is written then.
    /// Throws `StorageError`, which is `.alreadyThere` if the position is taken.
    @discardableResult
    package func append(
        _ draft: CommitDraft, at position: LogPosition, by key: DeviceKey
    ) throws -> (size: Int, digest: CommitDigest) {
        let name = ObjectRecordLog.name(of: position)
        let context = context(.commit, name)
        let (plaintext, digest) = try draft.plaintext(of: context, signedBy: key)
        // Read it back first: nothing may count as stored that this program could not read.
        let written = try RecordObject(commit: plaintext, at: position, context)
        try written.prove(by: position.device, in: id)
        for version in written.versions { _ = try version.changes(in: written) }
        let sealed = seal(plaintext, .commit, name)
        try log.append(sealed, at: position)
        return (sealed.count, digest)
    }

    /// Reads and opens a commit, from a run if its own object does not open.
    ///
    /// Throws `VaultError.damaged` or `.missing`, and `StorageError` for an error that heals by itself.
    package func commit(_ entry: LogEntry) throws -> RecordObject {
        var reader = CommitReader(self)
        return try reader.read(entry).object
    }

    /// The same of its own object alone. `more` is the bytes of the commits whose chunks will join the same index later.
    package func ownCommit(_ entry: LogEntry, roomFor more: Int = 0) throws -> RecordObject {
        let name = ObjectRecordLog.name(of: entry.position)
        return try object(name) {
            let plaintext = try PlainReader(try log.source(of: entry), of: self, .commit, name)
            let object = try RecordObject(
                commit: plaintext, at: entry.position, context(.commit, name), roomFor: more)
            try object.prove(by: entry.position.device, in: id)
            return object
        }
    }

    /// Runs `read` and turns its errors into those of the object: `VaultError.damaged` or `.missing`, or `StorageError`
    /// if the error heals by itself. Where reads are downloads, what does not open is read once more: a line may change
    /// bytes, and a copy on this device may be a bad one.
    func object<Value>(_ name: ObjectName, _ read: () throws -> Value) throws -> Value {
        do {
            do { return try read() } catch let error
                where objects.readsAreDownloads && (error is SealError || error is FormatError)
            {
                objects.forget(name)
                return try read()
            }
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

extension RecordObject {
    /// Throws `FormatError.invalid(.unsigned)`, `.falselySigned` or `.signedByAnother` if it is not signed by the device.
    func prove(by device: DeviceID, in vault: VaultID) throws(FormatError) {
        guard let authorship else { throw .invalid(.unsigned) }
        guard try authorship.device(in: vault) == device else { throw .invalid(.signedByAnother) }
    }
}

extension VaultError {
    /// The error of a store as that of an object.
    ///
    /// An error that heals by itself, a stop, and what a service says of all objects alike remain a `StorageError`: a
    /// key that expires in the middle of a check damages nothing. An object that is gone is `.missing`. One that the
    /// store does not return is `.damaged`.
    static func of(_ error: StorageError, _ name: ObjectName) -> any Error {
        guard error.heals == .never else { return error }
        return switch error {
        case .stopped: error
        case .service(let fault) where !fault.isOfOneObject: error
        case .service(.denied): VaultError.damaged(.object(name.text), .noPermission)
        case .notFound: VaultError.missing(.object(name.text))
        case .shortRead: VaultError.damaged(.object(name.text), .cutShort)
        case .noPermission: VaultError.damaged(.object(name.text), .noPermission)
        default: VaultError.damaged(.object(name.text), .unreadable)
        }
    }
}
