import ArgumentParser
import CueBase
import CueEngine
import CueLibrary
import CueSystem

/// `cue device`.
struct DeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "List the devices that write to the vault, or shut one out.",
        subcommands: [DeviceListCommand.self, DeviceShutOutCommand.self])
}

/// `cue device list`.
struct DeviceListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the devices that have stored something in the vault.",
        discussion: """
            Each device signs what it stores with a key that never leaves it, so nobody else writes in its name. Whoever has a \
            passphrase, the recovery code or the vault's key can bring a new device; `cue sync` and `cue status` say so once.
            """)

    @OptionGroup var vault: VaultOptions
    @OptionGroup var common: CommonOptions

    func run() throws {
        let session = try Session.openToRead(vault)
        let devices = try session.run { try VaultDevice.all(in: $0.vault) }
        let own = try session.library?.device().id
        try common.output.object(DeviceListResult(devices: devices.map { .init($0, own: own) }))
        for device in devices { common.output.line(DeviceWords.line(device, isOwn: device.id == own)) }
        if devices.isEmpty { common.output.line(DeviceWords.none) }
    }
}

/// `cue device shut-out`.
struct DeviceShutOutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shut-out", abstract: "Ignore everything that a device stores from now on.",
        discussion: """
            For a device that was lost or stolen. What it stored until now stays and counts; what it stores later is set \
            aside on every device, and deletes and changes nothing. Documents that others have gone on with stay. The device \
            still reads the vault with the passphrase that it knows: `cue key add` makes a new one, and `cue key remove` takes \
            the old one away. Used again, the device can join as a new one with `cue init`.
            """)

    @Argument(help: "The name of the device, or at least four digits of its id: `cue device list` shows both.")
    var name: String

    @Option(
        help: ArgumentHelp(
            "From when on it does not count, by the clock of that device: \"2026-05-01 18:00\", yesterday, of which the beginning is meant. Without it, from now on. It cannot be taken back.",
            valueName: "when"))
    var since: String?

    @Flag(help: "Do not ask. Without a terminal nothing is asked in any case.")
    var yes = false

    @OptionGroup var library: LibraryOption
    @OptionGroup var secret: SecretOptions
    @OptionGroup var common: CommonOptions

    func validate() throws { try NameWords.refuse(empty: [name]) }

    func run() throws {
        let now = Environment.now
        let since = try since.map { text in
            guard let time = WrittenTime(text, now: now, toward: .past, in: .current)?.start, time <= now else {
                throw DeviceWords.noMoment(text)
            }
            // What was stored at that moment does not count.
            return Timestamp(milliseconds: time.milliseconds - 1)
        }
        let session = try Session.open(vault: nil, library: library.library, secret)
        try session.prepareToStore()
        let done: DeviceShutOut? = try session.run { session in
            try session.libraryContext(common.output.reporter).map {
                do { return try shutOut(since: since, $0) } catch let error as DeviceShutOut.Refusal {
                    throw DeviceWords.refusal(error)
                }
            }
        }
        guard let done else { return }
        try common.output.object(DeviceListResult(devices: [.init(done.device, own: nil)]))
        for line in DeviceWords.lines(done) { common.output.line(line) }
        for hint in DeviceWords.hints { common.output.hint(hint) }
        try session.keepPlaces()
    }

    /// Asks with all that is known of the device, and shuts out that one, also if another takes its name meanwhile.
    private func shutOut(since: Timestamp?, _ context: EngineContext) throws -> DeviceShutOut {
        guard !yes, Asking.isAllowed else { return try DeviceShutOut.run(name, since: since, context) }
        let device = try DeviceShutOut.find(name, since: since, context)
        try Asking.confirm(DeviceWords.question(device, since: self.since), orElse: DeviceWords.notShutOut)
        return try DeviceShutOut.run(device.id.description, since: since, context)
    }
}
