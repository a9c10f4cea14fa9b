import ArgumentParser
import CueBase
import CueCrypto
import CueEngine
import CueLibrary
import CueStorage
import CueSystem
import CueTerminal
import CueVault

struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Tie a folder to a vault, made now or there already.",
        discussion: """
            A new vault gets a passphrase, and a recovery code that is shown once. Without one of the two nobody can \
            read the vault, and nobody can reset them. On a folder or a device that cue knew before, nothing is uploaded again.
            """)

    @Argument(help: "The folder with your writing.")
    var folder: String

    @Option(help: ArgumentHelp("Where the vault is or shall be: a folder outside of the library.", valueName: "where"))
    var vault: String

    @Option(help: ArgumentHelp("What this device is called in the history.", valueName: "name"))
    var name: String?

    @Flag(help: "Do not keep the key on this device: every command then needs the passphrase.")
    var forgetKey = false

    @Flag(help: "Accept a vault that has less than this device has seen in it.")
    var acceptOlderVault = false

    @Option(help: .hidden)
    var kdfMemory: Int?

    @OptionGroup var secret: SecretOptions
    @OptionGroup var common: CommonOptions

    func run() throws {
        let state = try StateFolder.standard()
        let location = try VaultLocation(vault)
        do {
            let folder = FilePathBytes(ArgumentBytes.bytes(self.folder))
            switch try Setup.look(folder, location) {
            case .nothing: try create(folder, location, state)
            case .vault: try join(folder, location, state)
            }
        } catch {
            throw CueError.describing(error, vault: location.description)
        }
    }

    func validate() throws {
        if let name, !(1...100).contains(name.utf8.count) { throw ValidationError("--name has 1 to 100 bytes.") }
    }

    private func create(_ folder: FilePathBytes, _ location: VaultLocation, _ state: StateFolder) throws {
        let passphrase = try Secrets.forMaking(secret)
        let derivation = kdfMemory.map { KeyDerivation(passes: 3, memory: UInt64(max(0, $0)) << 20) } ?? .standard
        guard derivation.isAllowed else { throw CueError(.usage, "--kdf-memory goes from 64 to 2048 MiB") }
        let made = try Setup.create(
            folder, location, passphrase: passphrase, device: name, remember: !forgetKey, state: state,
            derivation: derivation)
        let code = made.recoveryCode?.text ?? ""
        try common.output.object(
            InitResult(
                created: true, vault: made.vault.id.description, library: made.library.marker.library.description,
                device: made.device,
                recoveryCode: code, documents: 0))
        // The code is shown even under --quiet: it is nowhere else.
        if common.quiet && !common.json { return Output.print(code + "\n") }
        common.output.line(
            """
            Made a vault at \(location), for \(made.library.path), as device "\(made.device)".

            Your recovery code:

                \(code)

            Write it on paper and keep it away from this computer. It opens the vault if the
            passphrase is forgotten. It is shown this once and kept nowhere. Without the
            passphrase or this code nobody can read the vault.

            Next: cue backup \(made.library.path)   (or cue watch, which does it by itself)
            """)
    }

    private func join(_ folder: FilePathBytes, _ location: VaultLocation, _ state: StateFolder) throws {
        let store = try location.open(writerName: "join")
        let id = try Vault.id(in: store)
        // The passphrase is asked even where the key is remembered: who ties a folder should know it.
        let vault = try Vault.open(store, with: try Secrets.forOpening(secret, location))
        let joined = try Setup.join(
            folder, location, vault, device: name, remember: !forgetKey, acceptOlder: acceptOlderVault, state: state)
        try common.output.object(
            InitResult(
                created: false, vault: id.description, library: joined.library.marker.library.description,
                device: joined.device,
                recoveryCode: nil, documents: joined.documents))
        common.output.line(
            """
            Joined the vault at \(location), which holds \(Style.count(joined.documents, "document")), as device "\(joined.device)".
            Next: cue sync \(joined.library.path)   (brings what is in the vault, and stores what is in the folder)
            """)
    }
}

private struct InitResult: Encodable {
    let created: Bool
    let vault: String
    let library: String
    let device: String
    let recoveryCode: String?
    let documents: Int
}
