import CueBase
import CueCrypto
import CueEvents
import CueLibrary
import CueSodium
import CueStorage
import CueSystem
import CueTestSupport
import CueVault

@testable import CueEventLog

/// A device with a log of events, on a vault that it shares with others or has a copy of.
final class EventDevice {
    let key: DeviceKey
    var id: DeviceID { key.id }
    let folder = TemporaryFolder()
    private(set) var log: LocalStore

    init(_ number: UInt64) throws {
        key = TestKeys.key(number)
        log = try LocalStore(in: folder.bytes)
    }

    /// Another process takes over: only what was written to the disk is known.
    func restart() throws { log = try LocalStore(in: folder.bytes) }

    static func vault(on store: any ObjectStore) -> Vault {
        var generator = SeededGenerator(seed: 1)
        let secret = SecretBytes(copying: generator.bytes(32).span)
        return Vault(VaultStorage(store), key: VaultKey(secret, vault: VaultID.random(using: &generator)))
    }

    @discardableResult
    func exchange(on store: any ObjectStore) throws -> EventExchange.Summary {
        try EventExchange.run(
            log, with: Self.vault(on: store), as: key, now: Timestamp(milliseconds: 1_800_000_000_000))
    }

    @discardableResult
    func add(
        _ id: String, type: String = "note", at time: Int64 = 0, payload: JSON = .null, as text: String? = nil
    ) throws -> LocalStore.Transaction.Added {
        try log.write {
            try $0.add(
                Event(
                    clientID: id, type: type, time: Timestamp(milliseconds: time), clientTimestamp: text,
                    payload: payload,
                    createdAt: Timestamp(milliseconds: time)))
        }
    }

    var events: [Event] {
        get throws {
            var events: [Event] = []
            try log.read { try $0.forEachEvent { events.append($0) } }
            return events
        }
    }

    var ids: [String] { get throws { try events.map(\.clientID) } }

    var waiting: Int { get throws { try log.read { try $0.eventCounts().waiting } } }
}

extension MemoryStore {
    var batches: [String] { names.filter { $0.hasPrefix("events/") } }
}
