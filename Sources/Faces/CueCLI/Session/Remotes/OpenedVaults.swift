import ArgumentParser
import CueBase
import CueCurl
import CueEngine
import CueLibrary
import CueRemotes
import CueSodium
import CueStorage
import CueSystem
import CueTerminal
import Synchronization

/// The stores that this process opened: one for each place, so that all its parts share the connections.
enum OpenedVaults {
    /// The bytes of copies of records that are kept for each place.
    private static let copiesAtMost = 64 << 20

    private struct State {
        var stores: [String: any ObjectStore] = [:]
        var limits: (up: Int?, down: Int?) = (nil, nil)
    }

    private static let state = Mutex(State())

    /// Sets the bytes a second for all that is opened later; nil for no limit.
    static func limit(up: Int?, down: Int?) { state.withLock { $0.limits = (up, down) } }

    /// The store of a vault in a folder. Throws `StorageError`.
    static func folder(_ path: FilePathBytes, writerName: String) throws -> any ObjectStore {
        let limits = state.withLock(\.limits)
        let store = VaultTraffic.counted(try DirectoryStore(at: path, writerName: writerName))
        guard limits.up != nil || limits.down != nil else { return store }
        return LimitedStore(store, upload: limits.up, download: limits.down)
    }

    /// The store of a vault in S3. Records are kept in the state folder of this device, and read from there; not if
    /// `isCached` is false. Makes no request. Throws `S3SetupError`.
    static func s3(_ text: String, isCached: Bool, isPatient: Bool = true) throws -> any ObjectStore {
        let key = isPatient ? text : "impatient \(text)"
        let plain = try opened(key) {
            let address = try S3Address(text)
            let account = try S3Account(for: address) { Environment[$0] }
            let client = HTTPClient(settings(account, isPatient), log: VaultTraffic.line)
            return VaultTraffic.counted(S3Store(address, account, client))
        }
        guard isCached else { return plain }
        return try opened("cached \(key)") {
            // One name for one place, whatever it is called like.
            let name = BLAKE2b.hash(Array(text.utf8)).prefix(16).map { UInt64($0).hexadecimal.suffix(2) }.joined()
            guard let folder = try? StateFolder.standard().makeFolder("copies", name),
                let cached = try? CachingStore(
                    ListingStore(plain, memory: folder.parent.appending("\(name).page")), in: folder,
                    limit: copiesAtMost)
            else { return plain }
            return cached
        }
    }

    private static func opened(_ key: String, _ open: () throws -> any ObjectStore) throws -> any ObjectStore {
        if let known = state.withLock({ $0.stores[key] }) { return known }
        let new = try open()
        return state.withLock { state in
            let store = state.stores[key] ?? new
            state.stores[key] = store
            return store
        }
    }

    private static func settings(_ account: S3Account, _ isPatient: Bool) -> HTTPSettings {
        var settings = HTTPSettings()
        if !isPatient {
            (settings.connectSeconds, settings.stallSeconds) = (5, 20)
            (settings.attemptsOffline, settings.attemptsSilent) = (1, 1)
        }
        let limits = state.withLock(\.limits)
        (settings.uploadLimit, settings.downloadLimit) = (limits.up, limits.down)
        settings.certificates = account.certificates
        settings.agent = "cue/\(Cue.configuration.version)"
        return settings
    }
}
