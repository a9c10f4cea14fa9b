import CueBase
import CueEngine
import CueSystem
import Foundation

/// The result of `cue device list` in JSON (docs/json.md), and of `cue device shut-out`.
struct DeviceListResult: Encodable {
    let devices: [Row]

    /// A device that has stored something in the vault.
    struct Row: Encodable {
        let id, name: String
        let thisDevice: Bool
        let joined: Date?
        let lastCommit: Date
        let commits: Int
        let shutOut: ShutOut?

        /// By whom, and when.
        struct ShutOut: Encodable {
            let by: String
            let at: Date?
            let commitsAside: Int
        }

        init(_ device: VaultDevice, own: DeviceID?) {
            (id, name, thisDevice) = (device.id.description, device.name, device.id == own)
            (joined, lastCommit, commits) = (device.joined?.date, device.lastCommit.date, device.commits)
            shutOut = device.shutOut.map { ShutOut(by: $0.by, at: $0.time?.date, commitsAside: $0.commitsAside) }
        }
    }
}
