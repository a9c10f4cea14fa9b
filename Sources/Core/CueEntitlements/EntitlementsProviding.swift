package import CueBase
import Synchronization

/// The one place at which a command asks for the features of a plan (docs/entitlements.md §5).
package protocol EntitlementsProviding: Sendable {
    /// The plan in force, for display.
    var plan: Plan { get }
    /// True if the feature may be used now.
    func has(_ feature: Feature) -> Bool
}

/// A library without an account: everything that works on the device is allowed, and no command asks for it.
package struct LocalEntitlements: EntitlementsProviding {
    /// Has no state.
    package init() {}

    /// Always `.local`.
    package var plan: Plan { .local }

    /// True for the features in `names`.
    package func has(_ feature: Feature) -> Bool { Self.names.contains(feature.name) }

    /// The features that need no plan. No feature of a service is among them.
    package static let names: Set<String> = [
        "backup", "check", "conflicts", "history", "reminders", "restore", "sync", "watch",
    ]
}

/// The features of one snapshot at one moment.
package struct SnapshotEntitlements: EntitlementsProviding {
    /// The plan of the snapshot; `.free` if it is not active, `.local` without one.
    package let plan: Plan
    private let features: Set<Feature>

    /// Takes a snapshot and the result of its judgement; nil if there is none.
    package init(_ snapshot: EntitlementsSnapshot?, _ state: EntitlementsState) {
        if let snapshot, state.isActive {
            (plan, features) = (snapshot.plan, Set(snapshot.features))
        } else {
            (plan, features) = (state == .local ? .local : .free, [])
        }
    }

    /// True for the features of an active snapshot.
    package func has(_ feature: Feature) -> Bool { features.contains(feature) }
}

/// The answer of another provider, made when it is first needed, and again when it is older than `age`.
///
/// So one command reads a snapshot once for all its questions, and a watcher that runs for weeks still notices its end.
package final class CachedEntitlements: EntitlementsProviding {
    private let age: Duration
    private let clock: @Sendable () -> Timestamp
    private let make: @Sendable () -> any EntitlementsProviding
    private let kept = Mutex<(provider: any EntitlementsProviding, at: Timestamp)?>(nil)

    /// `make` may run on any thread, under a lock.
    package init(
        for age: Duration, clock: @escaping @Sendable () -> Timestamp,
        _ make: @escaping @Sendable () -> any EntitlementsProviding
    ) { (self.age, self.clock, self.make) = (age, clock, make) }

    private var current: any EntitlementsProviding {
        let now = clock()
        return kept.withLock { kept in
            // A new answer is made also after the clock went back.
            if let kept, kept.at <= now, now < kept.at + age { return kept.provider }
            let provider = make()
            kept = (provider, now)
            return provider
        }
    }

    /// The plan of the current answer.
    package var plan: Plan { current.plan }

    /// Asks the current answer.
    package func has(_ feature: Feature) -> Bool { current.has(feature) }
}

/// Several providers together.
package struct CompositeEntitlements: EntitlementsProviding {
    private let providers: [any EntitlementsProviding]

    /// Earlier ones come first for `plan`.
    package init(_ providers: [any EntitlementsProviding]) { self.providers = providers }

    /// The first plan that is not `.local`; else `.local`.
    package var plan: Plan { providers.lazy.map(\.plan).first { $0 != .local } ?? .local }

    /// True if one of them has the feature.
    package func has(_ feature: Feature) -> Bool { providers.contains { $0.has(feature) } }
}
