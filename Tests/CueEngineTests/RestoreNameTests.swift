import CueBase
import CueLibrary
import CueSystem
import CueTestSupport
import CueVault
import Foundation
import Testing

@testable import CueEngine

/// A restore of everything, where names were given twice and versions stand beside each other.
@Suite("Names in a restore of everything")
struct RestoreNameTests {
    private static func devices(_ names: String...) throws -> [SyncDevice] {
        let folder = TemporaryFolder()
        let store = MemoryStore()
        return try names.map { try SyncDevice($0, in: folder, on: store) }
    }

    private static func backup(_ device: SyncDevice) throws {
        Wait.milliseconds(40)
        var options = Backup.Options()
        options.allowDeletions = true
        _ = try Backup.run(device.context, options)
    }

    /// Everything into a new folder; what came back, and the texts of the files there by name.
    private static func restore(_ device: SyncDevice) throws -> (summary: Restore.Summary, files: [String: String]) {
        let target = device.folder.appending("restored")
        let summary = try Restore.run(
            RestoreRequest(), VaultContext(device.vault), to: .folder(device.folder.bytes.appending("restored")))
        var files: [String: String] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: target) {
            if let text = try? String(contentsOfFile: "\(target)/\(name)", encoding: .utf8) { files[name] = text }
        }
        return (summary, files)
    }

    @Test(
        "Where a file and a folder have one name and a document below is in conflict, everything comes back",
        arguments: 1...4, [true, false])
    func conflictBelowADocument(round: Int, hasFolder: Bool) throws {
        let devices = try Self.devices("laptop", "desk", "phone")
        try devices[0].write("act1/s4.md", "as it was")
        try devices[0].sync()
        try devices[1].sync()
        for device in devices[..<2] {
            try device.write("act1/s4.md", "as \(device.name) wrote it")
            try Self.backup(device)
        }
        try devices[2].write("act1", "a document")
        try Self.backup(devices[2])
        if !hasFolder { try Self.deleteFolders(devices[0]) }

        let (summary, files) = try Self.restore(devices[0])

        #expect(summary.failed.isEmpty, "\(summary.failed)")
        #expect(
            files.values.sorted() == ["a document", "as desk wrote it", "as laptop wrote it"], "\(files)")
        #expect(summary.copies.count == 2, "\(summary.copies)")
        #expect(summary.copies.count { $0.reason == .conflict } == 1)
        for copy in summary.copies { #expect(files[String(decoding: copy.path.bytes, as: UTF8.self)] != nil) }
        // The folder keeps its name, and what is in it its place.
        #expect(files.keys.contains("act1/s4.md") == hasFolder, "\(files.keys)")
    }

    /// As after renames that crossed: the folders are gone, and the document in them is not.
    private static func deleteFolders(_ device: SyncDevice) throws {
        var writes = SyncWrites()
        for project in try History.load(device.vault).state().live where project.shown.header.kind == .folder {
            guard !project.shown.header.path.isRoot else { continue }
            writes.addTombstone(project.id, project.shown, parents: [project.shown.id])
        }
        var known = try device.library.device()
        _ = try writes.commit(device.context, as: &known)
    }

    @Test(
        "The other version of a document that was renamed on one side comes back though a document stands above its name"
    )
    func renamedHeadBelowADocument() throws {
        let devices = try Self.devices("laptop", "desk")
        try devices[0].write("s4.md", "as it was")
        for device in devices { try device.sync() }
        try devices[0].write("s4.md", "as laptop wrote it")
        try Self.backup(devices[0])
        try FileManager.default.createDirectory(atPath: devices[1].path + "/act1", withIntermediateDirectories: true)
        try devices[1].rename("s4.md", "act1/s4.md")
        try devices[1].write("act1/s4.md", "as desk wrote it")
        try Self.backup(devices[1])
        try Self.deleteFolders(devices[1])
        try devices[0].write("act1", "a document")
        try Self.backup(devices[0])

        let (summary, files) = try Self.restore(devices[0])

        #expect(summary.failed.isEmpty, "\(summary.failed)")
        #expect(files.values.sorted() == ["a document", "as desk wrote it", "as laptop wrote it"], "\(files)")
    }

    @Test("Versions of which a sync asks nobody come back as one document, under the name that a sync gives it")
    func noConflict() throws {
        let devices = try Self.devices("laptop", "desk")
        try devices[0].write("Touched.md", "the same")
        try devices[0].write("Letter.md", "as it was")
        for device in devices { try device.sync() }
        for (number, device) in devices.enumerated() {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: Double(1_000_000 + number))],
                ofItemAtPath: device.path + "/Touched.md")
        }
        try devices[0].rename("Letter.md", "Brief.md")
        try devices[1].write("Letter.md", "as desk wrote it")
        for device in devices { try Self.backup(device) }

        let (summary, files) = try Self.restore(devices[0])

        #expect(files == ["Touched.md": "the same", "Brief.md": "as desk wrote it"])
        #expect(summary.copies.isEmpty && summary.failed.isEmpty, "\(summary)")
    }
}
