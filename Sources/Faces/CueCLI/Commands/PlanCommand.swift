import ArgumentParser
import CueBase
import CueEngine
import CueEntitlements
import CueLibrary
import CueSodium
import CueSystem
import CueTerminal

/// `cue plan`.
struct PlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan", abstract: "Show the plan of this device, or bring one.",
        discussion: """
            A plan is for what a service does for you. Your own device and your own vault need none: backup, sync, \
            restore, check and all else work without it, for ever.
            """,
        subcommands: [
            PlanShowCommand.self, PlanImportCommand.self, PlanTrustCommand.self, PlanForgetCommand.self,
            PlanHasCommand.self, PlanIssueCommand.self, PlanKeygenCommand.self,
        ], defaultSubcommand: PlanShowCommand.self)
}

/// `cue plan show`.
struct PlanShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show plan, features, age and end. (The same as `cue plan` alone.)")

    @OptionGroup var common: CommonOptions

    func run() throws {
        let (report, memory) = try PlanFolder(in: .standard()).update { ($0.look(at: Environment.now), $0) }
        try PlanResult(report, memory).print(common.output)
    }
}

/// `cue plan import`.
struct PlanImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Take a plan out of a file; no network is needed.",
        discussion: "A file that is refused changes nothing. The key that signed it must be trusted before.")

    @Argument(help: "The file that the issuer made; - for the standard input.")
    var file: String

    @OptionGroup var common: CommonOptions

    func run() throws {
        let bytes = try PlanFiles.read(file)
        let now = Environment.now
        let (report, memory) = try PlanFolder(in: .standard()).update { memory in
            do { return (try memory.accept(bytes, at: now), memory) } catch let error as SnapshotRefusal {
                let facts = DeviceFacts(now: now, highestTime: memory.highestTime, device: memory.device)
                throw PlanWords.error(error, PlanFiles.shown(file), facts)
            }
        }
        if let file = memory.file { Session.bringPlan(file) }
        try PlanResult(report, memory).print(common.output)
    }
}

/// `cue plan trust`: adds or removes a trusted key.
struct PlanTrustCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust", abstract: "Trust the key of somebody who issues plans.",
        discussion: "This device takes plans that are signed with such keys, and no others. None is built in.")

    @Argument(help: "The file of a public key; - for the standard input.")
    var file: String?

    @Option(help: ArgumentHelp("Trust this key no more; `cue plan` lists the ids.", valueName: "id"))
    var remove: String?

    @OptionGroup var common: CommonOptions

    func run() throws {
        guard (file == nil) != (remove == nil) else {
            throw CueError(
                .usage, "name the file of a public key, or --remove and a key's id", "`cue plan` lists the trusted keys"
            )
        }
        let plan = PlanFolder(in: try .standard())
        if let file {
            let key = try read(file)
            let keys = try plan.update { memory in
                memory.trust(key)
                return memory.keys
            }
            try tell(keys, "This device takes plans that are signed with the key \(key.id).")
        } else if let remove {
            let keys = try plan.update { memory in
                guard let id = KeyID(remove), memory.distrust(id) else {
                    throw CueError(
                        .failed, "no trusted key has the id \(remove); nothing was changed", "`cue plan` lists them")
                }
                return memory.keys
            }
            try tell(keys, "This device takes nothing any more that is signed with the key \(remove).")
        }
    }

    private func read(_ file: String) throws -> IssuerKey {
        var bytes = try PlanFiles.read(file)
        // By mistake it may be the secret key.
        defer { wipe(&bytes) }
        do { return try IssuerKey(parsing: bytes) } catch { throw PlanWords.error(error, PlanFiles.shown(file)) }
    }

    private func tell(_ keys: [IssuerKey], _ line: String) throws {
        try common.output.object(PlanKeysResult(trustedKeys: keys.map(\.id.description)))
        common.output.line(line)
    }
}

/// `cue plan forget`.
struct PlanForgetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Forget the plan. Your documents and vaults are not touched.")

    @Flag(
        help:
            "Become a new device too; trusted keys stay, where they can be read. For a clock that was once far ahead, or a damaged memory."
    )
    var device = false

    @OptionGroup var common: CommonOptions

    func run() throws {
        let plan = PlanFolder(in: try .standard())
        let memory: PlanMemory
        if device {
            memory = try plan.startOver()
        } else {
            memory = try plan.update { memory in
                memory.forget()
                return memory
            }
        }
        try common.output.object(PlanForgetResult(device: memory.device.description))
        common.output.line("This device has no plan. Everything on it works as before.")
        if device {
            common.output.line("It is now device \(memory.device): plans that were issued for it before do not fit.")
        }
    }
}

/// `cue plan has`. It ends with 1 if the plan lacks the feature.
struct PlanHasCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "has", abstract: "Ask whether the plan has a feature; for scripts.",
        discussion: "Ends with 0 if it has, and with 1 if it has not.")

    @Argument(help: "The feature, such as cloud-storage.")
    var feature: String

    @OptionGroup var common: CommonOptions

    func run() throws {
        guard let feature = Feature(feature) else {
            throw CueError(.usage, "\(feature) is no name of a feature", "names have small letters, digits, - and .")
        }
        let entitlements = Session.entitlements(in: try .standard())
        guard entitlements.has(feature) else {
            let plan = entitlements.plan == .local ? "none" : "the plan \(entitlements.plan)"
            throw CueError(
                .failed, "this device has no plan with \(feature): it has \(plan)",
                "`cue plan` says how the plan stands")
        }
        try common.output.object(PlanHasResult(feature: feature.name, plan: entitlements.plan.name))
        common.output.line("The plan \(entitlements.plan) has \(feature).")
    }
}
