import CueTestSupport
import Foundation
import Testing

@Suite("Story: what is set for a project comes to other devices")
struct SettingsStory {
    private static func set(_ cue: Cue, _ device: Device, _ more: String...) throws {
        let result = try cue.start(
            ["project", "set", "Essay", "--library", device.library] + more, environment: device.environment
        ).result()
        #expect(result.code == 0, "\(result.text)\(result.errors)")
    }

    private static func show(_ cue: Cue, _ device: Device) throws -> JSON {
        try cue.start(
            ["project", "show", "--library", device.library, "--json"], environment: device.environment
        ).result().json
    }

    private static func sync(_ cue: Cue, _ device: Device) throws -> Running.Result {
        try cue.start(["sync", device.library], environment: device.environment).result()
    }

    /// A library with a home of its own.
    private struct Device {
        let library: String
        let environment: [String: String?]

        /// The device of `cue` itself.
        init(of cue: Cue) { (library, environment) = (cue.library, [:]) }

        /// Another one, with a folder that is empty.
        init(_ name: String, of cue: Cue) throws {
            (library, environment) = (cue.folder.appending(name), ["CUE_HOME": cue.folder.appending("home of \(name)")])
            try FileManager.default.createDirectory(atPath: library, withIntermediateDirectories: true)
            let result = try cue.start(
                ["init", library, "--vault", cue.vault, "--name", name], environment: environment
            ).result()
            #expect(result.code == 0, "\(result.errors)")
            #expect(try SettingsStory.sync(cue, self).code == 0)
        }
    }

    @Test(
        "A second device sees the deadline and the title, and one that begins anew has all of it when the first is lost"
    )
    func travels() throws {
        let cue = try Cue.small()
        let laptop = Device(of: cue)
        let desk = try Device("desk", of: cue)

        try Self.set(cue, laptop, "--title", "On salt", "--deadline", "2999-05-01", "--nudge", "daily", "--at", "7:05")
        #expect(try cue.run("backup", cue.library).text.contains("settings of 1 project stored"))
        let log = try cue.run("log", "--library", cue.library).text
        #expect(log.contains("only settings changed"), "\(log)")
        #expect(try Self.sync(cue, desk).code == 0)
        try cue.remove("library")
        try cue.remove("home")
        let third = try Device("third", of: cue)

        for device in [desk, third] {
            let shown = try Self.show(cue, device)["projects"].list
            #expect(shown.count == 1 && shown[0]["title"].string == "On salt" && shown[0]["at"].string == "07:05")
            #expect(shown[0]["deadline"].string == "2999-05-01T23:59:00Z" && shown[0]["nudge"].string == "daily")
            #expect(shown[0]["created_at"].string == shown[0]["last_edited_at"].string)
            let nudge = try cue.start(["nudge", "--library", device.library], environment: device.environment).result()
            #expect(nudge.text.contains("On salt"), "\(nudge.text)")
        }
    }

    @Test("A setting needs no vault: it waits, the status says so, and the next backup takes it")
    func offline() throws {
        let cue = try Cue.small()
        let laptop = Device(of: cue)
        try cue.rename("vault", "away")

        try Self.set(cue, laptop, "--deadline", "2999-05-01")
        let status = try cue.run("status", cue.library)
        #expect(status.text.contains("What was set for 1 project is not in the vault yet"), "\(status.text)")
        #expect(try Self.show(cue, laptop)["projects"].list[0]["needs_sync"].bool == true)

        try cue.rename("away", "vault")
        #expect(try cue.backup().json["settings_stored"].int == 1)
        #expect(try cue.backup().json["settings_stored"].int == 0)
        #expect(try cue.run("status", cue.library, "--json").json["settings_waiting"].int == 0)
        #expect(try Self.show(cue, laptop)["projects"].list[0]["needs_sync"].bool == false)
    }

    @Test("Of what two devices set at once the newest counts, sync, status and show name the other, and set settles it")
    func twoAtOnce() throws {
        let cue = try Cue.small()
        let laptop = Device(of: cue)
        let desk = try Device("desk", of: cue)
        try Self.set(cue, laptop, "--deadline", "2999-05-01")
        try Self.set(cue, desk, "--deadline", "2999-06-01")
        #expect(try Self.sync(cue, laptop).code == 0)

        let told = try Self.sync(cue, desk)
        #expect(told.text.contains("settings of 1 project stored, settings of 1 project received"), "\(told.text)")
        #expect(
            told.code == 0 && told.errors.contains("Essay.md: the deadline was set to 2999-05-01 23:59 on "), "\(told)")
        #expect(
            told.errors.contains("and to 2999-06-01 23:59 here; 2999-06-01 23:59 counts. `cue project set`"), "\(told)")
        #expect(try Self.sync(cue, laptop).errors.contains("on desk; 2999-06-01 23:59 counts"))
        for device in [laptop, desk] {
            let status = try cue.start(["status", device.library], environment: device.environment).result()
            #expect(status.text.contains("set twice Essay.md: the deadline"), "\(status.text)")
            let shown = try Self.show(cue, device)
            #expect(shown["projects"].list[0]["deadline"].string == "2999-06-01T23:59:00Z")
            #expect(shown["disputes"].list[0]["sides"].list.map { $0["counts"].bool } == [true, false])
        }

        try Self.set(cue, laptop, "--deadline", "2999-07-01")
        #expect(try Self.sync(cue, laptop).errors == "")
        #expect(try Self.sync(cue, desk).errors == "")
        #expect(try Self.show(cue, desk)["projects"].list[0]["deadline"].string == "2999-07-01T23:59:00Z")
    }

    @Test("A title is one line of up to 1,024 bytes; none takes it away")
    func titles() throws {
        let cue = try Cue.small()
        let laptop = Device(of: cue)
        let long = String(repeating: "é", count: 512)

        try Self.set(cue, laptop, "--title", long)
        #expect(try Self.show(cue, laptop)["projects"].list[0]["title"].string == long)
        let library = ["--library", cue.library]
        try cue.refuses(["project", "set", "Essay", "--title", long + "x"] + library, 2, "too long")
        try cue.refuses(["project", "set", "Essay", "--title", "two\nlines"] + library, 2, "control characters")
        try Self.set(cue, laptop, "--title", "none")
        #expect(try Self.show(cue, laptop)["projects"].list[0]["title"].string == "Essay")
    }

    @Test("A watcher stores what is set, with no document changed")
    func watcher() throws {
        let cue = try Cue.small()
        let watching = try Watching(cue)

        try Self.set(cue, Device(of: cue), "--deadline", "2999-05-01")

        let isStored = try eventually {
            try cue.run("status", cue.library, "--json").json["settings_waiting"].int == 0
        }
        #expect(isStored && watching.isRunning)
    }

    @Test("A project has the same UUID on every device; it is of version 8")
    func uuids() throws {
        let cue = try Cue.small()
        let desk = try Device("desk", of: cue)

        let here = try cue.run("ls", "--library", cue.library, "--json").json["documents"].list
        let there = try cue.start(["ls", "--library", desk.library, "--json"], environment: desk.environment).result()
        let uuids = here.map { $0["uuid"].string }

        #expect(there.json["documents"].list.map { $0["uuid"].string } == uuids && Set(uuids).count == here.count)
        #expect(
            uuids.allSatisfy { $0.contains(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/) })
    }
}
