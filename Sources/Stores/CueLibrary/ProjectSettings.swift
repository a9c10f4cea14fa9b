package import CueBase
import Foundation

/// What a writer set for one project: when cue speaks up about it.
package struct ProjectSettings: Sendable, Equatable {
    package enum NudgeMode: String, Sendable, CaseIterable { case afterInactivity, daily }

    package var deadline: Timestamp?
    package var nudgeEnabled = true
    package var nudgeMode = NudgeMode.afterInactivity
    package var nudgeHour = 9
    package var nudgeMinute = 0
    package var maxInactivityHours = 48
    package var archived = false
    /// When somebody last wrote for a while, rather than touched the file.
    package var lastProgressAt: Timestamp?
    /// When these were last set: what would have been due before that is not due now.
    package var setAt: Timestamp

    package init(setAt: Timestamp) { self.setAt = setAt }

    /// Bounds of what may be set; the latest deadline is the end of the year 9999.
    package static let hours = 1...8760
    package static let latest = Timestamp(milliseconds: 253_402_300_799_000)
}

extension ProjectSettings {
    /// Reads what `text(over:)` wrote. What is missing or makes no sense has its usual value.
    init(parsing text: String) {
        let object = Self.object(text)
        self.init(setAt: Self.time(object["setAt"]) ?? Timestamp(milliseconds: 0))
        deadline = Self.time(object["deadline"])
        lastProgressAt = Self.time(object["lastProgressAt"])
        nudgeEnabled = object["nudgeEnabled"] as? Bool ?? nudgeEnabled
        nudgeMode = (object["nudgeMode"] as? String).flatMap { NudgeMode(rawValue: $0) } ?? nudgeMode
        nudgeHour = Self.number(object["nudgeHour"], in: 0...23) ?? nudgeHour
        nudgeMinute = Self.number(object["nudgeMinute"], in: 0...59) ?? nudgeMinute
        maxInactivityHours = Self.number(object["maxInactivityHours"], in: Self.hours) ?? maxInactivityHours
        archived = object["archived"] as? Bool ?? archived
    }

    /// The settings as JSON; keys of `old` that this cue does not know stay as they are.
    func text(over old: String?) throws -> String {
        var object = old.map { Self.object($0) } ?? [:]
        object["deadline"] = deadline?.milliseconds
        object["lastProgressAt"] = lastProgressAt?.milliseconds
        object["nudgeEnabled"] = nudgeEnabled
        object["nudgeMode"] = nudgeMode.rawValue
        object["nudgeHour"] = nudgeHour
        object["nudgeMinute"] = nudgeMinute
        object["maxInactivityHours"] = maxInactivityHours
        object["archived"] = archived
        object["setAt"] = setAt.milliseconds
        return String(decoding: try JSONSerialization.data(withJSONObject: object, options: .sortedKeys), as: UTF8.self)
    }

    private static func object(_ text: String) -> [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any] ?? [:]
    }

    private static func number(_ value: Any?, in range: ClosedRange<Int>) -> Int? {
        (value as? Int).flatMap { range.contains($0) ? $0 : nil }
    }

    private static func time(_ value: Any?) -> Timestamp? {
        (value as? Int).flatMap {
            (0...Int(latest.milliseconds)).contains($0) ? Timestamp(milliseconds: Int64($0)) : nil
        }
    }
}
