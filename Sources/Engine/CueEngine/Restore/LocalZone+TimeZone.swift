package import CueBase
package import Foundation

extension LocalZone {
    /// The zone of this machine.
    package static var current: LocalZone { LocalZone(.current) }

    /// The local time of a zone.
    package init(_ zone: TimeZone) {
        self.init { zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double($0.milliseconds) / 1000)) }
    }
}
