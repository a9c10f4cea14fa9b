import CueEngine
import CueStorage
import CueTerminal

/// Messages about vaults on services, and about copies.
enum RemoteWords {
    static func noKeyForService(_ place: VaultLocation) -> CueError {
        CueError(
            .failed,
            "a service would find no key for \(place): what stands in variables of this session does not reach it",
            "write the key into ~/.aws/credentials; a profile there can be named with AWS_PROFILE, or in the address with ?profile=NAME"
        )
    }

    // MARK: Copies

    static func samePlace(_ place: VaultLocation) -> String { "\(place) is both places" }

    static func different(_ name: String) -> String {
        "\(name) is in both places, and is not the same: one of them is damaged; `cue check --read-data --vault WHERE` says which"
    }

    static func missing(_ name: String, _ place: VaultLocation) -> String { "\(name) is not at \(place)" }

    static func copied(
        _ summary: VaultCopy.Summary, _ source: VaultLocation, _ target: VaultLocation, _ seconds: Double
    ) -> String {
        let extra =
            summary.extra == 0
            ? ""
            : "\nIt has \(Style.count(summary.extra, "object")) that \(source) does not have: `cue copy` the other way brings them there."
        let time = Style.seconds(seconds)
        guard summary.copied > 0 else { return "\(target) has everything that \(source) has  (\(time))\(extra)" }
        return
            "copied \(Style.count(summary.copied, "object")), \(Style.bytes(Int64(summary.bytes))), to \(target)  (\(time))\(extra)"
    }

    static func compared(_ summary: VaultCopy.Summary, _ isRead: Bool, _ seconds: Double) -> String {
        let how = isRead ? "everything was read" : "names and sizes; --read-data compares the content"
        let parts = [
            "\(Style.count(summary.there, "object")) in both places",
            summary.missing.isEmpty ? "" : "\(Style.number(summary.missing.count)) missing in the second",
            summary.extra == 0 ? "" : "\(Style.number(summary.extra)) only in the second",
            summary.different.isEmpty ? "" : "\(Style.number(summary.different.count)) not the same",
        ]
        return "\(parts.filter { !$0.isEmpty }.joined(separator: ", ")) (\(how))  (\(Style.seconds(seconds)))"
    }

    // MARK: Locked objects

    static func noLocks(_ place: VaultLocation) -> String {
        "\(place) is not in S3, and only there objects can be locked; a disk that is not always there protects as well"
    }

    static func twoLocks(_ days: Int, _ other: Int) -> String {
        "--object-lock says \(days) days, and the address says \(other): give one of them"
    }

    static func notLocked(_ problem: String) -> String {
        "the locks of the vault's objects cannot be extended, and end some time: \(problem)"
    }

    static func locked(_ summary: LockUpkeep.Summary) -> String {
        let left = summary.left == 0 ? "" : "; \(Style.count(summary.left, "object")) are left for the next runs"
        return "locked \(Style.count(summary.extended, "object")) of the vault until \(summary.until.shown)\(left)"
    }

    // MARK: Trying a service out

    static let trying = "trying out what this service does …"

    static func step(_ step: StoreProbe.Step) -> String {
        switch step {
        case .list: "lists objects"
        case .write: "stores an object"
        case .keep: "refuses a second object of the same name"
        case .read: "gives it back"
        case .range: "gives back a part of it"
        case .listNew: "lists what was just stored"
        case .clock: "has the same time as this device"
        case .lock: "locks an object"
        case .delete: "deletes an object"
        }
    }

    /// What came of a step, in a word or a sentence.
    static func outcome(_ outcome: StoreProbe.Outcome, _ place: VaultLocation) -> String {
        switch outcome {
        case .works: "yes"
        case .failed(let error): "no: \(CueError.describing(error, vault: place.description).problem)"
        case .wrong: "no"
        case .clockOff(let seconds):
            "no: this device is \(Style.seconds(Double(abs(seconds)))) \(seconds > 0 ? "ahead" : "behind")"
        case .notTried: "not tried"
        }
    }

    /// What it means that something does not work which a vault can do without.
    static func meaning(_ step: StoreProbe.Step) -> String? {
        switch step {
        case .keep:
            "the service replaces objects of one name. cue gives every object a name of its own, so nothing is replaced by accident; but whoever has this key can replace what is stored"
        case .clock: "set the clock by the network: the times in the history are those of this device"
        case .delete:
            "nothing can be deleted, which protects the backups; `cue key remove` cannot take key slots away then"
        case .list, .write, .read, .range, .listNew, .lock: nil
        }
    }

    /// The error for a place that does not do what a vault needs.
    static func notEnough(_ step: StoreProbe.Step, _ outcome: StoreProbe.Outcome, _ place: VaultLocation) -> CueError {
        if case .failed(let error) = outcome { return CueError.describing(error, vault: place.description) }
        return CueError(
            .failed, "a vault cannot be at \(place): what is there does not do this: \(self.step(step))",
            "`cue doctor --vault WHERE` shows all that was tried")
    }

    static let enough = "Everything works that a vault needs."
}
