import CueTestSupport
import Foundation
import Testing

@Suite("Story: a vault in S3 whose objects are locked")
struct S3LockStory {
    private static func tied(_ fake: FakeS3) throws -> S3Story.Remote {
        let remote = try S3Story.Remote(fake.answer)
        try remote.cue.write("Notes/1.md", "note\n")
        try remote.cue.write("Notes/2.md", Cue.inPack("two"))
        try remote.run(
            "init", "library", "--vault", remote.vault, "--kdf-memory", "64", "--object-lock", "90d")
        return remote
    }

    @Test("All that is stored is locked, the library remembers it, and a removed key slot stays")
    func locks() throws {
        let fake = FakeS3(locksObjects: true)
        let remote = try Self.tied(fake)
        let cue = remote.cue

        #expect(try cue.folder.read("library/.cue/library.toml").contains("&lock=90d"))
        try remote.run("backup", "library")
        try remote.run("sync", "library")
        #expect(fake.shortestLock > 89)
        let doctor = try remote.run("doctor", "--library", "library")
        #expect(doctor.text.contains("locks an object"), "\(doctor.text)")
        let checks = try remote.run("doctor", "--library", "library", "--json").json["checks"].list
        #expect(checks.first { $0["name"].string == "lock" }?["works"].string == "yes")

        try remote.removeKeySlotThatStays()
        #expect(fake.hidden.contains { $0.contains("/keys/") })
        try cue.write("Notes/1.md", "more\n")
        let after = try remote.run("backup", "library")
        #expect(after.errors == "", "\(after.errors)")
    }

    @Test("Locks that end soon are extended by the next run, once, and that is said")
    func extends() throws {
        let fake = FakeS3(locksObjects: true)
        let remote = try Self.tied(fake)
        fake.relock(days: 20)

        let first = try remote.run("backup", "library")
        #expect(first.text.contains("locked \(fake.objects.count) objects of the vault until"), "\(first.text)")
        #expect(fake.shortestLock > 89)
        let asked = fake.requests.count { $0.contains("retention") }
        let second = try remote.run("sync", "library", "--json")
        #expect(fake.requests.count { $0.contains("retention") } == asked && second.json["locks"].value == nil)
    }

    @Test("At a further place all that comes is locked, and its locks are extended as well")
    func furtherPlace() throws {
        let fake = FakeS3(locksObjects: true)
        let remote = try S3Story.Remote(fake.answer, options: "&lock=90d")
        let cue = remote.cue
        try cue.write("Notes/1.md", "note\n")
        try cue.initialize()
        try cue.snapshot()
        try remote.run("copy", cue.vault, remote.vault)
        #expect(fake.shortestLock > 89)
        fake.relock(days: 20)

        try remote.run("vault", "add", remote.vault, "--library", "library")
        #expect(fake.shortestLock > 89)
        try cue.write("Notes/1.md", "more\n")
        try remote.run("backup", "library")
        #expect(fake.shortestLock > 89)
        #expect(Set(fake.locks.keys).isSuperset(of: fake.objects.keys.filter { !$0.contains("/tmp/") }))
    }

    @Test("A key that may store and not extend is named, and documents are stored all the same")
    func denied() throws {
        let store = FakeS3(locksObjects: true)
        let fake = FakeS3 { request, _ in
            request.target.contains("?retention") && !request.target.contains("/tmp/")
                ? FakeS3.error(403, "AccessDenied") : store.usual(request)
        }
        let remote = try Self.tied(fake)
        store.relock(days: 20)

        let backup = try remote.run("backup", "library", code: 3)
        #expect(backup.errors.contains("cannot be extended") && backup.errors.contains("s3:PutObjectRetention"))
        #expect(backup.text.contains("2 new"), "\(backup.text)")
        let told = try remote.run("backup", "library", "--json", code: 3).json["locks"]
        #expect(told["extended"].int == 0 && told["problem"].string.contains("may not store and lock"))
    }

    @Test("A bucket without object lock is refused before anything is made, and so is a folder")
    func refused() throws {
        let remote = try S3Story.Remote(FakeS3().answer)
        try remote.cue.write("a.md", "text")

        let plain = try remote.run(
            "init", "library", "--vault", remote.vault, "--kdf-memory", "64", "--object-lock", "90d", code: 1)
        #expect(plain.errors.contains("has no object lock") && plain.errors.contains("docs/append-only.md"))
        let typed = try remote.run("init", "library", "--vault", "\(remote.vault)&lock=30d", code: 1)
        #expect(typed.errors.contains("has no object lock"), "\(typed.errors)")
        let folder = try remote.run("init", "library", "--vault", "vault", "--object-lock", "90d", code: 2)
        #expect(folder.errors.contains("is not in S3"), "\(folder.errors)")
        let twice = try remote.run(
            "init", "library", "--vault", "\(remote.vault)&lock=30d", "--object-lock", "90d", code: 2)
        #expect(twice.errors.contains("give one of them"), "\(twice.errors)")
        let soon = try remote.run("init", "library", "--vault", remote.vault, "--object-lock", "1h", code: 2)
        #expect(soon.errors.contains("whole number of days"), "\(soon.errors)")
        #expect(!remote.cue.folder.exists("library/.cue"))
    }

    @Test("A vault that is there is locked from now on, and what it has by the next run")
    func later() throws {
        let fake = FakeS3(locksObjects: true)
        let remote = try S3Story.Remote(fake.answer)
        try remote.cue.write("a.md", Cue.inPack("text"))
        try remote.initialize()
        try remote.run("backup", "library")
        #expect(fake.shortestLock == 0)

        try remote.run("init", "library", "--vault", remote.vault, "--object-lock", "90d")
        let backup = try remote.run("backup", "library")

        #expect(backup.text.contains("objects of the vault until"), "\(backup.text)")
        #expect(fake.shortestLock > 89)
    }

    @Test("A watcher extends locks too, and says so")
    func watch() throws {
        let fake = FakeS3(locksObjects: true)
        let remote = try Self.tied(fake)
        fake.relock(days: 20)

        let watcher = try Watching(remote.cue, environment: remote.key)
        #expect(try eventually(within: 60) { try watcher.logSoFar().contains("objects of the vault until") })

        try watcher.stop()
        #expect(fake.shortestLock > 89)
    }
}
