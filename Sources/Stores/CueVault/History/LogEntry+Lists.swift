import CueBase
import CueStorage

extension [LogEntry] {
    /// The bytes of all their objects.
    var bytes: Int { lazy.map(\.size).saturatingSum }

    /// True if two of them bear one commit id.
    var haveTwins: Bool { Set(lazy.map(\.position.commit)).count < count }

    /// The objects of those that do not stand in a run alone.
    var objects: [ObjectEntry] {
        filter { $0.run == nil }.map { ObjectEntry(name: ObjectRecordLog.name(of: $0.position), size: $0.size) }
    }
}
