import CueBase
import CueStorage
import CueTestSupport
import CueZstd
import Testing

@testable import CueVault

/// What a commit could say that no writer says. Each table holds rules of docs/format.md §5 and §6, broken one at a
/// time.
@Suite("Hostile records")
struct HostileRecordTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let plaintext: [UInt8]

        init(_ description: String, _ plaintext: [UInt8]) {
            (testDescription, self.plaintext) = (description, plaintext)
        }

        init(_ description: String, version: [UInt8]) {
            self.init(
                description, RawRecords.commit().adding(3, RawRecords.threeChunks).adding(4, version).plaintext)
        }

        init(_ description: String, member: [UInt8]) {
            self.init(
                description,
                version: RawRecords.version(RawRecords.members(RawRecords.folder, member)))
        }

        init(_ description: String, pack: [UInt8]) {
            self.init(description, RawRecords.commit().adding(3, pack).plaintext)
        }
    }

    /// Reads all of it, members too.
    static func read(_ plaintext: [UInt8]) throws {
        let object = try RecordObject(commit: plaintext, at: RecordTests.position)
        for version in object.versions { _ = try version.changes(in: object) }
    }

    /// False if it was refused. An error of another kind fails the test; a trap ends it.
    private static func isRead(_ body: () throws -> Void) throws -> Bool {
        do { try body() } catch is FormatError { return false }
        return true
    }

    private typealias Raw = RawRecords
    private static let huge: [UInt64] = [1 << 31, 1 << 32, 1 << 62, 1 << 63, .max]

    // MARK: What is allowed, so that the tables below differ from it by one thing each

    static let allowed: [Case] = [
        Case("a bundle", member: Raw.file("a", runs: Raw.run(3, 1))),
        Case("runs of numbers and ids", member: Raw.file("a", runs: Raw.run(1, 3), Raw.run(1, 0, ids: Raw.id32(9)))),
        Case("an empty file", member: Raw.file("a", size: 0)),
        Case("a link", member: Raw.member("a", kind: 3, Raw.text("../anywhere"))),
        Case(
            "attributes", member: Raw.member("a", kind: 2, attributes: [2] + Raw.text("a") + [0] + Raw.text("b") + [0])),
        Case("a tombstone", version: Raw.version(flags: 2, project: Raw.id12, [])),
        Case(
            "a delta",
            version: Raw.version(flags: 8, project: Raw.id12, parents: [1] + Raw.id12, [1] + Raw.text("b") + [0])),
        Case("the library itself", version: Raw.version(path: "", kind: 2, Raw.members(Raw.folder))),
        Case(
            "a name that begins like cue's own", version: Raw.version(path: ".cuex", kind: 2, Raw.members(Raw.folder))),
        Case("cue's name further down", version: Raw.version(path: "a/.cue", kind: 2, Raw.members(Raw.folder))),
        Case(
            "records of unknown kinds", Raw.commit().adding(7, [1, 2]).adding(.max, []).adding(1 << 40, [9]).plaintext),
        Case("zeros behind the frames", Raw.commit().plaintext + [UInt8](repeating: 0, count: 999)),
        Case("one byte behind the frames", Raw.commit().plaintext + [0xff]),
        Case("anything behind the end of the frames", Raw.commit().plaintext + [0, 0, 0xff, 0xff, 0xff]),
        Case(
            "two packs",
            pack: Raw.pack([
                Raw.block(stored: 1, raw: 1, chunks: [1]), Raw.block(codec: 1, stored: 1, raw: 9, chunks: [4, 5]),
            ])),
        Case(
            "seen commits of hostile generations",
            Raw.commit(seen: [1] + Raw.id16 + Raw.varint(.max) + Raw.id16.prefix(8) + Raw.id32(1)).plaintext),
    ]

    @Test("What the format allows is read", arguments: allowed)
    func reads(_ given: Case) { #expect(throws: Never.self) { try Self.read(given.plaintext) } }

    // MARK: Paths

    static let paths: [Case] = [
        "/", "/etc/passwd", "..", "../a", "a/../b", "a//b", "a/", "./a", ".", "a\0b", "a/.",
        String(repeating: "x", count: 256), String(repeating: "a/", count: 2_048) + "a",
    ]
    .flatMap { path in
        [
            Case("member \(path.debugDescription.prefix(20))", member: Raw.file(path, size: 0)),
            Case(
                "project \(path.debugDescription.prefix(20))",
                version: Raw.version(path: path, kind: 2, Raw.members(Raw.folder))),
            Case(
                "removed \(path.debugDescription.prefix(20))",
                version: Raw.version(flags: 8, project: Raw.id12, parents: [1] + Raw.id12, [1] + Raw.text(path) + [0])),
        ]
    }

    @Test("A path that leads out of its place, or that no file can have, is refused", arguments: paths)
    func refusesPaths(_ given: Case) { #expect(throws: FormatError.self) { try Self.read(given.plaintext) } }

    @Test("A project in cue's own folder is refused", arguments: [".cue", ".cue/a", ".cue/a/b"])
    func refusesOwnFolder(_ path: String) {
        let given = Case(path, version: Raw.version(path: path, kind: 2, Raw.members(Raw.folder)))
        #expect(throws: FormatError.self) { try Self.read(given.plaintext) }
    }

    // MARK: Trees

    static let trees: [Case] = [
        Case(
            "two members of one path",
            version: Raw.version(Raw.members(Raw.folder, Raw.file("a", size: 0), Raw.file("a", size: 0)))),
        Case(
            "two folders of one path",
            version: Raw.version(Raw.members(Raw.folder, Raw.member("a", kind: 2), Raw.member("a", kind: 2)))),
        Case("two of the bundle itself", version: Raw.version(Raw.members(Raw.folder, Raw.folder))),
        Case(
            "a member below a file",
            version: Raw.version(Raw.members(Raw.folder, Raw.file("a", size: 0), Raw.file("a/b", size: 0)))),
        Case(
            "a member below a link",
            version: Raw.version(
                Raw.members(Raw.folder, Raw.member("a", kind: 3, Raw.text("/etc")), Raw.file("a/b", size: 0)))),
        Case("a member below nothing", version: Raw.version(Raw.members(Raw.folder, Raw.file("a/b", size: 0)))),
        Case(
            "a member below a grandparent",
            version: Raw.version(Raw.members(Raw.folder, Raw.member("a", kind: 2), Raw.file("a/b/c", size: 0)))),
        Case("a bundle without itself", version: Raw.version(Raw.members(Raw.file("a", size: 0)))),
        Case("an empty bundle", version: Raw.version([0])),
        Case("a bundle that is a file", version: Raw.version(Raw.members(Raw.file("", size: 0)))),
        Case("a bundle that is a link", version: Raw.version(Raw.members(Raw.member("", kind: 3, Raw.text("/"))))),
        Case(
            "a file of two members",
            version: Raw.version(kind: 1, Raw.members(Raw.file("", size: 0), Raw.file("a", size: 0)))),
        Case("a file without a member", version: Raw.version(kind: 1, [0])),
        Case("a file that is a folder", version: Raw.version(kind: 1, Raw.members(Raw.folder))),
        Case("a file whose member has a path", version: Raw.version(kind: 1, Raw.members(Raw.file("a", size: 0)))),
        Case(
            "a folder with something in it",
            version: Raw.version(kind: 2, Raw.members(Raw.folder, Raw.file("a", size: 0)))),
        Case("a link that is a file", version: Raw.version(kind: 3, Raw.members(Raw.file("", size: 0)))),
        Case("a library that is a file", version: Raw.version(path: "", kind: 1, Raw.members(Raw.file("", size: 0)))),
        Case("a library that is a bundle", version: Raw.version(path: "", kind: 4, Raw.members(Raw.folder))),
        Case(
            "a delta that puts one path twice",
            version: Raw.version(
                flags: 8, project: Raw.id12, parents: [1] + Raw.id12,
                [0] + Raw.members(Raw.file("a", size: 0), Raw.file("a", size: 0)))),
    ]

    @Test("Members that make no tree are refused", arguments: trees)
    func refusesTrees(_ given: Case) { #expect(throws: FormatError.self) { try Self.read(given.plaintext) } }

    // MARK: Numbers

    static let numbers: [Case] =
        huge.flatMap { huge in
            [
                Case("\(huge) members", version: Raw.version(Raw.members(Raw.folder, count: huge))),
                Case("\(huge) parents", version: Raw.version(parents: Raw.varint(huge), Raw.members(Raw.folder))),
                Case(
                    "\(huge) removed",
                    version: Raw.version(flags: 8, project: Raw.id12, parents: [1] + Raw.id12, Raw.varint(huge) + [0])),
                Case("\(huge) attributes", member: Raw.member("a", kind: 2, attributes: Raw.varint(huge))),
                Case("\(huge) runs", member: Raw.file("a", count: huge)),
                Case("\(huge) chunks by number", member: Raw.file("a", runs: Raw.run(huge, 1))),
                Case("\(huge) chunks by id", member: Raw.file("a", runs: Raw.run(huge, 0, ids: Raw.id32(1)))),
                Case("chunk number \(huge)", member: Raw.file("a", runs: Raw.run(1, huge))),
                Case("chunk number \(huge) and as many", member: Raw.file("a", runs: Raw.run(huge, huge))),
                Case("a path of \(huge)", member: Raw.varint(huge) + [0x61]),
                Case("mode \(huge)", member: Raw.member("a", kind: 2, mode: huge)),
                Case("\(huge) nanoseconds", member: Raw.member("a", kind: 2, nanoseconds: huge)),
                Case("a target of \(huge)", member: Raw.member("a", kind: 3, Raw.varint(huge))),
                Case("\(huge) blocks", pack: Raw.pack(count: huge, [])),
                Case("\(huge) chunks", pack: Raw.pack([Raw.block(stored: 1, raw: 1, chunks: [], count: huge)])),
                Case("a chunk of \(huge)", pack: Raw.pack([Raw.block(stored: 1, raw: 1, chunks: [huge])])),
                Case(
                    "a raw length of \(huge)", pack: Raw.pack([Raw.block(codec: 1, stored: 1, raw: huge, chunks: [1])])),
                Case(
                    "a stored length of \(huge)",
                    pack: Raw.pack([Raw.block(codec: 1, stored: huge, raw: 1, chunks: [1])])),
                Case("a pack of \(huge)", pack: Raw.pack(size: huge, [Raw.block(stored: 1, raw: 1, chunks: [1])])),
                Case("\(huge) seen", Raw.commit(seen: Raw.varint(huge)).plaintext),
                Case(
                    "a record of \(huge)",
                    Raw.object(
                        frames: Raw.frame(
                            codec: 0, raw: 20,
                            Array(([1] + Raw.varint(huge) + [UInt8](repeating: 0, count: 20)).prefix(20))))),
                Case("a frame of \(huge)", Raw.object(frames: [0] + Raw.varint(huge) + Raw.varint(huge))),
                Case("a compressed frame of \(huge)", Raw.object(frames: [1] + Raw.varint(huge) + [1, 0])),
            ]
        } + [
            Case("a file of 2^63 bytes", member: Raw.file("a", size: 1 << 63)),
            Case("a file of a byte over 2^53", member: Raw.file("a", size: 1 << 53 + 1)),
            Case(
                "files that are too large together",
                version: Raw.version(
                    Raw.members(Raw.folder, Raw.file("a", size: 1 << 53), Raw.file("b", size: 1 << 53)))),
            Case("an empty run", member: Raw.file("a", runs: Raw.run(0, 1))),
            Case("an empty run of ids", member: Raw.file("a", runs: Raw.run(0, 0))),
            Case("a run one too long", member: Raw.file("a", runs: Raw.run(4, 1))),
            Case("a run that begins at the end", member: Raw.file("a", runs: Raw.run(1, 4))),
            Case("a run that reaches past the end", member: Raw.file("a", runs: Raw.run(2, 3))),
            Case(
                "an id cut short",
                version: Raw.version(
                    Raw.members(Raw.folder, Array(Raw.file("a", runs: Raw.run(1, 0, ids: Raw.id32(1))).dropLast())))),
            Case("mode 010000", member: Raw.member("a", kind: 2, mode: 0o10000)),
            Case("a whole second of nanoseconds", member: Raw.member("a", kind: 2, nanoseconds: 1_000_000_000)),
            Case("a longer spelling of a number", member: Array(Raw.folder.dropFirst()).reversed() + [0x80, 0]),
        ]

    @Test("A number that is too large for what it counts is refused", arguments: numbers)
    func refusesNumbers(_ given: Case) { #expect(throws: FormatError.self) { try Self.read(given.plaintext) } }

    /// One millisecond before the year 0 and one after the year 9999, and the ends of what can be written.
    static let beyond: [Int64] = [-62_167_219_200_001, 253_402_300_800_000, .min, .max]

    @Test(
        "A time beyond the years 0 to 9999 is refused, or taken for the nearest where it comes from files",
        arguments: beyond)
    func times(_ time: Int64) throws {
        var (moment, head) = (ByteWriter(), ByteWriter())
        moment.svarint(time)
        head.raw([UInt8](repeating: 9, count: 8) + Raw.id32(0) + moment.bytes + [1, 0])
        let commit = RawRecords().adding(1, head.bytes)
        let device = Raw.commit().adding(2, Raw.id16 + Raw.text("a") + moment.bytes)
        let kept = RawRecords().adding(6, [0]).adding(
            5, Raw.id12 + Raw.id16 + moment.bytes + Raw.version(flags: 2, project: Raw.id12, []))
        let edited = Raw.commit().adding(
            4, [1, 0] + Raw.text("a") + [2] + moment.bytes + Raw.members(Raw.folder))

        for records in [commit, device] {
            #expect(throws: FormatError.self) { try Self.read(records.plaintext) }
        }
        #expect(throws: FormatError.self) { try RecordObject(checkpoint: kept.plaintext) }
        let version = try RecordObject(commit: edited.plaintext, at: RecordTests.position).versions[0]
        let nearest = time < 0 ? Timestamp.years.lowerBound : Timestamp.years.upperBound
        #expect(version.header.edited.milliseconds == nearest)
    }

    @Test(
        "The first and the last moment that a calendar has are read",
        arguments: [
            Timestamp.years.lowerBound, Timestamp.years.upperBound,
        ])
    func lastMoments(_ time: Int64) throws {
        var head = ByteWriter()
        head.raw([UInt8](repeating: 9, count: 8) + Raw.id32(0))
        head.svarint(time)
        head.raw([1, 0])
        try Self.read(RawRecords().adding(1, head.bytes).plaintext)
    }

    @Test("A version cannot name chunks of packs that come after it")
    func refusesLaterChunks() {
        let version = Raw.version(Raw.members(Raw.folder, Raw.file("a", runs: Raw.run(1, 1))))
        let records = Raw.commit().adding(4, version).adding(3, Raw.threeChunks)
        #expect(throws: FormatError.self) { try Self.read(records.plaintext) }
    }

    // MARK: Packs

    static let packs: [Case] = [
        Case("a chunk of no bytes", pack: Raw.pack([Raw.block(stored: 1, raw: 1, chunks: [1, 0])])),
        Case("chunks that add up to less", pack: Raw.pack([Raw.block(stored: 3, raw: 3, chunks: [1, 1])])),
        Case("chunks that add up to more", pack: Raw.pack([Raw.block(stored: 3, raw: 3, chunks: [2, 2])])),
        Case("a block of nothing", pack: Raw.pack([Raw.block(stored: 0, raw: 0, chunks: [])])),
        Case("a stored block of two lengths", pack: Raw.pack([Raw.block(stored: 2, raw: 1, chunks: [1])])),
        Case("an unknown codec", pack: Raw.pack([Raw.block(codec: 3, stored: 1, raw: 1, chunks: [1])])),
        Case(
            "a raw block over 16 MiB",
            pack: Raw.pack([Raw.block(codec: 1, stored: 9, raw: 16 << 20 + 1, chunks: [16 << 20 + 1])])),
        Case(
            "blocks over 256 MiB",
            pack: Raw.pack(
                [[UInt8]](repeating: Raw.block(stored: 16 << 20, raw: 16 << 20, chunks: [16 << 20]), count: 17))),
        Case("bytes behind the blocks", pack: Raw.pack([Raw.block(stored: 1, raw: 1, chunks: [1])]) + [0]),
        Case("a block too few", pack: Raw.pack(count: 2, [Raw.block(stored: 1, raw: 1, chunks: [1])])),
        Case("no block", pack: Raw.pack([])),
    ]

    @Test("A pack whose blocks cannot be is refused", arguments: packs)
    func refusesPacks(_ given: Case) { #expect(throws: FormatError.self) { try Self.read(given.plaintext) } }

    // MARK: The rest

    static let others: [Case] = [
        Case("unknown flags of a commit", Raw.commit(flags: 4).plaintext),
        Case("all flags of a commit", Raw.commit(flags: 0xff).plaintext),
        Case("unknown flags of a version", version: Raw.version(flags: 1 | 16, Raw.members(Raw.folder))),
        Case("the highest flag of a version", version: Raw.version(flags: 1 | 128, Raw.members(Raw.folder))),
        Case("a delta without a parent", version: Raw.version(flags: 8, project: Raw.id12, [0, 0])),
        Case("a new delta without a parent", version: Raw.version(flags: 9, [0, 0])),
        Case(
            "a tombstone that is a delta",
            version: Raw.version(flags: 10, project: Raw.id12, parents: [1] + Raw.id12, [0, 0])),
        Case("a tombstone with members", version: Raw.version(flags: 2, project: Raw.id12, Raw.members(Raw.folder))),
        Case("an unknown kind of project", version: Raw.version(kind: 5, Raw.members(Raw.folder))),
        Case("kind 0 of project", version: Raw.version(kind: 0, Raw.members(Raw.folder))),
        Case("an unknown kind of member", member: Raw.member("a", kind: 4)),
        Case("kind 0 of member", member: Raw.member("a", kind: 0)),
        Case("bytes behind the members", version: Raw.version(Raw.members(Raw.folder) + [0])),
        Case("bytes behind a commit", Raw.commit(seen: [0, 0]).plaintext),
        Case("bytes behind a device", Raw.commit().adding(2, Raw.id16 + Raw.text("a") + [0, 0]).plaintext),
        Case("a device without a time", Raw.commit().adding(2, Raw.id16 + Raw.text("a")).plaintext),
        Case("a link to nothing", member: Raw.member("a", kind: 3, [0])),
        Case("a link with a zero byte", member: Raw.member("a", kind: 3, Raw.text("a\0b"))),
        Case(
            "a link over 4,096 bytes", member: Raw.member("a", kind: 3, Raw.text(String(repeating: "a", count: 4_097)))),
        Case(
            "attributes out of order",
            member: Raw.member("a", kind: 2, attributes: [2] + Raw.text("b") + [0] + Raw.text("a") + [0])),
        Case(
            "attributes of one name",
            member: Raw.member("a", kind: 2, attributes: [2] + Raw.text("a") + [0] + Raw.text("a") + [0])),
        Case("an attribute without a name", member: Raw.member("a", kind: 2, attributes: [1] + Raw.text("") + [0])),
        Case("a third commit that follows none", Raw.commit(previous: 0).plaintext),
        Case("no records", []),
        Case("only zeros", [UInt8](repeating: 0, count: 100)),
        Case("no commit first", Raw.object(frames: [])),
        Case("no frame", Raw.object(frames: Raw.frame(codec: 0, raw: 0, []))),
        Case(
            "a pack before the commit",
            Raw.object(
                frames: Raw.frame(
                    codec: 0, raw: (RawRecords().adding(3, Raw.threeChunks).bytes + Raw.commit().bytes).count,
                    RawRecords().adding(3, Raw.threeChunks).bytes + Raw.commit().bytes))),
        Case(
            "an unknown record before the commit",
            Raw.object(
                frames: Raw.frame(
                    codec: 0, raw: (RawRecords().adding(99, [1]).bytes + Raw.commit().bytes).count,
                    RawRecords().adding(99, [1]).bytes + Raw.commit().bytes))),
        Case("two commits", Raw.commit().adding(1, [UInt8](repeating: 0, count: 40) + [0, 1, 0]).plaintext),
        Case("no signature", Raw.commit().unsigned),
        Case("zeros before the signature", Raw.commit().unsigned + [0, 0] + Raw.signature),
        Case("two signatures", Raw.commit().plaintext + Raw.signature),
        Case("a record behind the signature", Raw.commit().plaintext + Raw.frame(codec: 0, raw: 3, [99, 1, 1])),
        Case(
            "a record behind the signature, in its frame",
            Raw.commit().adding(12, [UInt8](repeating: 1, count: 96)).adding(99, [1]).unsigned),
        Case("a short signature", Raw.commit().adding(12, [UInt8](repeating: 1, count: 95)).unsigned),
        Case("a long signature", Raw.commit().adding(12, [UInt8](repeating: 1, count: 97)).unsigned),
        Case("a signature alone", Raw.object(frames: [])),
        Case("a kept record", Raw.commit().adding(20, Raw.id16 + [1] + Raw.id16.prefix(8) + [0, 17, 0]).plaintext),
        Case("a run", Raw.commit().adding(21, [0]).plaintext),
        Case("a coverage", Raw.commit().adding(6, [0]).plaintext),
        Case("a kept version", Raw.commit().adding(5, []).plaintext),
        Case("an unknown codec of a frame", [0, 3] + Raw.commit().plaintext.dropFirst(2)),
        Case("a stored frame of another length", Raw.object(frames: Raw.frame(codec: 0, raw: 3, Raw.commit().bytes))),
        Case(
            "a frame cut short",
            Raw.object(frames: Raw.frame(codec: 0, raw: Raw.commit().bytes.count, Raw.commit().bytes.dropLast()))),
        Case(
            "a record over the border of two frames",
            Raw.object(
                frames: Raw.frame(codec: 0, raw: 5, Array(Raw.commit().bytes.prefix(5))),
                Raw.frame(codec: 0, raw: Raw.commit().bytes.count - 5, Array(Raw.commit().bytes.dropFirst(5))))),
        Case("a compressed frame that is none", [0, 1] + Raw.commit().plaintext.dropFirst(2)),
    ]

    static let notes: [(kind: UInt64, body: [UInt8])] = {
        let id8 = Raw.id16.prefix(8)
        return [
            (13, []), (13, Raw.id16 + [0] + id8 + [0] + [UInt8](repeating: 0, count: 8)),
            (13, Raw.id16 + [1] + [UInt8](repeating: 0, count: 8) + [0] + [UInt8](repeating: 0, count: 8)),
            (13, Raw.id16 + [1] + id8 + [0] + id8), (13, Raw.id16 + [1] + id8 + [1] + id8 + [0]),
            (14, []), (14, [1, 0, 0]), (14, [0, 0]), (14, [0, 0, 0, 0]), (14, Raw.varint(1 << 40) + [0, 0]),
            (14, [0] + Raw.varint(.max) + [0]), (14, [0, 0] + Raw.varint(.max)),
            (15, [0] + Raw.id12 + [0]), (15, [3] + Raw.id12 + [0]), (15, [1] + Raw.id12), (15, [2] + Raw.id12 + [0]),
            (15, [1] + Raw.id12 + Raw.varint(256) + [UInt8](repeating: 0x61, count: 256)),
            (16, []), (16, [1]), (16, Raw.varint(.max)), (16, [0, 0]), (17, []), (17, [2] + Raw.id12),
            (18, []), (18, Raw.id12 + [0, 0]), (18, Raw.id12 + [1, 0, 0]), (18, Raw.id12 + [0, 0, 0, 0]),
            (18, Raw.id12 + [0, 0] + Raw.varint(16_385) + [UInt8](repeating: 0x20, count: 16_385)),
            (18, Raw.id12 + [0] + Raw.varint(.max) + [0]),
            (19, []), (19, [1]), (19, [0, 0]), (19, Raw.varint(16_385) + [UInt8](repeating: 0, count: 16_385)),
        ]
    }()

    @Test("A record about others, or of a project, that says what cannot be is refused", arguments: notes)
    func refusesNotes(_ kind: UInt64, _ body: [UInt8]) {
        #expect(throws: FormatError.self) { try Self.read(Raw.commit().adding(kind, body).plaintext) }
    }

    @Test("A record that breaks another rule is refused", arguments: others)
    func refusesOthers(_ given: Case) { #expect(throws: FormatError.self) { try Self.read(given.plaintext) } }

    @Test("What stands behind the members of a version is found before anybody asks for them")
    func membersEnd() throws {
        let versions = [
            Raw.version(flags: 2, project: Raw.id12, [0]), Raw.version(Raw.members(Raw.folder) + [0]),
            Raw.version(flags: 8, project: Raw.id12, parents: [1] + Raw.id12, [0, 0, 0]),
        ]
        for version in versions {
            let plaintext = Raw.commit().adding(4, version).plaintext
            #expect(throws: FormatError.self) { try RecordObject(commit: plaintext, at: RecordTests.position) }
        }
    }

    // MARK: Compression

    private static func compressed(_ bytes: [UInt8]) throws -> [UInt8] {
        var out = [UInt8](repeating: 0, count: ZstdCompressor.bound(bytes.count))
        var target = out.mutableSpan
        let length = try ZstdCompressor(level: 3).compress(bytes.span, into: &target)
        return Array(out[..<length])
    }

    @Test("A frame that says 1 KiB and holds 64 MiB is refused, and so is one that holds less")
    func bombs() throws {
        let bomb = try Self.compressed([UInt8](repeating: 0, count: 64 << 20))
        let small = try Self.compressed([UInt8](repeating: 0, count: 1023))

        #expect(bomb.count < 10_000)
        for stored in [bomb, small] {
            #expect(throws: FormatError.self) {
                try Self.read(Raw.object(frames: Raw.frame(codec: 1, raw: 1024, stored)))
            }
        }
    }

    @Test("A compressed frame is exactly one frame, with nothing before or behind it")
    func oneFrame() throws {
        let bytes = Raw.commit().bytes
        let whole = try Self.compressed(bytes)
        let halves = try Self.compressed(Array(bytes.prefix(5))) + Self.compressed(Array(bytes.dropFirst(5)))
        // A skippable frame (RFC 8878 §3.1.2) of four bytes.
        let skippable: [UInt8] = [0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4]

        func plaintext(_ stored: [UInt8]) -> [UInt8] {
            [0] + RawRecords.frame(codec: 1, raw: bytes.count, stored) + RawRecords.signature
        }
        #expect(throws: Never.self) { try Self.read(plaintext(whole)) }
        for stored in [halves, skippable + whole, whole + skippable, whole + [0]] {
            #expect(throws: FormatError.self) {
                try Self.read(plaintext(stored))
            }
        }
    }

    // MARK: Anything

    @Test(
        "A commit with anything changed is read or refused, and never stops the program",
        arguments: 1...20 as ClosedRange<UInt64>)
    func mutations(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let drafts = try (0..<10).map { _ in try Self.records(of: generator.commit()) }
        var read = 0

        for _ in 0..<1_000 {
            var records = drafts[generator.int(0...9)]
            for _ in 0..<generator.int(1...3) { Self.mutate(&records, &generator) }
            if try Self.isRead({ try Self.read([0] + RawRecords.frame(codec: 0, raw: records.count, records)) }) {
                read += 1
            }
        }

        #expect(read < 1_000, "seed \(seed)")
    }

    /// The records of a commit without their frame, so that changes hit them and not the compression.
    private static func records(of draft: CommitDraft) throws -> [UInt8] {
        let plain = PlainReader(try draft.plaintext())
        try plain.skip(try plain.count(upTo: Limits.inline))
        let reader = try FrameReader(plain)
        var (records, budget): ([UInt8], RecordBudget) = ([], RecordBudget())
        while let frame = try reader.next(&budget) { records += frame }
        return records
    }

    static func mutate(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        let at = generator.int(0...bytes.count - 1)
        let end = min(bytes.count, at + generator.int(1...40))
        switch generator.int(0...6) {
        case 0: bytes[at] ^= 1 << UInt8(generator.int(0...7))
        case 1: bytes[at] = [0, 1, 0x7f, 0x80, 0xff][generator.int(0...4)]
        case 2: bytes.insert(contentsOf: generator.bytes(generator.int(1...8)), at: at)
        case 3: bytes.removeSubrange(at..<end)
        case 4: bytes.insert(contentsOf: bytes[at..<end], at: generator.int(0...bytes.count))
        case 5:
            bytes.replaceSubrange(
                at..<at + 1, with: RawRecords.varint(generator.next() >> UInt64(generator.int(0...63))))
        default: bytes.removeSubrange(at...)
        }
    }

    @Test("A frame with anything changed is read or refused", arguments: 1...5 as ClosedRange<UInt64>)
    func frameMutations(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let plaintext = try generator.commit().plaintext()

        for _ in 0..<300 {
            var bytes = plaintext
            Self.mutate(&bytes, &generator)
            _ = try Self.isRead { try Self.read(bytes) }
            _ = try Self.isRead { _ = try RecordObject(checkpoint: bytes) }
        }
    }
}
