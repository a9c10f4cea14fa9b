package import CueBase
package import CueStorage

// This layout is frozen: docs/format.md §12 to §14.

/// The commit that holds a note, and the number of the record among those of its kind there, from 0.
package typealias NoteID = VersionID

/// A record that says something of other records, or of a project: of the kinds 13 to 19 in docs/format.md §6.
package struct Note: Sendable {
    /// The commit in which it stands.
    package let position: LogPosition
    /// Its number among the notes of its kind in that commit, from 0.
    package let number: UInt32
    /// What it says.
    package let content: Content

    /// What a note can say.
    package enum Content: Sendable {
        /// A device's commits and batches of events count up to a place alone.
        case shutOut(ShutOut)
        /// What may be gone.
        case retired(Retirement)
        /// A version or a snapshot that is never to be retired.
        case pinned(Pin)
        /// Pins that are taken back.
        case unpinned([NoteID])
        /// Retirements of which the writer's device knows, so that it relies on nothing that they name.
        case acknowledged([NoteID])
        /// What a person has set for a project.
        case settings(SettingsNote)
        /// A signed snapshot of entitlements.
        case plan([UInt8])
    }

    /// The commit of `position`, and `number`.
    package var id: NoteID { NoteID(commit: position.commit, number: number) }

    /// The identity of a record: two that are equal in it are one.
    struct Place: Hashable {
        let position: LogPosition
        let kind: RecordKind
        let number: UInt32
    }

    /// Where it stands.
    var place: Place { Place(position: position, kind: content.kind, number: number) }
}

/// Says up to where the records of a device count (docs/format.md §12).
package struct ShutOut: Hashable, Sendable {
    /// The device that is shut out.
    package let device: DeviceID
    /// The last commit that counts, its generation and id; generation 0 and `.none` for none.
    package let generation: UInt64
    /// The id of that commit.
    package let commit: CommitID
    /// The generation of the last batch of events that counts; 0 for none.
    package let batchGeneration: UInt64
    /// The id of that batch.
    package let batch: CommitID

    /// Shuts out a device after these; nil for all that it wrote.
    package init(_ device: DeviceID, after last: LogPosition?, batch: LogPosition?) {
        self.device = device
        (generation, commit) = (last?.generation ?? 0, last?.commit ?? .none)
        (batchGeneration, self.batch) = (batch?.generation ?? 0, batch?.commit ?? .none)
    }

    /// The last commit that counts; of generation 0 for none.
    var last: LogPosition { LogPosition(device: device, generation: generation, commit: commit) }

    fileprivate init(_ reader: inout ByteReader) throws(FormatError) {
        device = try reader.id16()
        (generation, commit) = (try reader.varint(), try reader.commitID())
        (batchGeneration, batch) = (try reader.varint(), try reader.commitID())
        guard (generation == 0) == (commit == .none), (batchGeneration == 0) == (batch == .none) else {
            throw .invalid(.impossibleNote)
        }
    }

    fileprivate func encode(into writer: inout ByteWriter) {
        writer.id(device)
        writer.varint(generation)
        writer.id(commit)
        writer.varint(batchGeneration)
        writer.id(batch)
    }
}

/// Names what may be gone (docs/format.md §14).
package struct Retirement: Hashable, Sendable {
    /// Versions whose content may be gone.
    package var versions: [VersionID] = []
    /// Packs that may be gone.
    package var packs: [PackID] = []
    /// Commits that may be gone as objects of their own.
    package var commits: [LogPosition] = []

    /// Names nothing.
    package init() {}
}

/// Keeps a version or a snapshot (docs/format.md §14).
package struct Pin: Hashable, Sendable {
    /// What is kept.
    package enum Target: Hashable, Sendable {
        /// One version of one project.
        case version(VersionID)
        /// All that a snapshot shows.
        case snapshot(CommitID)
    }

    /// The most bytes of a label.
    static let labelLength = 255

    /// What is kept.
    package let target: Target
    /// For people; at most 255 bytes.
    package let label: String

    /// Memberwise.
    package init(_ target: Target, label: String) { (self.target, self.label) = (target, label) }

    fileprivate init(_ reader: inout ByteReader) throws(FormatError) {
        switch try reader.u8() {
        case 1: target = .version(try reader.versionID())
        case 2: target = .snapshot(try reader.commitID())
        default: throw .invalid(.impossibleNote)
        }
        label = String(decoding: try reader.lengthAndBytes(upTo: Self.labelLength), as: UTF8.self)
    }

    fileprivate func encode(into writer: inout ByteWriter) {
        switch target {
        case .version(let id):
            writer.u8(1)
            writer.id(id)
        case .snapshot(let id):
            writer.u8(2)
            writer.id(id)
        }
        writer.lengthAndBytes(label.utf8)
    }
}

/// What a person has set for a project (docs/format.md §13).
package struct SettingsNote: Hashable, Sendable {
    /// The most bytes of the JSON.
    package static let size = 16 << 10

    /// The project; it need not be known.
    package let project: ProjectID
    /// The settings that these replace.
    package let parents: [NoteID]
    /// When they were set, by the clock of the device.
    package let time: Timestamp
    /// An object of RFC 8785, as it stands in the record: it was not parsed.
    package let json: [UInt8]

    /// Memberwise.
    package init(project: ProjectID, parents: [NoteID], time: Timestamp, json: [UInt8]) {
        (self.project, self.parents, self.time, self.json) = (project, parents, time, json)
    }

    fileprivate init(_ reader: inout ByteReader) throws(FormatError) {
        project = try reader.versionID()
        parents = try reader.versionIDs()
        time = try reader.time()
        json = try reader.lengthAndBytes(upTo: Self.size)
    }

    fileprivate func encode(into writer: inout ByteWriter) {
        writer.id(project)
        writer.ids(parents)
        writer.svarint(time.inYears.milliseconds)
        writer.lengthAndBytes(json)
    }
}

extension Note.Content {
    /// The most bytes of a plan.
    package static let planSize = 16 << 10

    var kind: RecordKind {
        switch self {
        case .shutOut: .shutOut
        case .retired: .retired
        case .pinned: .pinned
        case .unpinned: .unpinned
        case .acknowledged: .acknowledged
        case .settings: .settings
        case .plan: .plan
        }
    }

    /// Reads the body of a record. nil for a kind that is no note. Throws `FormatError` if a rule is broken.
    init?(_ kind: RecordKind, _ reader: inout ByteReader) throws(FormatError) {
        switch kind {
        case .shutOut: self = .shutOut(try ShutOut(&reader))
        case .retired:
            var retired = Retirement()
            retired.versions = try reader.versionIDs()
            for _ in 0..<(try reader.count(ofItems: 16)) { retired.packs.append(try reader.id16()) }
            for _ in 0..<(try reader.count(ofItems: 25)) { retired.commits.append(try reader.logPosition()) }
            self = .retired(retired)
        case .pinned: self = .pinned(try Pin(&reader))
        case .unpinned: self = .unpinned(try reader.versionIDs())
        case .acknowledged: self = .acknowledged(try reader.versionIDs())
        case .settings: self = .settings(try SettingsNote(&reader))
        case .plan: self = .plan(try reader.lengthAndBytes(upTo: Self.planSize))
        default: return nil
        }
        try reader.expectEnd()
    }

    /// The body of the record.
    func encode() -> [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .shutOut(let shutOut): shutOut.encode(into: &writer)
        case .retired(let retired):
            writer.ids(retired.versions)
            writer.varint(retired.packs.count)
            for pack in retired.packs { writer.id(pack) }
            writer.varint(retired.commits.count)
            for position in retired.commits { writer.position(position) }
        case .pinned(let pin): pin.encode(into: &writer)
        case .unpinned(let ids), .acknowledged(let ids): writer.ids(ids)
        case .settings(let settings): settings.encode(into: &writer)
        case .plan(let bytes): writer.lengthAndBytes(bytes)
        }
        return writer.bytes
    }
}

extension Note {
    /// Reads the body of a kept record of a checkpoint. Throws `FormatError` if a rule is broken.
    init(kept reader: inout ByteReader) throws(FormatError) {
        position = try reader.logPosition()
        number = UInt32(try reader.count(upTo: Int(UInt32.max)))
        guard let kind = RecordKind(rawValue: try reader.varint()), let content = try Content(kind, &reader) else {
            throw .invalid(.impossibleNote)
        }
        self.content = content
    }

    /// The body of a kept record.
    func encodeKept() -> [UInt8] {
        var writer = ByteWriter()
        writer.position(position)
        writer.varint(Int(number))
        writer.varint(content.kind.rawValue)
        writer.raw(content.encode())
        return writer.bytes
    }
}

extension ByteReader {
    /// A count, then so many ids of versions or notes.
    fileprivate mutating func versionIDs() throws(FormatError) -> [VersionID] {
        let count = try count(ofItems: 12)
        var ids: [VersionID] = []
        ids.reserveCapacity(count)
        for _ in 0..<count { ids.append(try versionID()) }
        return ids
    }
}

extension ByteWriter {
    /// What `ByteReader.versionIDs` reads.
    fileprivate mutating func ids(_ ids: [VersionID]) {
        varint(ids.count)
        for id in ids { self.id(id) }
    }
}
