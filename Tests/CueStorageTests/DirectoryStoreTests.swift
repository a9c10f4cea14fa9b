import CueBase
import CueStorage
import CueSystem
import CueTestSupport
import Foundation
import Testing

@Suite("Folders as stores")
struct DirectoryStoreTests {
    private let folder = TemporaryFolder()
    private let name = ObjectName("packs/ab/abcd")

    private func store(_ writer: String = "test") throws -> DirectoryStore {
        try DirectoryStore(at: folder.bytes, writerName: writer)
    }

    private static let isRoot = geteuid() == 0

    /// Runs a program of the system; false where it is missing or refuses.
    private func system(_ command: String...) -> Bool {
        (try? Program.run("/usr/bin/env", command))?.code == 0
    }

    // MARK: Where a vault cannot be

    @Test("A folder that is not there is unreachable")
    func missingFolder() {
        #expect(throws: StorageError.unreachable(folder.appending("nothing"))) {
            try DirectoryStore(at: FilePathBytes(folder.appending("nothing")), writerName: "test")
        }
    }

    @Test("A file in the place of the folder is unreachable")
    func fileAsFolder() throws {
        let file = try folder.write("file", "text")

        #expect(throws: StorageError.unreachable(file)) {
            try DirectoryStore(at: FilePathBytes(file), writerName: "test")
        }
    }

    @Test("A file where a folder of objects should be lets nothing be written, and stays as it is")
    func fileInTheWay() throws {
        try folder.write("packs", "text")
        let store = try store()

        #expect(throws: StorageError.self) { try store.put(name, [1]) }
        #expect(throws: StorageError.notFound(name.text)) { try store.get(name, upTo: 1) }
        #expect(try store.size(of: name) == nil)
        #expect(try folder.read("packs") == "text")
    }

    @Test("A link where a folder of objects should be is not followed")
    func linkInTheWay() throws {
        try FileManager.default.createDirectory(
            atPath: folder.appending("elsewhere"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: folder.appending("packs"), withDestinationPath: folder.appending("elsewhere"))
        let store = try store()

        #expect(throws: StorageError.self) { try store.put(name, [1]) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.appending("elsewhere")).isEmpty)
    }

    @Test("A link in the place of an object is not read through")
    func linkAsObject() throws {
        try folder.write("secret", "text")
        try folder.write("packs/ab/other", "text")
        try FileManager.default.createSymbolicLink(
            atPath: folder.appending(name.text), withDestinationPath: folder.appending("secret"))
        let store = try store()

        #expect(try store.size(of: name) == nil)
        #expect(throws: StorageError.self) { try store.get(name, upTo: 4) }
        #expect(try store.list("packs").map(\.name.text) == ["packs/ab/other"])
    }

    @Test("A folder that may not be written is told from a full one", .disabled(if: isRoot, "root may write anywhere"))
    func noPermission() throws {
        let store = try store()
        try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.path)

        #expect(throws: StorageError.noPermission(name.text)) { try store.put(name, [1]) }
    }

    @Test(
        "A disk that is mounted read-only can be read, and says that it is read-only",
        .enabled(if: isRoot, "mounting is root's"))
    func readOnlyDisk() throws {
        guard system("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder.path) else { return }
        defer { _ = system("umount", "-l", folder.path) }
        try store().put(name, [1, 2])
        try #require(system("mount", "-o", "remount,ro", folder.path))
        let store = try store()

        #expect(try store.get(name, upTo: 2) == [1, 2])
        #expect(throws: StorageError.readOnly) { try store.put(ObjectName("packs/ab/abce"), [1]) }
        #expect(throws: StorageError.readOnly) { try store.put(ObjectName("log/aa/1"), [1]) }
        #expect(throws: StorageError.readOnly) { try store.delete(name) }
    }

    // MARK: Disks that fill up and go away

    @Test(
        "A full disk says so, and nothing is left of the object", .enabled(if: isRoot, "mounting is root's"),
        arguments: [3_000_000, 900_000])
    func fullDisk(_ size: Int) throws {
        guard system("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder.path) else { return }
        defer { _ = system("umount", "-l", folder.path) }
        let store = try store()
        try store.put(ObjectName("packs/cd/cdef"), [UInt8](repeating: 1, count: 300_000))

        #expect(throws: StorageError.noSpace) { try store.put(name, [UInt8](repeating: 2, count: size)) }

        #expect(try store.list("packs").map(\.name.text) == ["packs/cd/cdef"])
        #expect(try store.list("tmp").isEmpty)
        #expect(try store.size(of: name) == nil)
        // A program that another test starts at this moment holds the removed file for an instant.
        for _ in 0..<100 where (try? store.put(name, [1])) == nil { Wait.milliseconds(10) }
        #expect(try store.get(name, upTo: 1) == [1])
    }

    @Test("A folder that is taken away while in use is unreachable, not empty")
    func removedWhileInUse() throws {
        let store = try store()
        try store.put(name, [1])
        try store.put(ObjectName("log/aa/1"), [1])

        try FileManager.default.removeItem(atPath: folder.path)

        #expect(throws: StorageError.unreachable(folder.path)) { try store.list("log") }
        #expect(throws: StorageError.unreachable(folder.path)) { try store.list("keys") }
        #expect(throws: StorageError.self) { try store.put(ObjectName("log/aa/2"), [1]) }
        #expect(throws: StorageError.self) { try store.put(ObjectName("keys/aa"), [1]) }
        #expect(throws: StorageError.self) { try store.get(name, upTo: 1) }
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    // MARK: What killed runs leave

    @Test("What a killed run of this writer left is removed; what others are writing stays")
    func leftovers() throws {
        try folder.write("tmp/abc-1", "torn")
        try folder.write("tmp/abc-2", "torn")
        try folder.write("tmp/abcd-1", "another's")
        let store = try store("abc")

        store.removeLeftovers(of: "abc")

        #expect(try store.list("tmp").map(\.name.text) == ["tmp/abcd-1"])
    }

    @Test("Two writers of one name never share a file under tmp: a cloned device cannot take a half-written object")
    func writersOfOneName() throws {
        let (one, other) = (try store(), try store())

        #expect(one.writer != other.writer)
    }

    // MARK: Lists

    @Test("A list stops between two folders once it has a thousand names, and goes on from there")
    func pages() throws {
        for folder in ["ab", "ab-", "cd"] {
            for number in 0..<600 { try self.folder.write("packs/\(folder)/\(1000 + number)", "x") }
        }
        let store = try store()

        let first = try store.list("packs", after: nil)
        let second = try store.list("packs", after: first.next)

        #expect(first.entries.count == 1200 && second.entries.count == 600 && second.next == nil)
        let names = (first.entries + second.entries).map(\.name.text)
        #expect(names == names.sorted() && names[0] == "packs/ab-/1000" && names[600] == "packs/ab/1000")
    }

    // MARK: Names

    @Test(
        "Only lower-case names without hidden or empty parts are names of objects",
        arguments: ["", "/", "/a", "a/", "a//b", ".a", "a/.b", "..", "a/..", "A", "ä", "a b", "a_b", "a\0", "a\\b"])
    func badNames(_ text: String) { #expect(ObjectName(listed: text) == nil) }

    @Test("Names of objects are read as they are", arguments: ["a", "vault.json", "keys/0123", "log/aa/0000000001-bb"])
    func goodNames(_ text: String) { #expect(ObjectName(listed: text)?.text == text) }
}
