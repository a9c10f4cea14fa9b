import CueBase
import CueLibrary
import CueStorage
import CueTestSupport
import CueVault
import Foundation
import Testing

@testable import CueEngine

@Suite("Names of conflict copies")
struct CopyNameTests {
    /// Devices that each wrote their own version of one new document at one moment; gives the names under which all
    /// come back.
    private static func names(of document: [UInt8], _ devices: [String], kind: ProjectKind = .file) throws -> [[UInt8]]
    {
        let vault = TestLibrary.vault(on: MemoryStore())
        let content: Content = kind == .file ? .file(size: 0, chunks: []) : .folder
        for (number, name) in devices.enumerated() {
            let id = DeviceID.test(UInt64(number + 1))
            var draft = CommitDraft(
                CommitRecord(
                    previous: .none, time: Timestamp(milliseconds: 1_000_000), isSnapshot: true, isPartial: false,
                    seen: []))
            draft.devices = [DeviceRecord(id: id, name: name, made: Timestamp(milliseconds: 0))]
            let member = Member(
                path: .root, mode: 0o644, modified: FileTime(seconds: 1, nanoseconds: 0), attributes: [],
                content: content)
            draft.versions = [
                VersionDraft(
                    project: nil, parents: [], path: RelativePath(trusted: document), kind: kind,
                    edited: Timestamp(milliseconds: 0), isUnsettled: false, body: .full([member]))
            ]
            _ = try vault.append(draft, at: LogPosition(device: id, generation: 1, commit: Vault.newCommitID()))
        }
        let plan = try RestorePlan.make(RestoreRequest(), History.load(vault), at: Timestamp(milliseconds: 0))
        #expect(plan.copies.count == devices.count - 1)
        return (kind == .file ? plan.items.map(\.path) : plan.bundles.map(\.path)).map(\.name)
    }

    private static let documents =
        [
            "Letter.docx", "x", ".hidden", "no ending",
            String(repeating: "x", count: 255), String(repeating: "x", count: 250) + ".docx",
            "x." + String(repeating: "y", count: 253), "." + String(repeating: "y", count: 254),
            String(repeating: "x", count: 128) + "." + String(repeating: "y", count: 126),
            String(repeating: ".", count: 255),
        ].map { Array($0.utf8) }
        + [Array(repeating: 0xff, count: 250) + Array(".rtfd".utf8)]

    private static let devices = [
        "the laptop", "", String(repeating: "d", count: 100), String(repeating: "ä/", count: 33),
        String(repeating: "👩‍👩‍👧‍👦", count: 4), String(repeating: "d", count: 1024),
        // A slash and an accent are one letter to a person.
        "the/\u{301} laptop\0\u{301}",
    ]

    @Test(
        "However long a document's name, its ending and a device's name are, a copy's name has at most 255 bytes and is its own",
        arguments: documents, devices)
    func length(document: [UInt8], device: String) throws {
        for kind in [ProjectKind.file, .bundle] {
            let names = try Self.names(of: document, Array(repeating: device, count: 4), kind: kind)

            #expect(names.count == 4 && Set(names).count == 4, "\(names)")
            #expect(names.contains(document))
            #expect(names.allSatisfy { (1...Limits.name).contains($0.count) }, "\(names.map(\.count))")
            #expect(names.allSatisfy { !$0.contains(0x2f) && !$0.contains(0) })
        }
    }

    @Test("A usual copy is called by its document, the device and the time, and keeps its ending")
    func usual() throws {
        let names = try Self.names(of: Array("Letter.docx".utf8), ["the laptop", "the laptop", "the laptop"])

        let texts = Set(names.map { String(decoding: $0, as: UTF8.self) })
        let copies = texts.filter { $0.hasPrefix("Letter (the laptop, 1970-01-01 ") && $0.hasSuffix(".docx") }
        #expect(texts.contains("Letter.docx") && copies.count == 2, "\(texts)")
    }

    @Test(
        "A label goes before an ending, and not before a dot within a name or another label",
        arguments: [
            ("Letter.docx", "Letter (A).docx"), ("act2", "act2 (A)"), (".hidden", ".hidden (A)"),
            ("act2 (B, 2026-11-22 05.52)", "act2 (B, 2026-11-22 05.52) (A)"),
            ("act2 (B, 2026-11-22 05.52).md", "act2 (B, 2026-11-22 05.52) (A).md"), ("Dr. Who", "Dr. Who (A)"),
            ("Draft (v1.2)", "Draft (v1.2) (A)"), ("Novel.tar.gz", "Novel.tar (A).gz"),
        ])
    func label(name: String, labelled: String) {
        #expect(String(decoding: CopyName.adding(Array(" (A)".utf8), to: Array(name.utf8)), as: UTF8.self) == labelled)
        let original = RelativePath(trusted: Array("Drafts/\(name)".utf8))
        #expect(CopyName.isCopy(RelativePath(trusted: Array("Drafts/\(labelled)".utf8)), of: original))
    }

    @Test("Letters that are one to a person and very many bytes to a device's name do not make a copy's name too long")
    func longLetters() throws {
        // One letter with five hundred accents; another writer of this format may call a device so (docs/format.md §6).
        let device = "a" + String(repeating: "\u{301}", count: 500)

        let names = try Self.names(of: Array("Letter.docx".utf8), [device, device])

        #expect(names.allSatisfy { $0.count <= Limits.name }, "\(names.map(\.count))")
        #expect(names.allSatisfy { String(validating: $0, as: UTF8.self) != nil })
    }

    @Test("A name that is UTF-8 is not cut within a letter: some file systems refuse what is left")
    func wholeLetters() throws {
        var cut: [[UInt8]] = []
        for shift in 0..<4 {
            let long = String(repeating: "x", count: shift) + String(repeating: "€", count: 80)
            for document in [long + ".md", "x." + long] {
                cut += try Self.names(of: Array(document.utf8), ["the laptop", "the laptop"]).filter {
                    String(validating: $0, as: UTF8.self) == nil
                }
            }
        }

        #expect(cut.count == 0)
    }

    @Test("A beginning ends before a letter that does not fit; bytes that are no letter are cut where the limit is")
    func beginnings() {
        let cases: [([UInt8], Int, Int)] = [
            ([], 5, 0), (Array("abc".utf8), 3, 3), (Array("abc".utf8), 2, 2), (Array("abc".utf8), -1, 0),
            (Array("aé".utf8), 2, 1), (Array("a€".utf8), 2, 1), (Array("a€".utf8), 3, 1), (Array("a€".utf8), 4, 4),
            (Array("a😀b".utf8), 4, 1), (Array("a😀b".utf8), 5, 5), (Array("€€".utf8), 3, 3), (Array("€€".utf8), 5, 3),
            // Not UTF-8: stray following bytes, an overlong letter, half of a pair, a letter that ends too early.
            ([0x80, 0x80, 0x80, 0x80], 2, 2), ([0xc0, 0x80], 1, 1), ([0xed, 0xa0, 0x80], 2, 2), ([0xe2, 0x82], 1, 1),
            ([0xe2, 0x82, 0x61, 0x62], 2, 2), ([0xff] + Array("€".utf8), 2, 1), (Array("é".utf8) + [0x80, 0x80], 3, 3),
        ]

        for (bytes, limit, length) in cases {
            // A slice keeps the places of the whole.
            let slice = ([0x2e] + bytes)[1...]
            #expect(
                Array(CopyName.beginning(of: slice, upTo: limit)) == Array(bytes.prefix(length)), "\(bytes) \(limit)"
            )
        }
    }

    @Test("A copy whose path would be too long stands in a folder above")
    func longPath() throws {
        // Components of 200 bytes, up to the longest path that there is.
        let folder = Array(repeating: String(repeating: "d", count: 200), count: 20).joined(separator: "/")
        let document = Array((folder + "/" + String(repeating: "n", count: Limits.path - folder.utf8.count - 1)).utf8)
        #expect(document.count == Limits.path)
        let vault = TestLibrary.vault(on: MemoryStore())
        var draft = CommitDraft(
            CommitRecord(
                previous: .none, time: Timestamp(milliseconds: 1), isSnapshot: true, isPartial: false, seen: []))
        let member = Member(
            path: .root, mode: 0o644, modified: FileTime(seconds: 1, nanoseconds: 0), attributes: [],
            content: .file(size: 0, chunks: []))
        draft.versions = [
            VersionDraft(
                project: nil, parents: [], path: RelativePath(trusted: document), kind: .file,
                edited: Timestamp(milliseconds: 0), isUnsettled: false, body: .full([member]))
        ]
        _ = try vault.append(
            draft, at: LogPosition(device: .test(1), generation: 1, commit: Vault.newCommitID()))
        let history = try History.load(vault)
        let version = try #require(history.versions.values.first)

        let sibling = CopyName.sibling(for: version, history, beside: version.header.path) { _ in false }
        let copy = try CopyName.path(for: version, history, in: #require(version.header.path.parent)) { _ in false }

        for path in [sibling, copy] {
            #expect(throws: Never.self) { try RelativePath(checking: path.bytes) }
            #expect(try version.header.path.isInside(#require(path.parent)))
        }
    }
}
