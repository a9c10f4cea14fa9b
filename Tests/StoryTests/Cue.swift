import CueTestSupport
import Foundation
import Testing

/// The built program with a home, a library and a vault of its own.
struct Cue {
    let folder = TemporaryFolder()
    let passphrase = "correct horse battery staple"

    static let binary: String = {
        // The program stands beside the test bundle.
        Bundle.allBundles.map(\.bundlePath).first { $0.hasSuffix(".xctest") }
            .map { ($0 as NSString).deletingLastPathComponent + "/cue" }
            ?? (CommandLine.arguments[0] as NSString).deletingLastPathComponent + "/cue"
    }()

    var library: String { folder.appending("library") }
    var vault: String { folder.appending("vault") }
    var home: String { folder.appending("home") }

    /// Another machine: nothing is remembered there.
    var elsewhere: [String: String?] { ["CUE_HOME": folder.appending("home \(UUID().uuidString)")] }

    var environment: [String: String?] {
        [
            "CUE_HOME": home, "CUE_PASSPHRASE": passphrase, "CUE_PASSPHRASE_COMMAND": nil, "CUE_TEST_AES": nil,
            "NO_COLOR": "1", "CLICOLOR_FORCE": nil, "CUE_PAGER": nil, "PAGER": nil, "TERM": "dumb", "LESS": nil,
            "LV": nil, "DISPLAY": nil, "WAYLAND_DISPLAY": nil,
            "WT_SESSION": nil, "ConEmuANSI": nil, "TERM_PROGRAM": nil, "TZ": "UTC",
            "LC_ALL": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no",
        ]
    }

    // MARK: Running it

    @discardableResult
    func run(
        _ arguments: String..., environment more: [String: String?] = [:], in place: String? = nil,
        deadline: Double = 60
    ) throws -> Running.Result {
        try start(arguments, environment: more, in: place).result(deadline: deadline)
    }

    /// Starts it and lets it run beside the test.
    func start(
        _ arguments: [String], environment more: [String: String?] = [:], in place: String? = nil
    ) throws -> Running {
        try Running(
            Self.binary, arguments, environment: environment.merging(more) { $1 }, in: place ?? folder.path)
    }

    /// Runs a line of the shell in the folder of this test. `$CUE` is the program; arguments are `$1`, `$2`, …
    @discardableResult
    func shell(
        _ script: String, _ arguments: String..., environment more: [String: String?] = [:], deadline: Double = 60
    ) throws -> Running.Result {
        let variables = environment.merging(["CUE": Self.binary]) { $1 }.merging(more) { $1 }
        return try Running(
            "/bin/bash", ["-c", script, "bash"] + arguments, environment: variables, in: folder.path
        ).result(deadline: deadline)
    }

    /// Runs lines of Python in the folder of this test; for what neither Foundation nor the shell does with names of
    /// bytes.
    @discardableResult
    func python(_ script: String, _ arguments: String...) throws -> Running.Result {
        let result = try Running(Machine.anyPython, ["-c", script] + arguments, in: folder.path).result()
        #expect(result.code == 0, "\(result.errors)")
        return result
    }

    // MARK: Its work

    /// Makes the library folder and a vault for it; the least key derivation that is allowed, so that tests are quick.
    @discardableResult
    func initialize(_ more: String...) throws -> Running.Result {
        try FileManager.default.createDirectory(atPath: library, withIntermediateDirectories: true)
        let arguments = ["init", library, "--vault", vault, "--kdf-memory", "64", "--json"] + more
        let result = try start(arguments).result()
        #expect(result.code == 0, "\(result.errors)\(result.text)")
        return result
    }

    func backup() throws -> Running.Result { try run("backup", library, "--json") }

    /// A backup that must go well; gives the id of its snapshot.
    @discardableResult
    func snapshot() throws -> String {
        let result = try backup()
        #expect(result.code == 0, "\(result.errors)\(result.text)")
        return result.json["snapshot"].string
    }

    /// Restores into a new folder of that name, from the vault alone.
    @discardableResult
    func restore(to name: String, _ more: String..., environment: [String: String?] = [:]) throws -> Running.Result {
        let arguments = ["restore", "--vault", vault, "--to", folder.appending(name), "--json"] + more
        return try start(arguments, environment: environment).result()
    }

    func check(_ more: String..., environment: [String: String?] = [:]) throws -> Running.Result {
        try start(["check", "--vault", vault, "--json"] + more, environment: environment).result()
    }

    func write(_ name: String, _ content: String) throws { try folder.write("library/" + name, content) }

    func write(_ name: String, _ content: Data) throws { try folder.write("library/" + name, content) }

    /// That text, and letters of its own in lines, which no compression makes as short as the content that a commit takes
    /// itself (docs/format.md §9): a backup that stores it puts all of its content into a pack.
    static func inPack(_ text: String) -> String {
        var generator = SeededGenerator(seed: text.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) })
        let letters = Data(generator.bytes(72_000))
        return text + "\n" + letters.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: folder.appending(name)) }

    func rename(_ old: String, _ new: String) throws {
        try FileManager.default.moveItem(atPath: folder.appending(old), toPath: folder.appending(new))
    }

    func copy(_ old: String, _ new: String) throws {
        let result = try shell("cp -a \"$1\" \"$2\"", old, new)
        #expect(result.code == 0, "\(result.errors)")
    }

    // MARK: Looking at folders

    /// What `tools/compare-trees.py` says of two folders; empty where they are the same in every way.
    func differences(_ original: String, _ restored: String, _ more: String...) throws -> String {
        let result = try Running(
            Machine.anyPython,
            [Project.root + "/tools/compare-trees.py", folder.appending(original)]
                + [folder.appending(restored)] + more
        ).result()
        return result.code == 0 ? "" : result.text + result.errors
    }

    /// Names, kinds, modes, times and contents of everything in a folder, in short: the same as long as nothing is
    /// changed.
    func fingerprint(_ names: String...) throws -> String {
        let script = """
            for folder; do
              find "$folder" -printf '%p %y %m %s %T@ %l\\n' | LC_ALL=C sort
              find "$folder" -type f -print0 | LC_ALL=C sort -z | xargs -0 -r sha256sum
            done | sha256sum
            """
        return try Running("/bin/bash", ["-c", script, "bash"] + names, in: folder.path).result().text
    }

    /// How many bytes the vault's objects have.
    func vaultBytes() throws -> Int {
        let found = try shell("find vault -type f -printf '%s\\n' | awk '{ sum += $1 } END { print sum + 0 }'").text
        return try #require(Int(found.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    /// The names of all objects but `vault.json`, or of those in one of the vault's folders.
    func objects(in part: String = "") throws -> [String] {
        try shell(
            "cd \"vault/$1\" && find . -type f ! -name vault.json ! -path './tmp/*' | sed 's|^\\./||' | sort", part
        )
        .text.split(separator: "\n").map { part.isEmpty ? String($0) : "\(part)/\($0)" }
    }
}

/// What the machine that runs the tests can do.
enum Machine {
    /// Whether files made here say when that was.
    static let keepsBirthTimes: Bool = {
        let path = NSTemporaryDirectory() + "cue-birth-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        guard FileManager.default.createFile(atPath: path, contents: Data()) else { return false }
        let said = (try? Running("/usr/bin/stat", ["-c", "%W", path]).result().text) ?? ""
        return (Int(said.trimmingCharacters(in: .newlines)) ?? 0) > 0
    }()

    /// Whether libsodium's AES runs on this CPU.
    static let hasAES = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?.contains(" aes") ?? false

    static let isRoot = (try? Running("/usr/bin/id", ["-u"]).result().text) == "0\n"

    static func has(_ program: String) -> Bool {
        (try? Running("/bin/bash", ["-c", "command -v \"$1\"", "bash", program]).result().code) == 0
    }

    /// Whether `strace` is there and may follow programs: it lets a story fail or kill at an exact system call.
    static let canTrace = has("strace") && (try? Running("/usr/bin/env", ["strace", "-qq", "true"]).result().code) == 0

    /// Whether small file systems in memory can be mounted.
    static let canMount: Bool = {
        let script = "d=$(mktemp -d) && mount -t tmpfs -o size=64k cue-test $d && umount $d && rmdir $d"
        return isRoot && (try? Running("/bin/bash", ["-c", script]).result().code) == 0
    }()

    /// A Python for what needs nothing but itself; Debian's own, where it is, starts three times as fast as pyenv's.
    static let anyPython: String = {
        let system = "/usr/bin/python3"
        let found = try? Running("/bin/bash", ["-c", "command -v python3"]).result().text
        return FileManager.default.isExecutableFile(atPath: system)
            ? system : (found ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
    }()

    /// A Python with what the independent reader needs, as `make test` found it.
    static let python: String? = ProcessInfo.processInfo.environment["CUE_PYTHON"].flatMap { name in
        let found = try? Running("/bin/bash", ["-c", "command -v \"$1\"", "-", name]).result().text
        return found.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
