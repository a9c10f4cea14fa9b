import CueBase
import CueLibrary
import CueSystem
import CueVault

/// Reads documents as they are at one moment, and cuts them into chunks for the sink.
struct DocumentReader {
    private static let attempts = 4
    /// Files up to this size, in bytes, are stored as what changed since their last version.
    private static let largestWithDeltas: Int64 = 4 << 20

    private let sink: ChunkSink
    private var folders: FolderPath
    private var buffer: [UInt8] = []
    /// The bytes that were read so far.
    private(set) var readBytes: Int64 = 0
    /// Members of bundles that are no file, folder or link.
    private(set) var skipped: [SkippedPath] = []
    /// Called with the number of bytes of each piece that was read of a large file.
    var notePiece: ((Int64) -> Void)?
    /// The document that is being read; nil if it is new, or is stored again in full.
    var project: ProjectID?
    /// What the files of earlier versions were stored as.
    private let known: [FileKey: FileBases]
    /// What became of the chunks of files that may be edited again soon.
    private(set) var deltas: [FileKey: FileDeltas] = [:]
    /// Whether a file of the last bundle is damaged on the disk. Its stored content stays as it is.
    var hasDamage = false

    /// `known`: what the files of earlier versions were stored as.
    init(root: Folder, sink: ChunkSink, _ known: [FileKey: FileBases]) {
        (self.sink, self.known, folders) = (sink, known, FolderPath(root))
    }

    // MARK: Kinds of projects

    /// Reads attributes and times of a folder.
    mutating func folder(_ candidate: Scan.Candidate) throws -> UnitResult.Outcome {
        let folder = try folders.open(candidate.path)
        let started = FileTime.now
        let info = try folder.info()
        let member = Member(
            path: .root, mode: info.mode, modified: info.modified, attributes: try folder.extendedAttributes(),
            content: .folder)
        return .stored([MemberEntry(stat: StatKey(info).asOf(started), member: member)], isUnsettled: false)
    }

    /// Reads the target of a link.
    mutating func symlink(_ candidate: Scan.Candidate) throws -> UnitResult.Outcome {
        let folder = try folders.openParent(of: candidate.path)
        let target = try folder.target(of: candidate.path.name)
        guard let info = try folder.info(of: candidate.path.name), info.kind == .symlink else { return .vanished }
        return .stored([MemberEntry(stat: StatKey(info), member: Self.link(.root, info, target))], isUnsettled: false)
    }

    private static func link(_ path: RelativePath, _ info: FileInfo, _ target: [UInt8]) -> Member {
        Member(path: path, mode: info.mode, modified: info.modified, attributes: [], content: .symlink(target: target))
    }

    /// Reads a file, or a part of a large one. Tries four times to read it unchanged, then returns it as unsettled.
    mutating func file(_ candidate: Scan.Candidate, _ unit: WorkUnit) throws -> UnitResult.Outcome {
        let folder = try folders.openParent(of: candidate.path)
        if let segment = unit.segment { return try part(segment, of: unit.segments, folder, candidate.path.name) }
        var entry: MemberEntry?
        for attempt in 0..<Self.attempts {
            if attempt > 0 { Wait.milliseconds(40 << attempt) }
            let (read, isSettled) = try contents(of: candidate.path.name, in: folder, as: .root)
            if isSettled { return .stored([read], isUnsettled: false) }
            entry = read
        }
        // It changes faster than it can be read (a log, a recording): the last reading is kept, as unsettled.
        return entry.map { .stored([$0.doubted], isUnsettled: true) } ?? .vanished
    }

    /// Reads one part of a large file. Several workers may read its parts; `WorkQueue` compares the file's key of all
    /// of them.
    private mutating func part(
        _ number: Int, of count: Int, _ folder: Folder, _ name: [UInt8]
    ) throws -> UnitResult.Outcome {
        _ = sink.end()
        let file = try folder.fileWithoutAccessTime(name)
        let before = try file.info()
        guard before.kind == .file else { return .vanished }
        let start = Int64(number) * Chunker.segment
        // The last part takes what was appended meanwhile, up to the size of now: a file that grows for ever still
        // ends.
        let end = number == count - 1 ? max(start, before.size) : min(start + Chunker.segment, before.size)
        let (chunks, bytes) = try chunks(of: file, from: start, to: end, fileSize: before.size)
        let after = try file.info()
        let stat = StatKey(before) == StatKey(after) ? StatKey(before) : StatKey(after).doubted
        return .segment(chunks, bytes: bytes, stat: stat, attributes: try file.extendedAttributes())
    }

    // MARK: Bundles

    /// Walks through the bundle, reads it, and walks again, until nothing changes in between: a bundle is stored as it
    /// was at one moment. After four tries it is read once more and returned as unsettled.
    ///
    /// `old`: the members of its last version. They are read only if they changed, or if all are to be read `again`.
    mutating func bundle(
        _ candidate: Scan.Candidate, old: [MemberEntry], again: Bool = false
    ) throws -> UnitResult.Outcome {
        var known = Dictionary(old.map { ($0.member.path, $0) }, uniquingKeysWith: { $1 })
        let folder = try folders.open(candidate.path)
        if again { try readAgain(&known, try Self.rested(folder, candidate.listing), folder) }
        for attempt in 0..<Self.attempts {
            if attempt > 0 { Wait.milliseconds(60 << attempt) }
            // The listing of the scan is the first of the two walks.
            let before = try Self.rested(folder, attempt == 0 ? candidate.listing : nil)
            let members = try read(before, folder, &known)
            if try BundleListing(folder) == before {
                skip(before, in: candidate.path)
                return .stored(members, isUnsettled: false)
            }
        }
        let last = try BundleListing(folder)
        let members = try read(last, folder, &known)
        skip(last, in: candidate.path)
        return .stored(members.map(\.doubted), isUnsettled: true)
    }

    /// Notes the members that a vault does not store.
    private mutating func skip(_ listing: BundleListing, in bundle: RelativePath) {
        skipped += listing.others.map { $0.skipped(in: bundle) }
    }

    /// The listing of a bundle that nothing has touched for 200 ms, or the fifth listing if it does not rest. Programs
    /// save the files of a bundle in a burst, and between two of them it looks as still as after the last.
    private static func rested(_ folder: Folder, _ seen: BundleListing?) throws -> BundleListing {
        var listing = try seen ?? BundleListing(folder)
        for _ in 0..<5 {
            guard let wait = listing.lastChange.unrest else { break }
            Wait.milliseconds(wait)
            listing = try BundleListing(folder)
        }
        return listing
    }

    /// Reads and packs the files that are unchanged, so that the vault has their content again. A file whose times and
    /// size are as they were and whose content is not is damaged on the disk: no program wrote that.
    private mutating func readAgain(
        _ known: inout [RelativePath: MemberEntry], _ listing: BundleListing, _ root: Folder
    ) throws {
        var path = FolderPath(root)
        for item in listing.items {
            guard let entry = known[item.path], entry.isFile, entry.stat == StatKey(item.info) else { continue }
            do {
                let read = try member(item, &path)
                if read.stat == entry.stat, read.member.content != entry.member.content {
                    hasDamage = true
                    known[item.path] = MemberEntry(stat: entry.stat.asDamaged, member: entry.member)
                }
            } catch let error as SystemError {
                guard error.isNotFound else { throw error }
            }
        }
    }

    /// Reads the members of the listing that have changed, and takes the others from `known`.
    private mutating func read(
        _ listing: BundleListing, _ root: Folder, _ known: inout [RelativePath: MemberEntry]
    ) throws -> [MemberEntry] {
        var path = FolderPath(root)
        var members: [MemberEntry] = []
        for item in listing.items {
            if let entry = known[item.path] {
                let now = StatKey(item.info)
                let isDamaged = entry.isFile && entry.stat.isDamaged(now)
                hasDamage = hasDamage || isDamaged
                if isDamaged || entry.stat == now {
                    members.append(entry)
                    continue
                }
            }
            do {
                let entry = try member(item, &path)
                known[item.path] = entry
                members.append(entry)
            } catch let error as SystemError {
                // It was removed since the walk: the second walk finds that, and the bundle is read again.
                guard error.isNotFound else { throw error }
            }
        }
        return members
    }

    /// Reads one member.
    private mutating func member(_ item: BundleListing.Item, _ path: inout FolderPath) throws -> MemberEntry {
        switch item.info.kind {
        case .folder:
            let started = FileTime.now
            let folder = try path.open(item.path)
            let info = try folder.info()
            let member = Member(
                path: item.path, mode: info.mode, modified: info.modified,
                attributes: try folder.extendedAttributes(), content: .folder)
            return MemberEntry(stat: StatKey(info).asOf(started), member: member)
        case .symlink:
            let folder = try path.openParent(of: item.path)
            let target = try folder.target(of: item.path.name)
            return MemberEntry(stat: StatKey(item.info), member: Self.link(item.path, item.info, target))
        case .file, .other:
            let folder = try path.openParent(of: item.path)
            return try contents(of: item.path.name, in: folder, as: item.path).entry
        }
    }

    // MARK: Files

    /// Reads a file once. `isSettled`: nothing changed it meanwhile.
    private mutating func contents(
        of name: [UInt8], in folder: Folder, as path: RelativePath
    ) throws -> (entry: MemberEntry, isSettled: Bool) {
        let file = try folder.fileWithoutAccessTime(name)
        var before = try file.info()
        guard before.kind == .file else { throw SystemError.notThere }
        // Of a file that was saved just now, another save in the same tick of the clock would not show. Its key would be
        // doubted, and a status would report a change that is none until the next backup.
        if let wait = StatKey(before).millisecondsToRest(at: .now) {
            Wait.milliseconds(wait)
            before = try file.info()
        }
        let started = FileTime.now
        let attributes = try file.extendedAttributes()
        // Of a file that could not be read to its end.
        _ = sink.end()
        let key = project.map { FileKey(project: $0, path: path) }
        if let key, before.size <= Self.largestWithDeltas { sink.begin(known[key] ?? FileBases()) }
        let (chunks, bytes) = try chunks(of: file, from: 0, to: before.size, fileSize: before.size)
        if let key, let ended = sink.end(), ended.hasNews { deltas[key] = ended }
        let after = try file.info()
        let member = Member(
            path: path, mode: after.mode, modified: after.modified, attributes: attributes,
            content: .file(size: bytes, chunks: chunks))
        let isSettled = StatKey(before) == StatKey(after) && bytes == after.size
        return (MemberEntry(stat: StatKey(after).asOf(started), member: member), isSettled)
    }

    /// Reads a range and stores its chunks. Stops early if the file ends.
    private mutating func chunks(
        of file: borrowing File, from start: Int64, to end: Int64, fileSize: Int64
    ) throws -> (chunks: [ChunkID], bytes: Int64) {
        guard let chunker = sink.chunker(forFileOf: fileSize) else {
            return try whole(file, size: Int(end - start))
        }
        file.adviseSequential()
        var chunks: [ChunkID] = []
        var offset = start
        while offset < end {
            let stop = min(end, (offset / Chunker.segment + 1) * Chunker.segment)
            let bytes = try segment(file, from: offset, to: stop, chunker, &chunks)
            offset += bytes
            if bytes == 0 || offset < stop { break }
        }
        return (chunks, offset - start)
    }

    /// Reads a file that is one chunk.
    private mutating func whole(_ file: borrowing File, size: Int) throws -> (chunks: [ChunkID], bytes: Int64) {
        guard size > 0 else { return ([], 0) }
        let count = try fill(file, at: 0, keeping: 0, upTo: size)
        return count == 0 ? ([], 0) : ([try sink.store(buffer.span.extracting(0..<count))], Int64(count))
    }

    /// Cuts one segment. The buffer always holds the largest chunk, or all that is left.
    private mutating func segment(
        _ file: borrowing File, from start: Int64, to end: Int64, _ chunker: Chunker, _ chunks: inout [ChunkID]
    ) throws -> Int64 {
        var (position, filled) = (0, 0)
        var next = start
        var isAtEnd = false
        while true {
            if !isAtEnd && filled - position < chunker.maximum {
                moveToFront(position..<filled)
                (position, filled) = (0, filled - position)
                let wanted = min(Int64(2 * chunker.maximum), Int64(filled) + end - next)
                let count = try fill(file, at: next, keeping: filled, upTo: Int(wanted))
                next += Int64(count - filled)
                notePiece?(Int64(count - filled))
                isAtEnd = next >= end || count < Int(wanted)
                filled = count
            }
            guard position < filled else { return next - start }
            let length = chunker.nextLength(in: buffer.span.extracting(position..<filled))
            chunks.append(try sink.store(buffer.span.extracting(position..<position + length)))
            position += length
        }
    }

    /// Moves the bytes that are left to the front of the buffer.
    private mutating func moveToFront(_ range: Range<Int>) {
        guard range.lowerBound > 0 else { return }
        unsafe buffer.withUnsafeMutableBytes { bytes in
            let source = unsafe UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[range])
            unsafe bytes.copyMemory(from: source)
        }
    }

    /// Fills the buffer after the first `kept` bytes, until it holds `limit` bytes or the file ends. Returns how many
    /// it holds.
    private mutating func fill(
        _ file: borrowing File, at offset: Int64, keeping kept: Int, upTo limit: Int
    ) throws -> Int {
        if buffer.count < limit { buffer += [UInt8](repeating: 0, count: limit - buffer.count) }
        var span = buffer.mutableSpan
        var target = span._mutatingExtracting(kept..<limit)
        let count = try file.read(into: &target, at: offset)
        readBytes += Int64(count)
        return kept + count
    }

}

extension StatKey {
    /// The key, doubted if it is so fresh that another change could leave the same times.
    func asOf(_ time: FileTime) -> StatKey { isTooFresh(at: time) ? doubted : self }
}

extension MemberEntry {
    fileprivate var isFile: Bool { if case .file = member.content { true } else { false } }

    /// The entry with a key that matches no file, so that the member is read again.
    var doubted: MemberEntry { MemberEntry(stat: stat.doubted, member: member) }
}

extension FileTime {
    /// The milliseconds until a fifth of a second has passed since this; nil once it has.
    fileprivate var unrest: Int? {
        let age = FileTime.now.timestamp.milliseconds - timestamp.milliseconds
        // A time in the future comes from another machine's clock, and shows nothing.
        return (0..<200).contains(age) ? Int(200 - age) : nil
    }
}

extension Scan.Candidate {
    /// Whether it was at rest when the scan saw it. Only bundles need rest.
    var isRested: Bool { kind != .bundle || (listing?.lastChange ?? stat.changed).unrest == nil }
}
