import CueTestSupport
import Foundation
import Testing

@Suite("Story: a recovery code is shown before there is a vault")
struct InitStory {
    static var code: Regex<(Substring, Substring)> { /[0-9A-Z]{4}(-[0-9A-Z]{4}){8}/ }

    /// The library folder, and nothing else.
    static func empty() throws -> Cue {
        let cue = Cue()
        try cue.write("Essay.md", "an essay")
        return cue
    }

    static let initialize = "\"$CUE\" init library --vault vault --kdf-memory 64"

    /// After an `init` that failed: nothing is left that the next one would join, or stumble upon.
    static func expectNothing(_ cue: Cue, _ what: String) throws {
        #expect(!cue.folder.exists("vault/vault.json"), "\(what)")
        let made = try cue.run("init", cue.library, "--vault", cue.vault, "--kdf-memory", "64", "--json")
        #expect(made.code == 0 && made.json["created"].bool == true, "\(what): \(made.text)")
        try expectOpens(cue, made.json["recovery_code"].string, what)
    }

    static func expectOpens(_ cue: Cue, _ code: String, _ what: String) throws {
        let machine = cue.elsewhere.merging(["CUE_PASSPHRASE": code]) { $1 }
        let listed = try cue.run("ls", "--vault", cue.vault, environment: machine)
        #expect(listed.code == 0, "\(what): \(listed.errors)")
    }

    @Test(
        "Where the code cannot be shown there is no vault, and the next init makes all anew",
        arguments: ["> /dev/full", ">&-", "--json > /dev/full", "--quiet > /dev/full"])
    func notShown(output: String) throws {
        let cue = try Self.empty()

        let failed = try cue.shell("\(Self.initialize) \(output)")

        #expect(failed.code == 1, "\(failed.errors)")
        #expect(try cue.objects() == [], "no slot is left")
        #expect(!cue.folder.exists("library/.cue"))
        try Self.expectNothing(cue, output)
    }

    @Test(
        "A folder that was moved stays the same library, whatever stands at its old place; a copy of it becomes another"
    )
    func movedOrCopied() throws {
        let cue = try Self.empty()
        let made = try cue.initialize()
        func tie(_ name: String) throws -> String {
            let tied = try cue.run("init", cue.folder.appending(name), "--vault", cue.vault, "--json")
            #expect(tied.code == 0, "\(tied.errors)")
            return tied.json["library"].string
        }

        try cue.shell("mv library moved; mkdir library; echo other > library/Other.md")
        let moved = try tie("moved")
        try cue.copy("moved", "copied")
        let copied = try tie("copied")

        #expect(moved == made.json["library"].string && copied != moved)
        #expect(try tie("moved") == moved)
    }

    @Test("Where the vault of a folder is away, init makes no second one in its place", arguments: [true, false])
    func away(isMountPoint: Bool) throws {
        let cue = try Self.empty()
        try cue.initialize()
        try cue.snapshot()
        try cue.rename("vault", "unplugged")
        if isMountPoint { try cue.shell("mkdir vault") }

        let refused = try cue.run("init", cue.library, "--vault", cue.vault)

        #expect(refused.code == 7 && refused.errors.contains("is not there now; no new one was made"), "\(refused)")
        #expect(!cue.folder.exists("vault/vault.json"))
        if isMountPoint { try cue.remove("vault") }
        try cue.rename("unplugged", "vault")
        #expect(try cue.run("sync", cue.library).code == 0)

        try cue.remove("vault")
        try cue.remove("library/.cue")
        let new = try cue.run("init", cue.library, "--vault", cue.vault, "--kdf-memory", "64", "--json")
        #expect(new.code == 0 && new.json["created"].bool == true, "\(new)")
        #expect(try cue.run("sync", cue.library).code == 0)
    }

    @Test("Where nobody reads what is shown there is no vault")
    func nobodyReads() throws {
        let cue = try Self.empty()

        let failed = try cue.shell("{ \(Self.initialize); echo $? > code; } | true; cat code")

        #expect(failed.text == "1\n" && failed.errors.contains("the recovery code cannot be shown"), "\(failed.errors)")
        try Self.expectNothing(cue, "closed pipe")
    }

    @Test("Where cue's memory cannot be written there is no vault")
    func noState() throws {
        let cue = try Self.empty()
        try cue.folder.write("notafolder", "")

        let failed = try cue.shell(
            Self.initialize, environment: ["CUE_HOME": cue.folder.appending("notafolder/x")])

        #expect(failed.code == 1, "\(failed.errors)")
        #expect(!cue.folder.exists("vault/vault.json"))
        try Self.expectNothing(cue, "no state folder")
    }

    @Test(
        "Where the library or the memory is on a disk that takes nothing there is no vault",
        .enabled(if: Machine.canMount, "nothing can be mounted here"), arguments: ["library", "home"])
    func readOnly(place: String) throws {
        let cue = try Self.empty()
        let mount = "mkdir -p \(place); mount -t tmpfs -o size=1m,ro cue-test \(place)"
        #expect(try cue.shell(mount).code == 0)

        let failed = try cue.shell(Self.initialize)
        try cue.shell("umount \(place)")

        #expect(failed.code == 1, "\(failed.errors)")
        #expect(!cue.folder.exists("vault/vault.json"))
        try Self.expectNothing(cue, place)
    }

    @Test("The code stands alone on the standard output under --quiet, in the object under --json, and before the rest")
    func howItIsShown() throws {
        for (options, index) in [("--quiet", 0), ("--json", 1), ("", 2)] {
            let cue = try Self.empty()
            let made = try cue.shell("\(Self.initialize) \(options)")
            let code = try #require(made.text.firstMatch(of: Self.code)?.output.0)
            #expect(made.code == 0)
            switch index {
            case 0: #expect(made.text == "\(code)\n")
            case 1: #expect(made.json["recovery_code"].string == code && made.json["created"].bool == true)
            default: #expect(made.text.contains("Made a vault at \(cue.vault)"))
            }
            try Self.expectOpens(cue, String(code), options)
        }
    }

    // MARK: Another code

    @Test("cue key new-code: the new code opens the vault, the old one opens nothing, and the passphrase stays")
    func newCode() throws {
        let cue = try Self.empty()
        let old = try cue.initialize().json["recovery_code"].string
        try cue.snapshot()

        let made = try cue.run("key", "new-code", "--library", cue.library, "--kdf-memory", "64", "--json")

        #expect(made.code == 0 && made.json["replaced"].strings.count == 1, "\(made.text)")
        let new = made.json["recovery_code"].string
        #expect(new != old && new.wholeMatch(of: Self.code) != nil)
        try Self.expectOpens(cue, new, "the new code")
        try Self.expectOpens(cue, cue.passphrase, "the passphrase")
        let machine = cue.elsewhere.merging(["CUE_PASSPHRASE": old]) { $1 }
        try cue.refuses(["ls", "--vault", cue.vault], 5, "wrong passphrase or recovery code", environment: machine)
        let listed = try cue.run("key", "list", "--vault", cue.vault, "--json").json["slots"].list
        #expect(listed.map { $0["kind"].string } == ["passphrase", "recovery code"])
        #expect(try cue.run("check", cue.library).code == 0)
        #expect(try cue.backup().code == 0)
    }

    @Test("A new code that cannot be shown takes nothing away, and needs the key")
    func newCodeNotShown() throws {
        let cue = try Self.empty()
        let old = try cue.initialize().json["recovery_code"].string
        let before = try cue.objects(in: "keys")

        let failed = try cue.shell("\"$CUE\" key new-code --library library --kdf-memory 64 > /dev/full")

        #expect(failed.code == 1 && failed.errors.contains("the recovery code cannot be shown"), "\(failed.errors)")
        #expect(try cue.objects(in: "keys") == before)
        try Self.expectOpens(cue, old, "the old code")
        let wrong = cue.elsewhere.merging(["CUE_PASSPHRASE": "wrong"]) { $1 }
        try cue.refuses(["key", "new-code", "--vault", cue.vault], 5, "wrong passphrase", environment: wrong)
    }

    @Test("What another device did with its recovery code is no damage here")
    func newCodeElsewhere() throws {
        let cue = try Self.empty()
        try cue.initialize()
        try cue.snapshot()
        let other = cue.elsewhere
        try cue.shell("mkdir other")
        let second = cue.folder.appending("other")
        #expect(try cue.run("init", second, "--vault", cue.vault, environment: other).code == 0)
        #expect(
            try cue.run("key", "new-code", "--library", second, "--kdf-memory", "64", environment: other).code == 0)

        #expect(try cue.run("check", cue.library).code == 0)
        let backup = try cue.backup()
        #expect(backup.code == 0 && backup.json["key_slots"].list.isEmpty, "\(backup.text)")
        #expect(try cue.run("status", cue.library, "--short").text == "ok\n")
    }
}

@Suite("Fault: an init that is killed")
struct InitKilledFault {
    private static let calls = ["fsync", "renameat2", "write", "mkdirat", "unlinkat"]

    /// Runs a command that is killed at the n-th call of a kind (counted in each thread); nil if there was none.
    private static func killed(_ cue: Cue, _ call: String, at number: Int, _ command: String) throws -> Running.Result?
    {
        let script = """
            strace -f -qq -o trace -e trace=\(call) -e inject=\(call):signal=KILL:when=\(number) \(command)
            """
        let result = try cue.shell(script, deadline: 60)
        return try cue.shell("grep -c 'killed by SIGKILL' trace").text == "0\n" ? nil : result
    }

    @Test(
        "Killed at any changing call, an init leaves nothing in the way, or a vault whose code was shown",
        .enabled(if: Machine.canTrace, "strace is not here"), arguments: calls)
    func everyCall(call: String) throws {
        var (anew, joined) = (0, 0)
        for number in 1...100 {
            let cue = try InitStory.empty()
            let what = "\(call) \(number)"
            guard let result = try Self.killed(cue, call, at: number, InitStory.initialize) else { break }
            let next = try cue.run("init", cue.library, "--vault", cue.vault, "--kdf-memory", "64", "--json")
            #expect(next.code == 0, "\(what): \(next.text)")
            if next.json["created"].bool == true {
                anew += 1
                try InitStory.expectOpens(cue, next.json["recovery_code"].string, what)
            } else {
                joined += 1
                let shown = try #require(result.text.firstMatch(of: InitStory.code), "\(what): no code was shown")
                try InitStory.expectOpens(cue, String(shown.output.0), what)
            }
            #expect(try cue.run("check", cue.library, "--json").json["whole"].bool == true, "\(what)")
            #expect(try cue.objects(in: "keys").count == 2, "\(what)")
            #expect(try cue.shell("ls home/begun | grep -c json").text == "0\n", "\(what): nothing is noted any more")
        }
        #expect(anew > 0, "\(call): no kill came before the vault was there")
        print("\(call): \(anew) anew, \(joined) joined")
    }

    @Test(
        "Killed at any changing call, a new recovery code leaves one that was shown",
        .enabled(if: Machine.canTrace, "strace is not here"), arguments: ["fsync", "renameat2", "write", "unlinkat"])
    func newCode(call: String) throws {
        for number in 1...100 {
            let cue = try InitStory.empty()
            let old = try cue.initialize().json["recovery_code"].string
            let command = "\"$CUE\" key new-code --library library --kdf-memory 64"
            guard let result = try Self.killed(cue, call, at: number, command) else { break }
            let shown = [old] + result.text.matches(of: InitStory.code).map { String($0.output.0) }
            let opens = try shown.contains { code in
                let machine = cue.elsewhere.merging(["CUE_PASSPHRASE": code]) { $1 }
                return try cue.run("ls", "--vault", cue.vault, environment: machine).code == 0
            }
            #expect(opens, "\(call) \(number)")
            #expect(try cue.run("key", "new-code", "--library", cue.library, "--kdf-memory", "64").code == 0)
            #expect(try cue.objects(in: "keys").count == 2, "\(call) \(number): no slot is left over")
        }
    }
}
