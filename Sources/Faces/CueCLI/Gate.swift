import CueEntitlements
import CueLibrary
import CueSystem

/// What commands need of a plan: the one table, asked where a command begins and nowhere deeper (docs/entitlements.md §5).
enum Gate {
    /// For a vault that a service keeps. A command that is not here is never gated; those that bring documents back, or look
    /// whether they are whole, never will be.
    static let needs: [String: Feature] = [
        "init": .cloudStorage, "backup": .cloudStorage, "sync": .cloudStorage, "watch": .cloudStorage,
    ]

    /// Lets a command begin on a vault that a service keeps. This version knows no such vault, so that only tests come here.
    static func enter(_ command: String, of entitlements: any EntitlementsProviding) throws {
        if let feature = needs[command] { try Session.require(feature, of: entitlements) }
    }
}

extension Session {
    /// What this device may use. A plan that cannot be read gives nothing, and takes nothing away.
    static func entitlements(in state: StateFolder) -> any EntitlementsProviding {
        let plan = CachedEntitlements(for: .seconds(60), clock: { Environment.now }) {
            let report = try? PlanFolder(in: state).look(at: Environment.now)
            return report?.entitlements ?? SnapshotEntitlements(nil, .local)
        }
        return CompositeEntitlements([LocalEntitlements(), plan])
    }

    /// Goes on if the plan has the feature; else says what is missing and what still works.
    static func require(_ feature: Feature, of entitlements: any EntitlementsProviding) throws {
        guard !entitlements.has(feature) else { return }
        let plan = entitlements.plan == .local ? "no plan" : "the plan \(entitlements.plan)"
        throw CueError(
            .failed, "this needs a plan with \(feature), and this device has \(plan); nothing was changed",
            "everything on this device works without it: backup and sync with a vault in a folder; restore, check, ls, log and cat with every vault",
            "`cue plan` says how the plan stands, and `cue plan import FILE` brings another")
    }
}
