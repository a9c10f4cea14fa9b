import ArgumentParser
import CueBase
import CueEngine
import CueEntitlements
import CueSodium
import CueSystem

/// `cue plan issue`.
struct PlanIssueCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "issue", abstract: "Sign a plan for a device, with a key of your own.",
        discussion: "For those who run a service for others. The file is printed, or written with --output.")

    @Option(help: ArgumentHelp("The file of the secret key, as `cue plan keygen` made it.", valueName: "file"))
    var key: String

    @Option(help: ArgumentHelp("What the plan is called, such as pro.", valueName: "name"))
    var plan: String

    @Option(help: ArgumentHelp("What it allows; may be given several times.", valueName: "name"))
    var feature: [String] = []

    @Option(help: ArgumentHelp("Whose plan it is: any text that names the account.", valueName: "account"))
    var account: String

    @Option(help: ArgumentHelp("The device, as `cue plan` shows it there.", valueName: "id"))
    var device: String

    @Option(help: ArgumentHelp("How long it may be used without a newer one: 7d, 12h, 30m.", valueName: "time"))
    var ttl = "7d"

    @Option(help: ArgumentHelp("When the plan ends: 2027-12-31. Without it, after a year.", valueName: "when"))
    var expires: String?

    @Option(help: ArgumentHelp("When it counts as signed. Without it, now.", valueName: "when"))
    var issued: String?

    @Option(help: ArgumentHelp("Write the plan to this new file.", valueName: "file"))
    var output: String?

    @OptionGroup var common: CommonOptions

    func run() throws {
        let snapshot = try snapshot(now: Environment.now)
        let signed = SignedSnapshot(snapshot, by: try secret())
        if let output { try PlanFiles.write(signed.file, to: Self.path(output), mode: 0o600) }
        try common.output.object(
            PlanIssueResult(
                account: snapshot.account, device: snapshot.device.description,
                file: output.map { Self.path($0).description },
                issued: snapshot.issuedAt.wholeSeconds, key: signed.key.description, plan: snapshot.plan.name,
                snapshot: String(decoding: signed.file.dropLast(), as: UTF8.self)))
        guard let output else {
            // The file is the result: print it with `--quiet` too.
            if !common.json { Output.write(signed.file.span) }
            return
        }
        common.output.line(
            "Issued the plan \(snapshot.plan) for \(PlanWords.shown(snapshot.account)): \(Self.path(output)), to be taken with `cue plan import`."
        )
    }

    /// The path that a person typed, byte for byte.
    static func path(_ text: String) -> FilePathBytes { FilePathBytes(ArgumentBytes.bytes(text)) }

    /// The plan that the options describe. Throws `CueError`.
    private func snapshot(now: Timestamp) throws -> EntitlementsSnapshot {
        guard let plan = Plan(plan) else { throw Self.notAName(plan) }
        let features = try feature.map { name in
            guard let feature = Feature(name) else { throw Self.notAName(name) }
            return feature
        }
        guard let device = DeviceID(device) else {
            throw CueError(.usage, "\(device) is no id of a device", "`cue plan` on that device shows its 32 digits")
        }
        let issuedAt = try issued.map { try PlanWords.time($0, now: now, toward: .past) } ?? now
        let expiresAt =
            try expires.map { try PlanWords.time($0, now: now, toward: .future) } ?? issuedAt + .seconds(365 * 86_400)
        do {
            return try EntitlementsSnapshot(
                plan: plan, features: Set(features), issuedAt: issuedAt, expiresAt: expiresAt,
                ttlSeconds: PlanWords.ttl(ttl), account: account, device: device)
        } catch SnapshotRefusal.malformed(let flaw) {
            throw CueError(
                .usage, "no such plan can be issued: \(flaw.words)", "`cue plan issue --help` says what it takes")
        }
    }

    private static func notAName(_ text: String) -> CueError {
        CueError(
            .usage, "\(text) is no name of a plan or feature", "names have 1 to 64 small letters, digits, - and .")
    }

    /// The key that signs. Throws `CueError` if the file is none.
    private func secret() throws -> IssuerSecret {
        var bytes = try PlanFiles.read(key)
        defer { wipe(&bytes) }
        do { return try IssuerSecret(parsing: bytes) } catch { throw PlanWords.error(error, PlanFiles.shown(key)) }
    }
}

/// `cue plan keygen`.
struct PlanKeygenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keygen", abstract: "Make a key with which plans are signed.",
        discussion: "Keep the secret file where only you can read it; give away the one that ends in .pub.")

    @Option(
        help: ArgumentHelp("The new secret file. The public key goes beside it, with .pub behind.", valueName: "file"))
    var output: String

    @OptionGroup var common: CommonOptions

    func run() throws {
        let path = PlanIssueCommand.path(output)
        let publicPath = FilePathBytes(path.bytes + Array(".pub".utf8))
        for path in [path, publicPath] where try path.info() != nil {
            throw CueError(
                .failed, "\(path) is there already; nothing was changed",
                "choose another name: a key that is replaced cannot be had back")
        }
        let secret = IssuerSecret.random()
        var bytes = secret.file
        defer { wipe(&bytes) }
        try PlanFiles.write(bytes, to: path, mode: 0o600)
        try PlanFiles.write(secret.publicKey.file, to: publicPath, mode: 0o644)
        let key = secret.publicKey
        try common.output.object(
            PlanKeygenResult(
                key: key.id.description, public: key.digits, publicFile: publicPath.description,
                secretFile: path.description))
        common.output.line(
            """
            Made the key \(key.id).
              secret   \(path)   (for you alone: whoever has it can issue plans in your name)
              public   \(publicPath)   \(key.digits)
            On each device that shall take plans of yours: cue plan trust \(publicPath)
            """)
    }
}
