package import CueBase

/// The result of bringing a place of the vault up to date.
package struct PlaceReport: Sendable {
    /// How it ended.
    package enum Outcome: Sendable, Equatable {
        /// The place has everything that this device knows of the vault.
        case complete
        /// It cannot be reached now, and is caught up later.
        case away(FailureCause)
        /// It refuses, or is no place of this vault. A person has to mend that.
        case failed(FailureCause)
    }

    /// The place.
    package let place: VaultLocation
    /// How it ended.
    package internal(set) var outcome = Outcome.complete
    /// The objects that were brought there, and their bytes.
    package internal(set) var brought = (objects: 0, bytes: 0)
    /// The objects that other devices had stored there, and that were brought from there.
    package internal(set) var fetched = 0
    /// The extension of the locks of the objects there; nil if nothing was due.
    package internal(set) var locks: LockUpkeep.Summary?
    /// Why those locks cannot be extended, until a person changes something.
    package internal(set) var lockProblem: FailureCause?
    /// The objects there that do not open: commits, packs, batches of events and epochs. They stay where they are.
    package internal(set) var unreadable = 0

    /// When the place had everything before this run; nil if it never had, or if that was not looked up.
    package internal(set) var complete: Timestamp?

    /// A report of a place to which nothing was brought yet.
    init(_ place: VaultLocation, _ outcome: Outcome = .complete) { (self.place, self.outcome) = (place, outcome) }

    /// Adds a later part of the same run.
    package mutating func merge(_ later: PlaceReport) {
        // A place that could not be read is reported, even if everything could be brought there.
        if outcome == .complete { outcome = later.outcome }
        brought = (brought.objects + later.brought.objects, brought.bytes + later.brought.bytes)
        fetched += later.fetched
        unreadable = max(unreadable, later.unreadable)
        (locks, lockProblem) = (later.locks ?? locks, later.lockProblem ?? lockProblem)
        complete = complete ?? later.complete
    }
}

extension [PlaceReport] {
    /// The places that cannot be reached or refuse.
    package var behind: Set<VaultLocation> { Set(filter { $0.outcome != .complete }.map(\.place)) }

    /// Adds the reports of a later part of the same run.
    package mutating func merge(_ later: [PlaceReport]) {
        for report in later {
            if let known = firstIndex(where: { $0.place == report.place }) {
                self[known].merge(report)
            } else {
                append(report)
            }
        }
    }
}

/// A further place of the vault, as this device remembers it.
package struct PlaceState: Sendable {
    /// The place.
    package let place: VaultLocation
    /// When it last had everything that this device then knew; nil if it never did.
    package let complete: Timestamp?
    /// Whether it lacks something that this device stored or saw since.
    package let needsSync: Bool
    /// When this device last tried to reach it; nil before the first time.
    package let tried: Timestamp?
    /// Why that failed; nil if it did not.
    package let trouble: FailureCause?
    /// False for a place that only the library's file names: it was not added on this device.
    package let isUsed: Bool
}
