import CueTestSupport
import Foundation

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

    var environment: [String: String] {
        ["CUE_HOME": folder.appending("home"), "CUE_PASSPHRASE": passphrase, "NO_COLOR": "1", "TZ": "UTC"]
    }

    @discardableResult
    func run(_ arguments: String..., environment more: [String: String] = [:], in place: String? = nil) throws
        -> Program.Result
    {
        try Program.run(Self.binary, arguments, environment: environment.merging(more) { $1 }, in: place)
    }

    /// Makes the library folder and a vault for it; the least key derivation that is allowed, so that tests are quick.
    @discardableResult
    func initialize() throws -> Program.Result {
        try FileManager.default.createDirectory(atPath: library, withIntermediateDirectories: true)
        return try run("init", library, "--vault", vault, "--kdf-memory", "64", "--json")
    }

    func backup() throws -> Program.Result { try run("backup", library, "--json") }

    func write(_ name: String, _ content: String) throws { try folder.write("library/" + name, content) }
}
