package import CueBase
import Foundation

/// A writer's settings for reminders of one project.
package struct ProjectSettings: Sendable, Equatable {
    /// When to nudge: after `maxInactivityHours` without progress, or every day. The names are stored.
    package enum NudgeMode: String, Sendable, CaseIterable { case afterInactivity, daily }

    /// nil for none.
    package var deadline: Timestamp?
    /// False for no nudges. Deadlines and snoozes still come.
    package var nudgeEnabled = true
    /// By default after inactivity.
    package var nudgeMode = NudgeMode.afterInactivity
    /// The local time of a nudge, 0 to 23.
    package var nudgeHour = 9
    /// 0 to 59.
    package var nudgeMinute = 0
    /// Hours without progress after which a nudge is due, within `hours`.
    package var maxInactivityHours = 48
    /// True for no reminders at all; the settings stay.
    package var archived = false
    /// The last writing that counts as progress, rather than a touch of the file; nil if unknown.
    package var lastProgressAt: Timestamp?
    /// The time of the last change of these settings. Reminders planned before it are not due.
    package var setAt: Timestamp

    /// Default settings.
    package init(setAt: Timestamp) { self.setAt = setAt }

    /// Allowed values of `maxInactivityHours`: an hour to a year.
    package static let hours = 1...8760
    /// The latest deadline: the end of the year 9999.
    package static let latest = Timestamp(milliseconds: 253_402_300_799_000)
}

extension ProjectSettings {
    /// Reads the JSON of `text(over:)`. A missing or invalid value becomes its default.
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

    /// The settings as JSON. Keys of `old` that this cue does not know are kept.
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
