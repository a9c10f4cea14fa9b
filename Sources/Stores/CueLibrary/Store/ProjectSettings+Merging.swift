import CueBase
import CueVault

extension ProjectSettings {
    /// These settings, with all in which `own` differs from `base`, from which both came. `isDisputed`: both changed one
    /// setting; then that of `own` stands.
    func taking(changesOf own: ProjectSettings, since base: ProjectSettings) -> (settings: Self, isDisputed: Bool) {
        var (merged, isDisputed) = (self, false)
        func take(_ isSame: (Self, Self) -> Bool, _ copy: (Self, inout Self) -> Void) {
            guard !isSame(own, base) else { return }
            if !isSame(self, base) { isDisputed = true }
            copy(own, &merged)
        }
        take({ $0.title == $1.title }, { $1.title = $0.title })
        take({ $0.deadline == $1.deadline }, { $1.deadline = $0.deadline })
        take({ $0.archived == $1.archived }, { $1.archived = $0.archived })
        take({ $0.maxInactivityHours == $1.maxInactivityHours }, { $1.maxInactivityHours = $0.maxInactivityHours })
        take(
            { $0.nudgeEnabled == $1.nudgeEnabled && $0.nudgeMode == $1.nudgeMode },
            { ($1.nudgeEnabled, $1.nudgeMode) = ($0.nudgeEnabled, $0.nudgeMode) })
        take(
            { $0.nudgeHour == $1.nudgeHour && $0.nudgeMinute == $1.nudgeMinute },
            { ($1.nudgeHour, $1.nudgeMinute) = ($0.nudgeHour, $0.nudgeMinute) })
        merged.created = created ?? own.created
        return (merged, isDisputed)
    }
}

extension KnownSettings {
    /// The change that waits, carried over to a record that came since and replaces what the change began from: it has
    /// what the other device set, and replaces that record unless both set the same setting to different ends. nil if
    /// there is nothing to carry over, or if it is not known from what the two began.
    func carried(over new: SettingsRecord) -> SettingsNote? {
        guard let waiting, !waiting.parents.contains(new.id),
            Set(records.map(\.record.id)).isSubset(of: waiting.parents), records.isEmpty == waiting.parents.isEmpty,
            let theirs = ProjectSettings(json: new.note.json, setAt: new.note.time),
            let own = ProjectSettings(json: waiting.json, setAt: waiting.time)
        else { return nil }
        let base = records.lazy.compactMap { ProjectSettings(json: $0.record.note.json, setAt: $0.record.note.time) }
            .first
        let (merged, isDisputed) = theirs.taking(
            changesOf: own, since: base ?? ProjectSettings(setAt: waiting.time))
        return SettingsNote(
            project: waiting.project, parents: isDisputed ? waiting.parents : (waiting.parents + [new.id]).sorted(),
            time: isDisputed ? waiting.time : max(waiting.time, new.note.time),
            json: merged.json(replacing: [new.note.json, waiting.json], upTo: SettingsNote.size))
    }
}
