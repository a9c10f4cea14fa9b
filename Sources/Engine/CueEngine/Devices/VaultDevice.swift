package import CueBase
import CueStorage
package import CueVault

/// A device as the vault's log shows it.
package struct VaultDevice: Sendable {
    /// Who shut out a device, and when it says so.
    package struct ShutOut: Sendable {
        /// The device that wrote the record.
        package let by: String
        /// When; nil if the commit was not read.
        package let time: Timestamp?
        /// How many commits of the device do not count.
        package let commitsAside: Int
    }

    /// Its id in the vault.
    package let id: DeviceID
    /// Its name for people.
    package let name: String
    /// When it joined, by its own clock; nil if it does not say.
    package let joined: Timestamp?
    /// When it last stored something, by its own clock.
    package let lastCommit: Timestamp
    /// The number of its commits.
    package let commits: Int
    /// nil unless it was shut out.
    package let shutOut: ShutOut?

    /// All devices that have stored something, the newest commit first. Throws `StorageError`.
    package static func all(in vault: Vault) throws -> [VaultDevice] { all(in: try FullHistory.load(vault)) }

    static func all(in history: FullHistory) -> [VaultDevice] {
        let shutOuts = history.devicesShutOut
        let groups = Dictionary(grouping: history.commits.values, by: \.position.device)
        return groups.map { id, commits in
            let found = shutOuts.first { $0.what.device == id }
            return VaultDevice(
                id: id, name: history.name(of: id), joined: history.devices[id]?.made,
                lastCommit: commits.map(\.record.time).max() ?? Timestamp(milliseconds: 0), commits: commits.count,
                shutOut: found.map { found in
                    ShutOut(
                        by: history.name(of: found.holder.device), time: history.time(of: found.holder),
                        commitsAside: commits.count { history.setAside.contains($0.position) })
                })
        }.sorted { ($0.lastCommit, $0.id) > ($1.lastCommit, $1.id) }
    }
}

extension FullHistory {
    /// The name of a device for people.
    func name(of device: DeviceID) -> String { history.name(of: device) }
    /// When a commit was written; nil if it was not read.
    func time(of position: LogPosition) -> Timestamp? { history.time(of: position) }
}
