package import CueBase
package import CueCrypto
package import CueStorage

/// A commit or a checkpoint, opened into its records (docs/format.md §6 and §8). The members of versions stay encoded
/// until they are asked for.
package struct RecordObject: Sendable {
    /// The first record of a commit; nil for a checkpoint.
    package private(set) var commit: CommitRecord?
    /// The last commits that a checkpoint sums up, one for each branch; empty for a commit.
    package private(set) var coverage: [CommitMark] = []
    /// The device records, in the order in which they stand.
    package private(set) var devices: [DeviceRecord] = []
    /// The packs. Their chunks have the numbers that versions use as ordinals.
    private(set) var index = ChunkIndex()
    /// The versions in the order in which they stand; of a checkpoint the kept ones. A `History` takes them out.
    package private(set) var versions: [Version] = []
    /// What it says of other records and of projects; of a checkpoint what was kept of its commits.
    package private(set) var notes: [Note] = []
    /// Who signed it. It was not compared with the device of its name.
    package private(set) var authorship: Authorship?
    /// The device that signed a checkpoint, once that was proven.
    var signer: DeviceID?
    /// Each frame from its first version on; empty for a frame without versions.
    fileprivate var frames: [[UInt8]] = []
    /// The offset of the first version in the frame that is being read; nil before it.
    private var frameStart: Int?
    private var budget = RecordBudget()

    /// A version of one project, with the place of its members. A reference, as histories hold very many in several
    /// collections.
    package final class Version: Sendable {
        /// Everything but the members.
        package let header: VersionHeader
        /// The device that wrote the commit that brought the version.
        package let device: DeviceID
        /// The time of that commit.
        package let time: Timestamp
        /// The generation of that commit; 0, which no commit has, for a version from a checkpoint.
        private let generation: UInt64
        /// The number of the frame in its object, and the range of the members in it.
        private let frame: UInt32
        private let start: UInt32
        private let end: UInt32
        /// The number of chunks that stood before it: its ordinals are below this.
        private let chunkCount: UInt32

        /// The id of `header`.
        package var id: VersionID { header.id }

        /// The commit that brought it; nil for a version from a checkpoint.
        var position: LogPosition? {
            generation == 0 ? nil : LogPosition(device: device, generation: generation, commit: id.commit)
        }

        fileprivate init(
            _ header: VersionHeader, _ device: DeviceID, _ generation: UInt64, _ time: Timestamp, frame: Int,
            members: Range<Int>, chunkCount: Int
        ) {
            (self.header, self.device, self.generation, self.time) = (header, device, generation, time)
            (self.frame, self.chunkCount) = (UInt32(frame), UInt32(chunkCount))
            (start, end) = (UInt32(members.lowerBound), UInt32(members.upperBound))
        }

        /// The same version with another header.
        private init(_ other: Version, _ header: VersionHeader) {
            self.header = header
            (device, generation, time) = (other.device, other.generation, other.time)
            (frame, start, end, chunkCount) = (other.frame, other.start, other.end, other.chunkCount)
        }

        /// The same version without the parents for which `isStray` is true.
        func without(_ isStray: (VersionID) -> Bool) -> Version { Version(self, header.without(isStray)) }

        /// Reads the members. `object` must be the object that the version stands in.
        ///
        /// Throws `FormatError.invalid(.foreignVersions)` for another object, and other `FormatError`s if a rule is
        /// broken.
        package func changes(in object: RecordObject) throws(FormatError) -> MemberChanges {
            try changes(in: object, chunkIDs: object.index.ids[...])
        }

        /// The same for an object whose chunk ids are kept elsewhere.
        func changes(in object: RecordObject, chunkIDs: ArraySlice<ChunkID>) throws(FormatError) -> MemberChanges {
            guard object.frames.indices.contains(Int(frame)), end <= object.frames[Int(frame)].count,
                chunkCount <= chunkIDs.count
            else { throw .invalid(.foreignVersions) }
            var reader = ByteReader(object.frames[Int(frame)], Int(start)..<Int(end))
            return try MemberChanges(&reader, of: header, chunkIDs: chunkIDs.prefix(Int(chunkCount)))
        }
    }

    /// The packs that the object names; empty once a `History` has taken the index.
    package var packs: [PackRecord] { index.packs.indices.map(index.record) }
    /// The ids of `packs`.
    package var packIDs: [PackID] { index.packs.map(\.id) }
    /// The record of a pack; nil if the object does not name it, or if a `History` has taken the index.
    package func pack(_ id: PackID) -> PackRecord? { index.packs.firstIndex { $0.id == id }.map(index.record) }

    /// Reads the plaintext of a commit. `position` is the place that its name gives it, and `context` says which object
    /// it is.
    ///
    /// Throws `FormatError` if a rule is broken that shows without reading members.
    package init(commit plaintext: [UInt8], at position: LogPosition, _ context: SealContext) throws {
        try self.init(commit: PlainReader(plaintext), at: position, context)
    }

    init(commit plaintext: PlainReader, at position: LogPosition, _ context: SealContext, roomFor more: Int = 0) throws
    {
        let inline = try plaintext.count(upTo: Limits.inline)
        try plaintext.skip(inline)
        index.reserve(forRecordsOf: plaintext.remaining.saturatingAdding(more))
        let frames = try FrameReader(plaintext)
        try readCommit(at: position, context, inline: inline) { (budget) throws in try frames.next(&budget) }
        try plaintext.drain()
    }

    /// Reads the records of a commit as a run holds them. What stood in the commit itself is not there. `budget` is that
    /// of the run.
    init(
        commitInRun records: [UInt8], at position: LogPosition, _ context: SealContext, _ budget: inout RecordBudget
    ) throws {
        self.budget = budget
        var next: [UInt8]? = records
        try readCommit(at: position, context, inline: nil) { _ in next.take() }
        // The run is one object, and weighs what all of its commits do.
        budget = self.budget
        self.budget = RecordBudget()
    }

    /// Reads the records of a commit. `inline`: the bytes of the blocks that it holds itself; nil if they are not there.
    private mutating func readCommit(
        at position: LogPosition, _ context: SealContext, inline: Int?,
        _ next: (inout RecordBudget) throws -> [UInt8]?
    ) throws {
        var numbers: [RecordKind: UInt32] = [:]
        try read(context, next) { (object, kind, reader) throws(FormatError) in
            if object.commit == nil {
                guard kind == .commit else { throw .invalid(.commitWithoutHead) }
                let commit = try CommitRecord(&reader)
                guard (commit.previous == .none) == (position.generation == 1),
                    commit.previous != .none || commit.previousDigest == nil
                else {
                    throw .invalid(.commitOutOfOrder)
                }
                object.commit = commit
                return
            }
            switch kind {
            case .device: try object.add(try DeviceRecord(&reader))
            case .pack: try object.add(try PackRecord(&reader))
            case .inline:
                let record = try PackRecord(inlineIn: position, &reader)
                guard inline == nil || record.storedLength == inline else { throw .invalid(.inlineLength) }
                try object.add(record)
            case .version:
                let id = VersionID(commit: position.commit, number: UInt32(object.versions.count))
                let header = try VersionHeader(&reader, id: id)
                try object.add(
                    header, position.device, position.generation, object.commit?.time ?? Timestamp(milliseconds: 0),
                    reader)
            case .shutOut, .retired, .pinned, .unpinned, .acknowledged, .settings, .plan:
                guard let content = try Note.Content(kind, &reader) else { throw .invalid(.misplacedInCommit) }
                let number = numbers[kind] ?? 0
                numbers[kind] = number + 1
                try object.add(Note(position: position, number: number, content: content))
            case .commit, .keptVersion, .coverage, .keptInline, .batch, .event, .replaced, .signature, .kept, .run,
                .commitOfRun:
                throw .invalid(.misplacedInCommit)
            }
        }
        guard commit != nil else { throw FormatError.invalid(.emptyCommit) }
        guard inline ?? 0 == 0 || index.pack(PackID(inlineIn: position.commit)) != nil else {
            throw FormatError.invalid(.inlineLength)
        }
    }

    /// Reads the plaintext of a checkpoint. Throws `FormatError` if a rule is broken that shows without reading
    /// members.
    package init(checkpoint plaintext: [UInt8], _ context: SealContext) throws {
        try self.init(checkpoint: PlainReader(plaintext), context)
    }

    init(checkpoint plaintext: PlainReader, _ context: SealContext, roomFor more: Int = 0) throws {
        var isFirst = true
        index.reserve(forRecordsOf: plaintext.remaining.saturatingAdding(more))
        let frames = try FrameReader(plaintext)
        try read(context) { (budget) throws in
            try frames.next(&budget)
        } _: { (object, kind, reader) throws(FormatError) in
            guard isFirst == (kind == .coverage) else {
                throw .invalid(.checkpointWithoutHead)
            }
            isFirst = false
            switch kind {
            case .coverage:
                object.coverage = try reader.marks()
                try reader.expectEnd()
            case .device: try object.add(try DeviceRecord(&reader))
            case .pack: try object.add(try PackRecord(&reader))
            case .keptInline: try object.add(try PackRecord(keptInline: &reader))
            case .keptVersion:
                let id = try reader.versionID()
                let device = try reader.id16()
                let time = try reader.time()
                let header = try VersionHeader(&reader, id: id)
                guard !header.isDelta, !header.isNew else {
                    throw .invalid(.dependentVersion)
                }
                try object.add(header, device, 0, time, reader)
            case .kept: try object.add(try Note(kept: &reader))
            case .commit, .version, .inline, .batch, .event, .replaced, .signature, .shutOut, .retired, .pinned,
                .unpinned, .acknowledged, .settings, .plan, .run, .commitOfRun:
                throw .invalid(.misplacedInCheckpoint)
            }
        }
        try plaintext.drain()
        guard !isFirst else { throw FormatError.invalid(.emptyCheckpoint) }
        guard versions.hasNoneTwice else { throw FormatError.invalid(.repeatedVersion) }
        guard Set(notes.lazy.map(\.place)).count == notes.count else { throw FormatError.invalid(.repeatedNote) }
    }

    /// Reads all frames that `next` returns, and passes each known record to `take`.
    private mutating func read(
        _ context: SealContext, _ next: (inout RecordBudget) throws -> [UInt8]?,
        _ take: (inout RecordObject, RecordKind, inout ByteReader) throws(FormatError) -> Void
    ) throws {
        var hasHead = false
        var authors = AuthorshipReader(context)
        while let frame = try next(&budget) {
            frameStart = nil
            try authors.read(frame) { kind, body in
                // Records of later versions are skipped (docs/format.md §1), and so are those of events.
                guard let kind, !kind.isOfEvents else {
                    guard hasHead else { throw FormatError.invalid(.misplacedRecord) }
                    return
                }
                hasHead = true
                var inner = ByteReader(frame, body)
                try take(&self, kind, &inner)
            }
            frames.append(frameStart.map { Array(frame[$0...]) } ?? [])
        }
        authorship = try authors.finish()
    }

    private mutating func add(_ note: Note) throws(FormatError) {
        try budget.add(things: 1)
        notes.append(note)
    }

    private mutating func add(_ device: DeviceRecord) throws(FormatError) {
        try budget.add(things: 1)
        devices.append(device)
    }

    private mutating func add(_ pack: PackRecord) throws(FormatError) {
        guard index.pack(pack.id) == nil else { throw .invalid(.repeatedPack) }
        index.add(pack)
    }

    private mutating func add(
        _ header: VersionHeader, _ device: DeviceID, _ generation: UInt64, _ time: Timestamp, _ reader: ByteReader
    ) throws(FormatError) {
        var scan = reader
        let (members, chunks) = try scan.countMembers(of: header)
        try scan.expectEnd()
        try budget.add(things: members.saturatingAdding(1), chunks: chunks)
        let start = frameStart ?? reader.position
        frameStart = start
        versions.append(
            Version(
                header, device, generation, time, frame: frames.count,
                members: reader.position - start..<reader.end - start, chunkCount: index.chunkCount))
    }

    /// Moves the versions out.
    mutating func takeVersions() -> [Version] {
        defer { versions = [] }
        return versions
    }

    /// The weight beyond what objects of its size have.
    var excess: RecordBudget.Excess { budget.excess }

    /// Puts back an index that `takeIndex` took.
    mutating func keep(_ index: ChunkIndex) { self.index = index }

    /// Moves the index out.
    mutating func takeIndex() -> ChunkIndex {
        defer { index = ChunkIndex() }
        return index
    }
}

/// The records of a commit that is to be written (docs/format.md §6).
package struct CommitDraft: Sendable {
    /// The first record.
    package var commit: CommitRecord
    /// Written after the commit record.
    package var devices: [DeviceRecord] = []
    /// Written after the devices. Their chunks are numbered for the versions.
    package var packs: [PackRecord] = []
    /// The blocks that stand in the commit itself. Their chunks are numbered after those of `packs`.
    package var inline = InlineBlocks()
    /// Written last. The number of each is its place here, and part of its id.
    package var versions: [VersionDraft] = []
    /// Written after the versions.
    package var notes: [Note.Content] = []

    /// A commit without further records.
    package init(_ commit: CommitRecord) { self.commit = commit }

    /// The inline blocks, the frames with the signature, and the padding; with the digest.
    ///
    /// Throws `FormatError.invalid(.recordTooLarge)`, and `ZstdError`.
    package func plaintext(
        of context: SealContext, signedBy key: DeviceKey
    ) throws -> (bytes: [UInt8], digest: CommitDigest) {
        var front = ByteWriter()
        front.lengthAndBytes(inline.bytes)
        var writer = FrameWriter(context, after: front.count)
        try writer.append(.commit, commit.encode())
        for device in devices { try writer.append(.device, device.encode(), things: 1) }
        for pack in packs {
            try writer.append(.pack, pack.encode(), chunks: pack.chunkCount * ChunkNumbering.share)
        }
        var packs = packs
        // The ordinals depend on the order of the records alone.
        let own = PackRecord(
            inlineIn: LogPosition(device: ID16(high: 0, low: 0), generation: 1, commit: .none), blocks: inline.blocks)
        if !inline.blocks.isEmpty {
            try writer.append(.inline, own.encodeInline(), chunks: own.chunkCount * ChunkNumbering.share)
            packs.append(own)
        }
        let ordinals = packs.ordinals
        var numbering = ChunkNumbering(chunks: ordinals.count)
        for version in versions {
            let body = version.encode { numbering.number(ordinals[$0]) }
            try writer.append(.version, body, things: 1 + version.members.count, chunks: numbering.takeIDs())
        }
        for note in notes { try writer.append(note.kind, note.encode(), things: 1) }
        let (rest, digest) = try writer.finish(signedBy: key)
        return (front.bytes + rest, digest)
    }
}

extension [RecordObject.Version] {
    /// True if no id stands twice. The checkpoints that cue writes are sorted, which costs no table.
    fileprivate var hasNoneTwice: Bool {
        zip(self, dropFirst()).allSatisfy { $0.id < $1.id } || Set(lazy.map(\.id)).count == count
    }
}

extension [PackRecord] {
    /// The number of every chunk, from 0 in the order in which they stand; the last number for a chunk that stands
    /// twice.
    var ordinals: [ChunkID: Int] {
        var ordinals: [ChunkID: Int] = [:]
        ordinals.reserveCapacity(reduce(0) { $0 + $1.chunkCount })
        var next = 0
        for pack in self {
            for block in pack.blocks {
                for chunk in block.chunks {
                    ordinals[chunk.id] = next
                    next += 1
                }
            }
        }
        return ordinals
    }
}
