import CueEngine
import CueEntitlements
import CueLibrary
import CueSystem

/// The table of commands that need a feature of a plan. It is asked where a command begins and nowhere deeper
/// (docs/entitlements.md §5).
enum Gate {
    /// Features by command, for a vault that a service keeps. A command that is not listed is never gated. Commands
    /// that bring documents back or check them never will be.
    static let needs: [String: Feature] = [
        "init": .cloudStorage, "backup": .cloudStorage, "sync": .cloudStorage, "watch": .cloudStorage,
    ]

    /// Throws `CueError` if a command may not begin on a vault that a service keeps. This version has no such vault, so
    /// only tests call it.
    static func enter(_ command: String, of entitlements: any EntitlementsProviding) throws {
        if let feature = needs[command] { try Session.require(feature, of: entitlements) }
    }
}

extension Session {
    /// The features of this device's plan. An unreadable plan gives none and takes none away; a plan is read at most
    /// once a minute.
    static func entitlements(in state: StateFolder) -> any EntitlementsProviding {
        let plan = CachedEntitlements(for: .seconds(60), clock: { Environment.now }) {
            let report = try? PlanFolder(in: state).look(at: Environment.now)
            return report?.entitlements ?? SnapshotEntitlements(nil, .local)
        }
        return CompositeEntitlements([LocalEntitlements(), plan])
    }

    /// Lets the next commit of the library around the current folder bring a plan to its vault. A plan needs no library:
    /// one that is not there, or cannot be used, is no error.
    static func bringPlan(_ file: [UInt8]) {
        guard let library = try? openLibrary(nil, .standard()) else { return }
        try? library.store.write { try $0.set(.planWaiting, to: String(decoding: file, as: UTF8.self)) }
    }

    /// Throws `CueError` if the plan lacks the feature; the message says what works without it.
    static func require(_ feature: Feature, of entitlements: any EntitlementsProviding) throws {
        guard !entitlements.has(feature) else { return }
        let plan = entitlements.plan == .local ? "no plan" : "the plan \(entitlements.plan)"
        throw CueError(
            .failed, "this needs a plan with \(feature), and this device has \(plan); nothing was changed",
            "everything on this device works without it: backup and sync with a vault in a folder; restore, check, ls, log and cat with every vault",
            "`cue plan` says how the plan stands, and `cue plan import FILE` brings another")
    }
}
