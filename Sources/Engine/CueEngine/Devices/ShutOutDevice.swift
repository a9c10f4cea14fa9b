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

    /// The devices that these new commits shut out, but for those of this device's own commits: its person typed them.
    static func found(in history: History, among new: Set<LogPosition>, but own: DeviceID) -> [ShutOutDevice] {
        history.devicesShutOut.filter { new.contains($0.holder) && $0.holder.device != own }.map { found in
            ShutOutDevice(
                id: found.what.device, name: history.name(of: found.what.device),
                by: history.name(of: found.holder.device), time: history.time(of: found.holder))
        }
    }
}
