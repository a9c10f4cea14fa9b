package import CueBase
import CueLibrary
import CueStorage
import CueVault

/// A new device of the vault of which no person was told yet.
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
}
