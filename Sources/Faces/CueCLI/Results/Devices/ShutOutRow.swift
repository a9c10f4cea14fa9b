import CueBase
import CueEngine
import CueSystem
import Foundation

/// A device that another one shut out, in JSON (docs/json.md).
struct ShutOutRow: Encodable {
    let id, name, by: String
    let at: Date?

    init(_ device: ShutOutDevice) {
        (id, name, by, at) = (device.id.description, device.name, device.by, device.time?.date)
    }
}
