package import CueBase
import CueLibrary
import CueStorage
import CueVault

/// A new device of the vault that no command has reported yet.
package struct JoinedDevice: Codable, Sendable, Equatable {
    /// Its id in the vault.
    package let id: DeviceID
    /// Its name for people, as it gave it.
    package let name: String
    /// When it says that it joined; nil if it does not say.
    package let time: Timestamp?

    /// The devices of these new commits of which this device knew none before.
    static func found(
        in history: History, among new: Set<LogPosition>, but own: DeviceID, _ library: OpenLibrary
    ) throws -> [JoinedDevice] {
        let known = Set(try library.store.read { try $0.seen() }.map(\.device)).union([own])
        return Set(new.map(\.device)).subtracting(known).sorted().map { id in
            JoinedDevice(id: id, name: history.name(of: id), time: history.devices[id]?.made)
        }
    }

    /// The devices that no command has reported yet.
    package static func untold(of library: OpenLibrary) -> [JoinedDevice] {
        (try? library.store.read { try $0.untold() }) ?? []
    }

    /// Notes that these were reported, if the local store can be written.
    package static func note(told: [JoinedDevice], in library: OpenLibrary) {
        guard !told.isEmpty else { return }
        try? library.store.write { transaction in
            let left = try transaction.untold().filter { !told.contains($0) }
            try transaction.set(.joined, to: left.isEmpty ? nil : FactCode(left))
        }
    }
}

extension LocalStore.Transaction {
    fileprivate func untold() throws -> [JoinedDevice] { try value(.joined)?.value() ?? [] }

    /// Adds devices that the next sync or status reports.
    func add(_ devices: [JoinedDevice]) throws {
        guard !devices.isEmpty else { return }
        let untold = try untold()
        let new = devices.filter { device in !untold.contains { $0.id == device.id } }
        try set(.joined, to: FactCode(untold + new))
    }
}
