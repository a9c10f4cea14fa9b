import CueBase
package import CueLibrary
import CueVault

/// Settings of one project that several devices made at the same time: one counts, and no person has chosen it.
package struct SettingsDispute: Sendable {
    /// A setting that a person makes.
    package enum Setting: String, Sendable, CaseIterable { case title, deadline, nudge, at, inactivityHours, archived }

    /// The settings of one device.
    package struct Side: Sendable {
        /// The device's name for people; nil for this device.
        package let device: String?
        /// Its settings.
        package let settings: ProjectSettings
    }

    /// The project, as it is in this folder.
    package let project: LocalProject
    /// The sides that differ, the one that counts first.
    package let sides: [Side]

    /// The most sides that are shown.
    private static let most = 5

    /// nil if the sides agree in all that a person sets.
    init?(_ project: LocalProject, _ known: KnownSettings, own: DeviceID?) {
        guard let first = known.sides.first else { return nil }
        let others = known.sides.dropFirst().filter { side in
            Setting.allCases.contains { $0.differs(side.settings, first.settings) }
        }
        guard !others.isEmpty else { return nil }
        self.project = project
        sides = ([first] + others.prefix(Self.most)).map { side in
            Side(device: side.device == nil || side.device == own ? nil : side.deviceName, settings: side.settings)
        }
    }

    /// The settings in which the sides differ.
    package var settings: [Setting] {
        Setting.allCases.filter { setting in
            sides.contains { setting.differs($0.settings, sides[0].settings) }
        }
    }

    /// The disputes of all projects that the folder has, by path. Reads the local store alone.
    package static func all(in library: OpenLibrary) throws -> [SettingsDispute] {
        let own = (try? library.device())?.id
        return try library.store.read { transaction in
            let known = try transaction.knownSettings().filter { $0.value.sides.count > 1 }
            guard !known.isEmpty else { return [] }
            return try transaction.localProjects().compactMap { project in
                known[project.id].flatMap { SettingsDispute(project, $0, own: own) }
            }
        }
    }
}

extension SettingsDispute.Setting {
    fileprivate func differs(_ a: ProjectSettings, _ b: ProjectSettings) -> Bool {
        switch self {
        case .title: a.title != b.title
        case .deadline: a.deadline != b.deadline
        case .nudge: a.nudgeEnabled != b.nudgeEnabled || a.nudgeMode != b.nudgeMode
        case .at: (a.nudgeHour, a.nudgeMinute) != (b.nudgeHour, b.nudgeMinute)
        case .inactivityHours: a.maxInactivityHours != b.maxInactivityHours
        case .archived: a.archived != b.archived
        }
    }
}
