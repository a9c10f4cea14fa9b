import CueTestSupport
import Foundation
import Testing

@Suite("Story: a watcher as a service, and the words of status")
struct WatchUnitStory {
    @Test("The unit that is printed names folders with blanks, quotes, % and $ so that systemd finds them")
    func unit() throws {
        let cue = Cue()
        let odd = "My \"100 %\" $HOME \\ Book"
        try FileManager.default.createDirectory(atPath: cue.folder.appending(odd), withIntermediateDirectories: true)
        let home = cue.folder.appending("home %h $x")
        let environment: [String: String?] = ["CUE_HOME": home]
        let made = try cue.run(
            "init", cue.folder.appending(odd), "--vault", cue.vault, "--kdf-memory", "64", environment: environment)
        #expect(made.code == 0, "\(made.errors)")

        let result = try cue.run(
            "watch", cue.folder.appending(odd), "--install", "--print", environment: environment)

        #expect(result.code == 0, "\(result.errors)")
        #expect(result.text.contains("/My \\\"100 %%\\\" $$HOME \\\\ Book\"\n"), "\(result.text)")
        // In Environment=, $ means nothing (systemd.exec(5)).
        #expect(result.text.contains("Environment=\"CUE_HOME=\(cue.folder.path)/home %%h $x\"\n"), "\(result.text)")
        #expect(!cue.folder.exists("home %h $x/systemd"))
        guard Machine.has("systemd-analyze") else { return }
        let file = try cue.folder.write("cue-test.service", result.text)
        let verified = try cue.shell("systemd-analyze verify --man=no \"$1\" 2>&1 | grep -F cue-test.service", file)
        #expect(verified.text == "", "\(verified.text)")
    }

    @Test("Installed where no systemd runs, it says what is left to do; removed, it is gone")
    func install() throws {
        let cue = Cue()
        try cue.initialize()
        let environment: [String: String?] = [
            "XDG_CONFIG_HOME": cue.folder.appending("config"), "DBUS_SESSION_BUS_ADDRESS": nil, "XDG_RUNTIME_DIR": nil,
        ]

        let installed = try cue.run("watch", cue.library, "--install", environment: environment)

        #expect(installed.code == 0 && installed.text.contains("config/systemd/user/cue-"), "\(installed.text)")
        let units = try FileManager.default.contentsOfDirectory(atPath: cue.folder.appending("config/systemd/user"))
        #expect(units.count == 1)
        #expect(try cue.run("watch", cue.library, "--uninstall", environment: environment).code == 0)
        #expect(!cue.folder.exists("config/systemd/user/" + (units.first ?? "")))
        #expect(try cue.run("watch", cue.library, "--uninstall", environment: environment).text.contains("there is no"))
    }

    @Test("No service is installed that could never start, as nobody would type its passphrase")
    func noKey() throws {
        let cue = Cue()
        try cue.initialize("--forget-key")
        let environment: [String: String?] = [
            "XDG_CONFIG_HOME": cue.folder.appending("config"), "DBUS_SESSION_BUS_ADDRESS": nil, "XDG_RUNTIME_DIR": nil,
        ]

        let refused = try cue.run("watch", cue.library, "--install", environment: environment)
        #expect(refused.code == 1 && refused.errors.contains("does not remember the key"), "\(refused.errors)")
        #expect(refused.errors.contains("take `remember = false` out of .cue/library.toml"), "\(refused.errors)")
        #expect(!cue.folder.exists("config"))
        let printed = try cue.run("watch", cue.library, "--install", "--print", environment: environment)
        #expect(printed.code == 0 && printed.errors.contains("does not remember the key"), "\(printed.errors)")

        try cue.shell("sed -i '/remember/d' library/.cue/library.toml")
        try cue.snapshot()
        #expect(try cue.run("watch", cue.library, "--install", environment: environment).code == 0)
    }

    @Test("A service for a vault in S3 gets what is no secret; its key has to be in a file")
    func s3() throws {
        let remote = try S3Story.Remote(FakeS3().answer)
        let cue = remote.cue
        try cue.write("a.md", "text")
        try remote.run("init", "library", "--vault", remote.vault, "--kdf-memory", "64")
        let environment: [String: String?] = S3Story.Remote.key.merging([
            "XDG_CONFIG_HOME": cue.folder.appending("config"), "DBUS_SESSION_BUS_ADDRESS": nil, "XDG_RUNTIME_DIR": nil,
        ]) { $1 }

        let refused = try cue.run("watch", cue.library, "--install", environment: environment)
        #expect(refused.code == 1 && refused.errors.contains("write the key into ~/.aws/credentials"), "\(refused)")
        #expect(!cue.folder.exists("config"))

        let file = try cue.folder.write(
            "keys", "[work]\naws_access_key_id = cuekey\naws_secret_access_key = cuesecret\n")
        let known = environment.merging(["AWS_SHARED_CREDENTIALS_FILE": file, "AWS_PROFILE": "work"]) { $1 }
        let printed = try cue.run("watch", cue.library, "--install", "--print", environment: known)
        #expect(printed.code == 0 && printed.errors == "", "\(printed)")
        #expect(printed.text.contains("Environment=\"AWS_PROFILE=work\"\n"), "\(printed.text)")
        #expect(printed.text.contains("AWS_SHARED_CREDENTIALS_FILE") && !printed.text.contains("cuesecret"))
    }

    @Test("The first line of status, in every state, for people and for a shell's prompt")
    func sentences() throws {
        let cue = Cue()
        try cue.initialize()
        func line() throws -> String {
            String(try cue.run("status", cue.library).text.split(separator: "\n").first ?? "")
        }
        func short() throws -> String { try cue.run("status", cue.library, "--short").text }

        try cue.write("Draft.md", "1")
        #expect(try line() == "This device has not stored this folder yet: run `cue sync`, or `cue backup`.")
        #expect(try short() == "never stored\n")
        try cue.snapshot()
        #expect(try line().hasPrefix("The one document is in the vault, "))
        #expect(try short() == "ok\n")
        try cue.write("Two.md", "2")
        #expect(try line().hasPrefix("1 change waits for `cue backup`; the last one was "))
        #expect(try short() == "1 waiting\n")
        let watching = try Watching(cue, debounce: 60)
        #expect(try line().hasPrefix("All 2 documents are in the vault, "))
        try cue.write("Two.md", "two")
        #expect(try line().hasPrefix("1 change waits to be stored when you rest; the last sync was "))
        #expect(try watching.stop().code == 0)
        let json = try cue.run("status", cue.library, "--json").json
        #expect(json["headline"].string.hasPrefix("All 2 documents are in the vault, "))
        #expect(json["changed"].strings == [] && json["documents"].int == 2)
    }
}
