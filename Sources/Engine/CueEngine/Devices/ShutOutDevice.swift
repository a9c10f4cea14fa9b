package import CueBase
import CueLibrary
import CueStorage
import CueVault

/// A device that another one shut out, and of which no command has reported that yet.
package struct ShutOutDevice: Codable, Sendable, Equatable {
    /// Its id in the vault.
    package let id: DeviceID
    /// Its name for people, as it gave it.
    package let name: String
    /// The name of the device that shut it out.
    package let by: String
    /// When; nil if the commit does not say.
    package let time: Timestamp?

    /// The devices that these new commits shut out, each once, but for those of this device's own commits: its person
    /// typed them.
    static func found(in history: History, among new: Set<LogPosition>, but own: DeviceID) -> [ShutOutDevice] {
        let records = history.devicesShutOut.filter { new.contains($0.holder) && $0.holder.device != own }
        return Dictionary(grouping: records, by: \.what.device).values.compactMap { records in
            let all = records.map { found in
                ShutOutDevice(
                    id: found.what.device, name: history.name(of: found.what.device),
                    by: history.name(of: found.holder.device), time: history.time(of: found.holder))
            }
            return all.min { ($0.time?.milliseconds ?? .max, $0.by) < ($1.time?.milliseconds ?? .max, $1.by) }
        }.sorted { $0.id < $1.id }
    }
}
