import CueBase
import CueCrypto
import CueEngine
import CueLibrary
import CueTerminal

/// Sentences about the devices of a vault, and about what they have seen.
enum DeviceWords {
    /// A new device, said once.
    static func joined(_ device: JoinedDevice) -> String {
        let time = device.time.map { " on \($0.shown)" } ?? ""
        return
            "a new device, \(device.name), joined\(time). If that was not you: `cue device shut-out \(device.id.description.prefix(8))`, and change the keys with `cue key add`"
    }

    /// A device that another one shut out, said once.
    static func shutOut(_ device: ShutOutDevice) -> String {
        let time = device.time.map { " on \($0.shown)" } ?? ""
        return
            "\(device.by) shut out \(device.name)\(time); what it stored later is set aside: `cue device list`"
    }

    /// A vault in which nothing was stored yet.
    static let none = "No device has stored anything in this vault yet."

    /// A device in a list.
    static func line(_ device: VaultDevice, isOwn: Bool) -> String {
        let joined = device.joined.map { "joined \($0.shown), " } ?? ""
        let own = isOwn ? "  (this device)" : ""
        return
            "\(device.id.description.prefix(8))  \(device.name)\(own)  \(joined)last stored something \(device.lastCommit.shown)\(aside(device))"
    }

    private static func aside(_ device: VaultDevice) -> String {
        guard let shutOut = device.shutOut else { return "" }
        let time = shutOut.time.map { " on \($0.shown)" } ?? ""
        return "; shut out by \(shutOut.by)\(time), \(Style.count(shutOut.commitsAside, "commit")) set aside"
    }

    /// This device was shut out.
    static func shutOut(_ by: String, _ time: Timestamp) -> String { "\(by) shut out this device on \(time.shown)" }

    /// What to do about it.
    static let goOn =
        "if this device is yours, `cue init` on this folder, with the vault's place and a passphrase that opens it, lets it go on as a new device; what it stored before stays"

    /// The question before a device is shut out. `since`: as it was typed.
    static func question(_ device: VaultDevice, since: String?) -> String {
        let joined = device.joined.map { "It joined \($0.shown) and" } ?? "It"
        let until = since.map { "From \(Display.text(ArgumentBytes.bytes($0))) on" } ?? "From now on"
        return
            "\(device.name) (\(device.id.description.prefix(8))) will be shut out. \(joined) last stored something \(device.lastCommit.shown). \(until) what it stores counts for nothing, on every device. That cannot be taken back.\nShut it out?"
    }

    /// The answer was no.
    static let notShutOut = "it was not shut out"

    /// A device that was shut out.
    static func lines(_ done: DeviceShutOut) -> [String] {
        let last =
            done.last.map { "What it stored until \($0.shown) counts" } ?? "Nothing that it stored counts any more"
        let count = done.device.shutOut?.commitsAside ?? 0
        let aside = count == 0 ? "" : " (\(Style.count(count, "commit")) now)"
        let forked =
            done.isForked
            ? [
                "More than one computer stored under its id; \(done.isUndecided ? "this device saw them at the same time, so only what was stored before counts" : "what counts is what this device saw first"). What stands in folders of other devices is stored again by them."
            ] : []
        return [
            "\(done.device.name) (\(done.device.id.description.prefix(8))) is shut out. \(last); what it stored or stores later is set aside\(aside)."
        ] + forked
    }

    /// What else is to be done about a lost device.
    static let hints = [
        "do this now, as it still opens the vault and could change the keys: `cue key add` adds a new passphrase, then `cue key remove` takes away the one that it knows",
        "can it still write to the place of the vault? take that away too: the password of the disk, the folder or the account",
    ]

    /// Why a device cannot be shut out.
    static func refusal(_ error: DeviceShutOut.Refusal) -> CueError {
        switch error {
        case .unknown(let name):
            CueError(.failed, "no device of this vault is called \(name)", "`cue device list` names all").unchanged
        case .ambiguous(let name, let ids):
            CueError(
                .usage,
                "\(ids.count) devices are called \(name): \(ids.map { String($0.description.prefix(8)) }.joined(separator: ", "))",
                "give the first digits of the id"
            ).unchanged
        case .withoutEffect:
            CueError(
                .failed,
                "what this device says does not count: it was shut out, or has shut out too many devices already",
                "`cue device list` shows who shut out whom; run the command on another device, or join anew with `cue init`"
            )
        case .already(let by):
            CueError(
                .failed, "\(by) shut out that device before, and that cannot be taken back",
                "`cue device list` says since when; with --since it can be shut out from an earlier moment on"
            ).unchanged
        case .own:
            CueError(
                .failed, "that is this device, and a device does not shut out itself",
                "use another device, if this one is to be given away"
            ).unchanged
        }
    }

    /// A state that the vault never had.
    static func never(_ words: String) -> String {
        "the vault has never been in the state \(words): the other device has stored something that is not here or uses another vault, or one of the words is mistyped"
    }

    /// What to do about it.
    static let neverHint =
        "run `cue sync` on both devices, look at `cue status` on the other one again, and compare its words; if a sync service carries the vault, wait for it first"

    /// A moment for --since that is none, or still to come.
    static func noMoment(_ text: String) -> CueError {
        CueError(
            .usage, "\(text) is no moment that has passed",
            "such moments look like 2026-11-20, \"20 Nov 18:30\" or yesterday; of a day its beginning is meant")
    }

    /// The state word in a status.
    static func seen(_ state: StateWords) -> String { "\(state.text)  (the state word of this device)" }

    /// Words that are no state word.
    static func noState(_ text: String) -> String {
        "\"\(text)\" is not a state word: give the four words that `cue status` shows after \"seen\", in quotes."
    }

    /// What a check says of the state, of devices that were shut out, and of what was given up.
    static func lines(_ report: Check.Report) -> [String] {
        var lines: [String] = []
        if report.commitsAside > 0 {
            lines.append(
                "\(Style.count(report.commitsAside, "commit")) of devices that were shut out \(report.commitsAside == 1 ? "is" : "are") set aside: `cue device list`"
            )
        }
        if report.pruned > 0 {
            lines.append(
                "the content of \(Style.count(report.pruned, "old version")) was given up to save room; that is no damage"
            )
        }
        switch report.comparison {
        case .same?:
            lines.append(
                "the vault is in the state that you gave: it has all that the other device has seen, and nothing more")
        case .earlier(let time, let later)?:
            lines.append(
                "the state that you gave is that of \(time.shown); this vault has it, and \(Style.count(later, "commit")) more"
            )
        case .never?, nil: break
        }
        if let state = report.state { lines.append("the state word of the vault: \(state.text)") }
        return lines
    }
}

extension Output {
    /// Reports what became of other devices, and notes that a person was told. A run with `--json` or
    /// `--quiet` prints nothing of it and leaves it for the next run.
    func tell(_ news: DeviceNews, in library: OpenLibrary) {
        guard !json, !quiet else { return }
        for device in news.joined { line(DeviceWords.joined(device)) }
        for device in news.shutOut { line(DeviceWords.shutOut(device)) }
        DeviceNews.note(told: news, in: library)
    }
}
