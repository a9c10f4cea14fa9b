import CueBase
import CueEngine
import CueLibrary
import CueTerminal

/// Sentences about settings of projects.
enum SettingsWords {
    /// A parsed title; nil for `none`, which removes one.
    struct Title { let text: String? }

    /// `none` or the empty text, or a title. Throws `CueError` for one that is too long or has control characters.
    static func title(_ text: String) throws -> Title {
        if text.isEmpty || text.lowercased() == "none" { return Title(text: nil) }
        guard text.utf8.count <= ProjectSettings.titleLength else {
            throw CueError(
                .usage, "this title is too long; nothing was changed",
                "a title has at most \(Style.number(ProjectSettings.titleLength)) bytes")
        }
        guard ProjectSettings.isTitle(text) else {
            throw CueError(
                .usage, "this title has control characters, such as a line break; nothing was changed",
                "a title is one line of text")
        }
        return Title(text: text)
    }

    /// After a change: when it is stored.
    static let waits = "The next backup or sync stores this, and your other devices get it with their next sync."

    /// The changes that are not in the vault yet, behind other sentences of the status; empty for none.
    static func waiting(_ count: Int) -> String {
        guard count > 0 else { return "" }
        return
            " What was set for \(Style.count(count, "project")) is not in the vault yet: the next backup takes it."
    }

    /// What a backup or a sync stored; nil for nothing.
    static func stored(_ count: Int) -> String? {
        count == 0 ? nil : "settings of \(Style.count(count, "project")) stored"
    }

    /// What a sync brought from other devices; nil for nothing.
    static func received(_ count: Int) -> String? {
        count == 0 ? nil : "settings of \(Style.count(count, "project")) received"
    }

    /// One sentence for each setting that several devices made at the same time.
    static func sentences(_ dispute: SettingsDispute) -> [String] {
        let name = Display.text(dispute.project.path)
        return dispute.settings.map { setting in
            let counts = value(setting, dispute.sides[0].settings)
            // The one that counts comes last. A device that set the same as that one is left out.
            let others = dispute.sides.dropFirst().filter { value(setting, $0.settings) != counts }
            let sides = (others + [dispute.sides[0]]).map { side in
                "\(value(setting, side.settings)) \(side.device.map { "on \(Display.text($0.utf8))" } ?? "here")"
            }
            let list = sides.dropLast().joined(separator: ", to ") + " and to " + (sides.last ?? "")
            return
                "\(name): \(subject(setting)) was set to \(list); \(counts) counts. `cue project set` settles it"
        }
    }

    private static func subject(_ setting: SettingsDispute.Setting) -> String {
        switch setting {
        case .title: "the title"
        case .deadline: "the deadline"
        case .nudge: "the nudge"
        case .at: "the time of the nudge"
        case .inactivityHours: "the time without writing"
        case .archived: "whether it is archived"
        }
    }

    private static func value(_ setting: SettingsDispute.Setting, _ settings: ProjectSettings) -> String {
        switch setting {
        case .title: settings.title.map { "\"\(Display.text($0.utf8))\"" } ?? "none"
        case .deadline: settings.deadline?.shown ?? "none"
        case .nudge: settings.nudgeEnabled ? settings.nudgeMode.rawValue : "off"
        case .at: ReminderWords.timeOfDay(settings)
        case .inactivityHours: Style.count(settings.maxInactivityHours, "hour")
        case .archived: settings.archived ? "yes" : "no"
        }
    }
}
