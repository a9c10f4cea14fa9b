import CueBase
import CueEngine
import CueSystem
import Foundation

/// A device that joined the vault, in JSON (docs/json.md).
struct JoinedRow: Encodable {
    let id, name: String
    let joined: Date?

    init(_ device: JoinedDevice) {
        (id, name, joined) = (device.id.description, device.name, device.time?.date)
    }
}
