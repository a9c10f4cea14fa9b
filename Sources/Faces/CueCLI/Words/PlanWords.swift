import CueBase
import CueEngine
import CueEntitlements
import CueSystem
import CueTerminal
import Foundation

/// Sentences about plans, and the parsing of times that people type for them.
enum PlanWords {
    /// The error for a refused file. `subject` names the file; `facts` are those of the device that refuses it.
    static func error(_ refusal: SnapshotRefusal, _ subject: String, _ facts: DeviceFacts? = nil) -> CueError {
        let reason = reason(refusal)
        let hint =
            switch refusal {
            case .malformed:
                "such files are one line, as their maker wrote it; was it cut, or edited on the way?"
            case .otherKind:
                "`cue plan keygen` makes two files: a secret one, for `issue`, and one that ends in .pub, for `trust`"
            case .newerFormat: "upgrade cue, then run the command again"
            case .unknownKey:
                "if you know whose it is: `cue plan trust FILE` with the public key, then run the command again"
            case .wrongSignature: "ask whoever issued it for it once more"
            case .otherDevice:
                facts.map { "this device is \($0.device): ask for a plan that is issued for it" }
                    ?? "`cue plan` shows the id of this one"
            case .otherAccount: "if this device shall change to that account: `cue plan forget`, then import it"
            case .older: "import the newest that you have"
            case .fromTheFuture: "is the clock of this device right?"
            case .over: facts.flatMap { clockHint($0) } ?? "ask whoever issued it for a fresh one"
            }
        return CueError(.failed, "\(subject) \(reason); nothing was changed", hint)
    }

    /// A hint if the clock is far behind a time that this device has seen; else nil.
    static func clockHint(_ facts: DeviceFacts) -> String? {
        guard facts.time > facts.now + EntitlementsState.skew else { return nil }
        return
            "the clock says \(facts.now.shown), and this device has seen \(facts.time.shown): for a plan the later one counts. "
            + "If that was never right: `cue plan forget --device`, and ask for a plan for the new device"
    }

    /// The reason of a refusal; completes a sentence that begins with the file.
    static func reason(_ refusal: SnapshotRefusal) -> String {
        switch refusal {
        case .malformed(let flaw): "is not taken: \(flaw.words)"
        case .otherKind(let kind): "is no \(kind)"
        case .newerFormat(let format):
            "has another format (\(format)) than this cue reads (\(EntitlementsSnapshot.format))"
        case .unknownKey(let key): "is signed with the key \(key), which this device does not trust"
        case .wrongSignature: "has a wrong signature: it was changed after it was signed"
        case .otherDevice(let other): "is for another device (\(other))"
        case .otherAccount(let account): "is for another account (\(shown(account))) than this device has"
        case .older(let last): "is older than one that this device accepted before, which was issued at \(last.shown)"
        case .fromTheFuture(let time): "was issued at \(time.shown), more than 5 minutes from now"
        case .over(let since): "has been over since \(since.shown)"
        }
    }

    /// The state of the plan, in one line.
    static func line(_ report: PlanReport) -> String {
        let name = report.signed.map { "Plan \($0.snapshot.plan) for \(shown($0.snapshot.account))" } ?? ""
        let left = { (end: Timestamp) in span(from: report.facts.time, to: end) }
        switch report.state {
        case .local: return "No plan, and none is needed: everything on this device works."
        case .valid(let end): return "\(name): valid for \(left(end)), until \(end.shown)."
        case .stale(let end):
            return "\(name): a fresh one is due. Everything still works for \(left(end)), until \(end.shown)."
        case .over(let since):
            return "\(name): over since \(since.shown). Nothing is lost: everything on this device works as before."
        case .refused(let refusal):
            return "Plan free: the stored plan \(reason(refusal)). Everything on this device works as before."
        }
    }

    /// The name of an account, with everything escaped that a terminal would obey.
    static func shown(_ account: String) -> String { Display.text(Array(account.utf8)) }

    /// A rounded duration: `6 days`, `23 hours`, `12 minutes`. The exact time is shown beside it.
    static func span(from start: Timestamp, to end: Timestamp) -> String {
        let minutes = Int(max(0, end.milliseconds - start.milliseconds) / 60_000)
        if minutes >= 2 * 24 * 60 { return Style.count((minutes + 12 * 60) / (24 * 60), "day") }
        if minutes >= 2 * 60 { return Style.count((minutes + 30) / 60, "hour") }
        return minutes == 0 ? "less than a minute" : Style.count(minutes, "minute")
    }

    /// Seconds from `7d`, `12h` or `30m`: a minute to 366 days. Throws `CueError`.
    static func ttl(_ text: String) throws -> Int64 {
        let range = 60...Double(EntitlementsSnapshot.ttls.upperBound)
        guard let seconds = WrittenDuration(text)?.seconds, range.contains(seconds) else {
            throw CueError(
                .usage, "\(text) is no time to live",
                "such times look like 7d, 12h or 30m, \(DurationWords.range(range))")
        }
        return Int64(seconds)
    }

    /// A time, of which a day means its end. Throws `CueError`.
    static func time(_ text: String, now: Timestamp, toward direction: WrittenTime.Direction) throws -> Timestamp {
        guard let time = WrittenTime(text, now: now, toward: direction, in: .current)?.end, time.inYears == time else {
            throw CueError(
                .usage, "\(text) is no time", "times look like 2027-12-31, \"31 Dec 18:00\" or \"in 30 days\"")
        }
        return Timestamp(milliseconds: time.milliseconds / 1000 * 1000)
    }
}
