package import CueBase

/// A writer's settings of one project.
package struct ProjectSettings: Sendable, Equatable {
    /// When to nudge: after `maxInactivityHours` without progress, or every day. The names are stored.
    package enum NudgeMode: String, Sendable, CaseIterable { case afterInactivity, daily }

    /// The name by which people know the project; nil if its path names it.
    package var title: String?
    /// When the project began; nil until the vault has settings of it.
    package var created: Timestamp?
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
    /// The last writing that counts as progress, rather than a touch of the file; nil if unknown. Each device notes its
    /// own.
    package var lastProgressAt: Timestamp?
    /// The time of the last change of these settings. Reminders planned before it are not due.
    package var setAt: Timestamp

    /// Default settings.
    package init(setAt: Timestamp) { self.setAt = setAt }

    /// Allowed values of `maxInactivityHours`: an hour to a year.
    package static let hours = 1...8760
    /// The latest deadline: the end of the year 9999.
    package static let latest = Timestamp(milliseconds: 253_402_300_799_000)
    /// The most bytes of a title in UTF-8.
    package static let titleLength = 1024

    /// True for a text without control characters that is neither empty nor longer than `titleLength`.
    package static func isTitle(_ text: String) -> Bool {
        (1...titleLength).contains(text.utf8.count)
            && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}

// This layout is frozen: docs/format.md §13.

extension ProjectSettings {
    /// The keys of a settings record.
    private enum Key: String, CaseIterable {
        case title, deadline, created, nudgeEnabled, nudgeMode, nudgeHour, nudgeMinute, maxInactivityHours, archived
    }

    /// Reads the JSON of a settings record. A value that is missing or not allowed becomes its default. nil if the bytes
    /// are no JSON object.
    package init?(json: [UInt8], setAt: Timestamp) {
        guard let json = try? JSON(parsing: json), json.members != nil else { return nil }
        self.init(json, setAt: setAt)
    }

    /// Reads a JSON object.
    init(_ object: JSON, setAt: Timestamp) {
        self.init(setAt: setAt)
        func value(_ key: Key) -> JSON? { object[key.rawValue] }
        func number(_ key: Key, in range: ClosedRange<Int>) -> Int? {
            value(key)?.integer.flatMap { Int(exactly: $0) }.flatMap { range.contains($0) ? $0 : nil }
        }
        func time(_ key: Key) -> Timestamp? {
            value(key)?.integer.flatMap {
                (0...Self.latest.milliseconds).contains($0) ? Timestamp(milliseconds: $0) : nil
            }
        }
        title = value(.title)?.string.flatMap { Self.isTitle($0) ? $0 : nil }
        (created, deadline) = (time(.created), time(.deadline))
        nudgeEnabled = value(.nudgeEnabled)?.bool ?? nudgeEnabled
        nudgeMode = value(.nudgeMode)?.string.flatMap { NudgeMode(rawValue: $0) } ?? nudgeMode
        nudgeHour = number(.nudgeHour, in: 0...23) ?? nudgeHour
        nudgeMinute = number(.nudgeMinute, in: 0...59) ?? nudgeMinute
        maxInactivityHours = number(.maxInactivityHours, in: Self.hours) ?? maxInactivityHours
        archived = value(.archived)?.bool ?? archived
    }

    private func value(_ key: Key) -> JSON? {
        switch key {
        case .title: title.map { .string($0) }
        case .deadline: deadline.map { .integer($0.milliseconds) }
        case .created: created.map { .integer($0.milliseconds) }
        case .nudgeEnabled: .bool(nudgeEnabled)
        case .nudgeMode: .string(nudgeMode.rawValue)
        case .nudgeHour: .integer(Int64(nudgeHour))
        case .nudgeMinute: .integer(Int64(nudgeMinute))
        case .maxInactivityHours: .integer(Int64(maxInactivityHours))
        case .archived: .bool(archived)
        }
    }

    /// The JSON of a record with these settings, of at most `limit` bytes. It replaces the records of `bases`, the first
    /// of which counted: what is the same as there stays as it stands there, and keys that this cue does not know are
    /// kept from all of them, as far as there is room.
    func json(replacing bases: [[UInt8]], upTo limit: Int) -> [UInt8] {
        let objects = bases.compactMap { try? JSON(parsing: $0) }.compactMap(\.members)
        let old = objects.first.map { ProjectSettings(.object($0), setAt: setAt) } ?? ProjectSettings(setAt: setAt)
        var members = objects.first ?? []
        for key in Key.allCases where value(key) != old.value(key) {
            members.removeAll { $0.key.utf8.elementsEqual(key.rawValue.utf8) }
            if let value = value(key) { members.append(JSON.Member(key.rawValue, value)) }
        }
        for member in objects.dropFirst().joined() where Key(rawValue: member.key) == nil {
            if !members.contains(where: { $0.key.utf8.elementsEqual(member.key.utf8) }) { members.append(member) }
        }
        let all = JSON.object(members).canonical
        if all.count <= limit { return all }
        let known = JSON.object(members.filter { Key(rawValue: $0.key) != nil }).canonical
        if known.count <= limit { return known }
        // Another device's values may be of any length: what this cue takes always fits.
        let own = Key.allCases.compactMap { key in value(key).map { JSON.Member(key.rawValue, $0) } }
        return JSON.object(own).canonical
    }
}
