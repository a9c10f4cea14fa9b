package import CueBase
import Synchronization

/// The one seam between commands and plans.
package protocol EntitlementsProviding: Sendable {
    var plan: Plan { get }
    func has(_ feature: Feature) -> Bool
}

/// A library without an account: what works on the device is allowed, and that is never asked for.
package struct LocalEntitlements: EntitlementsProviding {
    package init() {}

    package var plan: Plan { .local }

    package func has(_ feature: Feature) -> Bool { Self.names.contains(feature.name) }

    /// What works without any plan, for whoever asks. No feature of a service is among them.
    package static let names: Set<String> = [
        "backup", "check", "conflicts", "history", "reminders", "restore", "sync", "watch",
    ]
}

/// What one snapshot gives at one moment.
package struct SnapshotEntitlements: EntitlementsProviding {
    package let plan: Plan
    private let features: Set<Feature>

    /// Takes the snapshot that was judged, and how it was judged.
    package init(_ snapshot: EntitlementsSnapshot?, _ state: EntitlementsState) {
        if let snapshot, state.isActive {
            (plan, features) = (snapshot.plan, Set(snapshot.features))
        } else {
            (plan, features) = (state == .local ? .local : .free, [])
        }
    }

    package func has(_ feature: Feature) -> Bool { features.contains(feature) }
}

/// The answer of another provider, made when it is first needed and again when it is older than `age`: a snapshot is read
/// once for all questions of a command, and a watcher that runs for weeks still notices its end.
package final class CachedEntitlements: EntitlementsProviding {
    private let age: Duration
    private let clock: @Sendable () -> Timestamp
    private let make: @Sendable () -> any EntitlementsProviding
    private let kept = Mutex<(provider: any EntitlementsProviding, at: Timestamp)?>(nil)

    package init(
        for age: Duration, clock: @escaping @Sendable () -> Timestamp,
        _ make: @escaping @Sendable () -> any EntitlementsProviding
    ) { (self.age, self.clock, self.make) = (age, clock, make) }

    private var current: any EntitlementsProviding {
        let now = clock()
        return kept.withLock { kept in
            // A clock that went back makes a new answer too.
            if let kept, kept.at <= now, now < kept.at + age { return kept.provider }
            let provider = make()
            kept = (provider, now)
            return provider
        }
    }

    package var plan: Plan { current.plan }

    package func has(_ feature: Feature) -> Bool { current.has(feature) }
}

/// Several together: a feature is there if one has it; the plan is that of the first with an account.
package struct CompositeEntitlements: EntitlementsProviding {
    private let providers: [any EntitlementsProviding]

    package init(_ providers: [any EntitlementsProviding]) { self.providers = providers }

    package var plan: Plan { providers.lazy.map(\.plan).first { $0 != .local } ?? .local }

    package func has(_ feature: Feature) -> Bool { providers.contains { $0.has(feature) } }
}
