import CueBase
import CueEngine
import CueLibrary
import Foundation

/// What several devices set at the same time for one project, in JSON (docs/json.md).
struct SettingsDisputeRow: Encodable {
    /// What one device set; of the settings only those in which the devices differ.
    struct Side: Encodable {
        let device: String?
        let here, counts: Bool
        let set: Date
        let title, nudge, at: String?
        let deadline: Date?
        let inactivityHours: Int?
        let archived: Bool?
    }

    let path: String
    let settings: [String]
    let sides: [Side]

    init(_ dispute: SettingsDispute) {
        path = Display.text(dispute.project.path)
        let differing = Set(dispute.settings)
        settings = dispute.settings.map(\.word)
        sides = dispute.sides.enumerated().map { number, side in
            let its = side.settings
            func only<Value>(_ setting: SettingsDispute.Setting, _ value: Value?) -> Value? {
                differing.contains(setting) ? value : nil
            }
            return Side(
                device: side.device.map { Display.text($0.utf8) }, here: side.device == nil, counts: number == 0,
                set: its.setAt.date, title: only(.title, its.title),
                nudge: only(.nudge, its.nudgeEnabled ? its.nudgeMode.rawValue : "off"),
                at: only(.at, ReminderWords.timeOfDay(its)), deadline: only(.deadline, its.deadline?.date),
                inactivityHours: only(.inactivityHours, its.maxInactivityHours),
                archived: only(.archived, its.archived))
        }
    }
}

extension SettingsDispute.Setting {
    /// Its name in JSON.
    fileprivate var word: String { self == .inactivityHours ? "inactivity_hours" : rawValue }
}
