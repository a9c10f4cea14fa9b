import CueBase
import CueCrypto
import CueLibrary
import CueSodium
import CueStorage
import CueSystem
import CueVault

/// Brings two places of one vault together. Objects are written once under random names, so each place gets what the
/// other has; what became old at one (key slots that were removed) goes at the other too.
struct PlaceExchange {
    /// The vault at the place that this run works with.
    private let vault: Vault
    /// The same vault at the other place.
    private let other: Vault
    private let place: VaultLocation
    private let reporter: any Reporter
    private let cancellation: Cancellation
    private(set) var report: PlaceReport

    init(_ context: EngineContext, with other: Vault, at place: VaultLocation) {
        (vault, self.other, self.place) = (context.vault, other, place)
        (reporter, cancellation) = (context.reporter, context.cancellation)
        report = PlaceReport(place)
    }

    // MARK: From there

    /// Brings what other devices stored at the other place. What does not open stays there, and is counted: a place that
    /// is hostile or damaged must not do harm to this one. Throws `StorageError` and `Interrupted`.
    mutating func fetch() throws {
        let copy = copy(from: other, to: vault)
        let epochs = try fetchEpochs(copy)
        try fetchSlots(epochs, copy)
        try fetchCommits(copy)
        try fetchEvents(copy)
    }

    private mutating func fetch(_ entry: ObjectEntry, _ copy: VaultCopy) throws {
        try cancellation.throwIfRequested()
        try copy.copy(entry)
        report.fetched += 1
    }

    private mutating func fetchEpochs(_ copy: VaultCopy) throws -> Epochs {
        let epochs = try other.readEpochs()
        let here = Set(try vault.objects.list("epochs").map(\.name))
        // An epoch that this device was left out of is news all the same.
        let junk = Set(epochs.troubles.filter { $0.flaw != .notForThisSlot }.map(\.name))
        for entry in try other.objects.list("epochs")
        where !here.contains(entry.name) && !junk.contains(entry.name.text) {
            try fetch(entry, copy)
        }
        return epochs
    }

    private mutating func fetchSlots(_ epochs: Epochs, _ copy: VaultCopy) throws {
        let here = Set(try vault.objects.list("keys").map(\.name.text))
        let removed = Set(try vault.readEpochs().removed.map(\.objectName))
        for slot in epochs.slots where !here.contains(slot.id.objectName) && !removed.contains(slot.id.objectName) {
            guard let name = ObjectName(listed: slot.id.objectName),
                let bytes = try? other.objects.get(name, upTo: KeySlot.sizes.upperBound),
                BLAKE2b.hash(bytes) == slot.digest
            else { continue }
            try fetch(ObjectEntry(name: name, size: bytes.count), copy)
        }
    }

    /// A commit comes after the packs that it names: it never stands at a place without them.
    private mutating func fetchCommits(_ copy: VaultCopy) throws {
        let here = Set(try vault.log.all().map(\.position))
        let new = try other.log.all().filter { $0.run == nil && !here.contains($0.position) }
        guard !new.isEmpty else { return }
        let packs = Set(try vault.objects.list("packs").map(\.name))
        for entry in new {
            let commit: RecordObject
            do { commit = try other.ownCommit(entry) } catch is VaultError {
                report.unreadable += 1
                continue
            }
            for pack in commit.packs where pack.commit == nil && !packs.contains(pack.name) {
                try fetch(ObjectEntry(name: pack.name, size: pack.size), copy)
            }
            try fetch(ObjectEntry(name: ObjectRecordLog.name(of: entry.position), size: entry.size), copy)
        }
    }

    private mutating func fetchEvents(_ copy: VaultCopy) throws {
        let here = Set(try vault.eventLog.all().map(\.position))
        for entry in try other.eventLog.all() where !here.contains(entry.position) {
            do { _ = try other.readEvents(entry) { _ in } } catch is VaultError {
                report.unreadable += 1
                continue
            }
            try fetch(ObjectEntry(name: ObjectRecordLog.name(of: entry.position, .events), size: entry.size), copy)
        }
    }

    // MARK: To there

    /// What the other place lacks. Throws as `VaultCopy.plan`.
    func plan() throws -> VaultCopy.Plan {
        // Slots that no epoch lists are nobody's, and old ones must not come back.
        let slots = Set(try vault.readEpochs().slots.map(\.id.objectName))
        return try copy(from: vault, to: other).plan(targetName: place.description) { name in
            name.components.first != "keys" || slots.contains(name.text)
        }
    }

    /// Brings all of a plan there. Throws as `VaultCopy.run`.
    mutating func bring(_ plan: VaultCopy.Plan) throws {
        note(try copy(from: vault, to: other).carryOut(plan))
        try removeSlots()
    }

    /// Brings a few objects of a plan there. Throws as `VaultCopy.run`.
    mutating func step(_ plan: inout VaultCopy.Plan) throws {
        try copy(from: vault, to: other).step(&plan)
        guard plan.count == 0 else { return }
        note(plan.summary)
        try removeSlots()
    }

    /// Extends the locks of the objects there as far as that is due. They last for months, so no error is one of the place,
    /// and the next run tries again.
    mutating func keepLocks(_ library: OpenLibrary) {
        do { report.locks = try LockUpkeep.run(EngineContext(library, other), at: place) } catch is Interrupted {} catch
        {
            let cause = FailureCause(error)
            if !cause.heals, error as? StorageError != .stopped { report.lockProblem = cause }
        }
    }

    private mutating func note(_ summary: VaultCopy.Summary) {
        report.brought = (report.brought.objects + summary.copied, report.brought.bytes + summary.bytes)
    }

    /// Removes slots there that the vault's newest epochs say were removed. A place that forbids deleting keeps them.
    private func removeSlots() throws {
        let removed = Set(try vault.readEpochs().removed.map(\.objectName))
        guard !removed.isEmpty else { return }
        do {
            for entry in try other.objects.list("keys") where removed.contains(entry.name.text) {
                _ = try other.objects.deleteIfAllowed(entry.name)
            }
        } catch { throw VaultCopy.OfTarget(cause: error) }
    }

    private func copy(from source: Vault, to target: Vault) -> VaultCopy {
        VaultCopy(from: source.objects, to: target.objects, reporter: reporter, cancellation: cancellation)
    }
}

extension SlotID {
    /// The name of the slot's object in the vault.
    fileprivate var objectName: String { String(decoding: name, as: UTF8.self) }
}
