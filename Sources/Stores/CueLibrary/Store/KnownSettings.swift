package import CueBase
package import CueVault

/// What this device knows of the settings of one project: the records of the vault that count, and a change of its own
/// that is in no commit yet.
package struct KnownSettings: Sendable {
    /// The settings of one device.
    package struct Side: Sendable {
        /// The device that set them; nil for the change that waits on this one.
        package let device: DeviceID?
        /// The device's name for people; another device chose it.
        package let deviceName: String
        /// The settings, without what belongs to this device alone.
        package let settings: ProjectSettings
    }

    /// The records that no other replaces, with the names of their devices: the newest first.
    package internal(set) var records: [(record: SettingsRecord, deviceName: String)] = []
    /// The change that waits to be stored; nil if there is none.
    package internal(set) var waiting: SettingsNote?

    /// The sides that no other replaces, the one that counts first. A record whose JSON is invalid is no side.
    package var sides: [Side] { bases.map(\.side) }

    /// The settings that count; nil if nothing was set.
    package var inForce: ProjectSettings? { bases.first?.side.settings }

    /// The same with their JSON.
    private var bases: [(side: Side, json: [UInt8])] {
        let replaced = Set(waiting?.parents ?? [])
        var found = records.compactMap { record, name in
            replaced.contains(record.id) ? nil : Self.base(record.note, record.device, name)
        }
        guard let waiting, let own = Self.base(waiting, nil, "") else { return found }
        // Its id is not known yet; it is taken for the largest.
        let place = found.firstIndex { $0.side.settings.setAt <= waiting.time } ?? found.endIndex
        found.insert(own, at: place)
        return found
    }

    private static func base(
        _ note: SettingsNote, _ device: DeviceID?, _ name: String
    ) -> (side: Side, json: [UInt8])? {
        ProjectSettings(json: note.json, setAt: note.time).map {
            (Side(device: device, deviceName: name, settings: $0), note.json)
        }
    }

    /// The most records that one replaces: more than people can make, so that a hostile vault makes none that is too
    /// long.
    private static let mostParents = 1024

    /// A change that replaces all that is known. Its time is later than that of the change that waits already.
    func changed(to settings: ProjectSettings, of project: ProjectID) -> SettingsNote {
        let before = waiting.map { Timestamp(milliseconds: $0.time.milliseconds + 1) } ?? settings.setAt
        let parents = Set(records.map(\.record.id)).union(waiting?.parents ?? []).sorted()
        return SettingsNote(
            project: project, parents: Array(parents.prefix(Self.mostParents)), time: max(settings.setAt, before),
            json: settings.json(replacing: bases.map(\.json), upTo: SettingsNote.size))
    }
}

extension SettingsNote {
    /// When the project began, as the settings say; nil if they do not, or if they are invalid.
    package var created: Timestamp? { ProjectSettings(json: json, setAt: time)?.created }

    /// The same settings with the time at which the project began; unchanged if they are invalid.
    package func with(created: Timestamp) -> SettingsNote {
        guard var settings = ProjectSettings(json: json, setAt: time) else { return self }
        settings.created = created
        return SettingsNote(
            project: project, parents: parents, time: time, json: settings.json(replacing: [json], upTo: Self.size))
    }
}
