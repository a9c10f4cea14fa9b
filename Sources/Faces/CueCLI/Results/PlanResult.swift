import CueBase
import CueEngine
import CueEntitlements
import CueLibrary
import CueTerminal
import Foundation

/// The result of `cue plan has` in JSON (docs/json.md).
struct PlanHasResult: Encodable {
    let feature, plan: String
}

/// The result of `cue plan trust` in JSON.
struct PlanKeysResult: Encodable {
    let trustedKeys: [String]
}

/// The result of `cue plan forget` in JSON.
struct PlanForgetResult: Encodable {
    let device: String
}

/// The state of the plan, in lines and in JSON.
struct PlanResult: Encodable {
    let state, plan, device: String
    let reason, account, key: String?
    let features, trustedKeys: [String]
    let issued, refreshBy, freeFrom, expires, imported, latestSeen: Date?
    let ttlSeconds: Int64?
    private let report: PlanReport

    private enum CodingKeys: CodingKey {
        case state, plan, device, reason, account, key, features, trustedKeys, issued, refreshBy, freeFrom, expires
        case imported, latestSeen, ttlSeconds
    }

    init(_ report: PlanReport, _ memory: PlanMemory) {
        self.report = report
        let snapshot = report.signed?.snapshot
        let reason: String?
        switch report.state {
        case .local: (state, reason) = ("local", nil)
        case .valid: (state, reason) = ("valid", nil)
        case .stale: (state, reason) = ("stale", nil)
        case .over: (state, reason) = ("free", "over")
        case .refused(let refusal): (state, reason) = ("free", PlanWords.reason(refusal))
        }
        self.reason = reason
        plan = report.entitlements.plan.name
        (device, account) = (memory.device.description, snapshot?.account ?? memory.account)
        features = report.state.isActive ? snapshot?.features.map(\.name) ?? [] : []
        (key, trustedKeys) = (report.signed?.key.description, memory.keys.map(\.id.description))
        (issued, refreshBy) = (snapshot?.issuedAt.date, snapshot?.end.date)
        (freeFrom, expires) = (snapshot?.graceEnd.date, snapshot?.expiresAt.date)
        (imported, ttlSeconds) = (memory.importedAt?.date, snapshot?.ttlSeconds)
        latestSeen = memory.highestTime?.date
    }

    func print(_ output: Output) throws {
        try output.object(self)
        output.line(PlanWords.line(report))
        if case .stale = report.state {
            output.line("Ask whoever issued it for a fresh one; `cue plan import FILE` takes it.")
        }
        for (name, value) in rows { output.line("  \(Style.left(name, 11))\(value)") }
        if report.signed != nil, let hint = PlanWords.clockHint(report.facts) { output.warning(hint) }
    }

    /// The details in two columns.
    private var rows: [(String, String)] {
        var rows: [(String, String)] = []
        if let snapshot = report.signed?.snapshot {
            let age = PlanWords.span(from: snapshot.issuedAt, to: report.facts.time)
            if !features.isEmpty { rows.append(("features", features.joined(separator: ", "))) }
            rows.append(("issued", "\(snapshot.issuedAt.shown)  (\(age) ago), key \(key ?? "")"))
            rows.append(("refresh by", snapshot.end.shown))
            rows.append(("free from", "\(snapshot.graceEnd.shown)  (7 days of grace)"))
            rows.append(("expires", snapshot.expiresAt.shown))
        }
        rows.append(("device", device))
        if !trustedKeys.isEmpty { rows.append(("trusts", trustedKeys.joined(separator: ", "))) }
        return rows
    }
}
