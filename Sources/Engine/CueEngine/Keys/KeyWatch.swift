import CueBase
import CueCrypto
import CueLibrary
import CueSodium
import CueStorage
import CueSystem
import CueVault

/// Compares the vault's key slots with those that its newest epochs list, and learns new epochs. Without it a damaged
/// slot would show only when it is needed, and then as a wrong passphrase.
package struct KeyWatch {
    /// The result of one look.
    package struct Report: Sendable {
        /// Mended problems are included.
        package var troubles: [KeyTrouble] = []
        /// Slots that no epoch of this vault lists: nothing is ever sealed to them.
        package var unproven: [String] = []
        /// Whether every problem is mended.
        package var isWhole: Bool { troubles.allSatisfy(\.isMended) }

        /// A report with these problems and no unproven slots.
        package init(troubles: [KeyTrouble] = []) { self.troubles = troubles }

        /// Adds a later look. It knows better what became of a slot that both name.
        mutating func merge(_ next: Report) {
            let later = Set(next.troubles.map(\.slot))
            troubles = troubles.filter { !later.contains($0.slot) } + next.troubles
            unproven = next.unproven
        }
    }

    private let library: OpenLibrary
    private let vault: Vault
    /// Slots are noted as seen at this time.
    private let now: Timestamp

    /// For the slots as they are from now on.
    package init(_ context: EngineContext) {
        (library, vault, now) = (context.library, context.vault, context.clock.now)
    }

    /// Compares, and notes new slots if the local store can be written. Never changes the vault. Throws if the vault
    /// cannot be reached.
    @discardableResult
    package func look() throws -> Report {
        let (comparison, report) = try compare()
        try? note(comparison, report)
        return report
    }

    /// Compares, and repairs what this device can: writes known slots again and removes those that it removed before.
    package func tend() throws -> Report {
        var (comparison, report) = try compare()
        for slot in comparison.rewritable where (try? put(slot)) != nil { report.mended(slot.name) }
        for name in comparison.removable {
            switch try? remove(name) {
            case true?: report.mended(name)
            case false?:
                // The slot opens nothing that is written from now on, and the place keeps its file for good.
                report.troubles.removeAll { $0.slot == name }
                comparison.keep(name)
            case nil: break
            }
        }
        try note(comparison, report)
        return report
    }

    /// Lists epochs and slots and compares them. If they cannot be listed, no slot is known, and nothing is noted.
    private func compare() throws -> (SlotComparison, Report) {
        let known = try library.store.read { try $0.knownSlots() }
        let keepsBytes = library.marker.rememberKey
        do {
            let epochs = try vault.readEpochs()
            let present = try SlotListing.all(in: vault.objects, vault: vault.id)
            let comparison = SlotComparison(present, known, of: epochs, keepsBytes: keepsBytes, now: now)
            return (comparison, comparison.report)
        } catch let error as StorageError {
            guard error.heals == .never else { throw error }
            // Nothing is known of slots that cannot be listed, so nothing is noted.
            return (SlotComparison(), Report(troubles: [KeyTrouble(slot: "keys/", what: .unlisted)]))
        }
    }

    /// Stores changes and the first unmended problem, and the keys that this device may remember.
    private func note(_ comparison: SlotComparison, _ report: Report) throws {
        if library.marker.rememberKey { try library.state.remember(vault.keyRing) }
        let problem = report.troubles.first { !$0.isMended }.map { VaultProblem.keySlot($0) }
        // Each backup comes here: write only what changed.
        let told = try library.store.read { try $0.problem(.keyProblem) }
        guard !comparison.changes.isEmpty || told != problem else { return }
        try library.store.write { transaction in
            try transaction.setKnownSlots(comparison.changes)
            try transaction.set(problem, as: .keyProblem)
        }
    }

    /// Writes a known slot again. Its seal binds the name, so under the same name the same bytes are the same slot on
    /// every device.
    private func put(_ slot: KnownSlot) throws {
        guard let bytes = slot.bytes, let name = ObjectName(listed: slot.name) else { return }
        let writer = try vault.objects.makeWriter(for: name)
        do {
            // The new one is written completely before the damaged one goes.
            try writer.write(bytes.span)
            try vault.objects.delete(name)
            try writer.finish()
        } catch {
            writer.cancel()
            throw error
        }
    }

    /// False if the place of the vault forbids it.
    private func remove(_ slot: String) throws -> Bool {
        try ObjectName(listed: slot).map { try vault.objects.deleteIfAllowed($0) } ?? true
    }
}

extension KeyWatch.Report {
    fileprivate mutating func mended(_ slot: String) {
        for number in troubles.indices where troubles[number].slot == slot { troubles[number].isMended = true }
    }
}

/// Compares the slots in the vault with those that its newest epochs list (docs/threat-model.md §2). A value: it reads
/// and writes nothing.
struct SlotComparison {
    /// In milliseconds.
    private static let day: Int64 = 86_400_000

    /// The problems that were found, none of them mended.
    private(set) var report = KeyWatch.Report()
    /// Slots whose memory in the local store is to change.
    private(set) var changes: [KnownSlot] = []
    /// Slots with a problem that can be written again from their known bytes.
    private(set) var rewritable: [KnownSlot] = []
    /// Names of slots that this device had removed, and that exist again.
    private(set) var removable: [String] = []

    private let keepsBytes: Bool
    private let now: Timestamp

    /// Nothing was compared.
    init() { (keepsBytes, now) = (false, Timestamp(milliseconds: 0)) }

    /// `known`: what this device noted of slots before. `keepsBytes`: whether this device may remember the key.
    init(_ present: [SlotListing], _ known: [KnownSlot], of epochs: Epochs, keepsBytes: Bool, now: Timestamp) {
        (self.keepsBytes, self.now) = (keepsBytes, now)
        for trouble in epochs.troubles { self.trouble(trouble.name, .epoch(trouble.flaw)) }
        if !epochs.missing.isEmpty { trouble("epochs/", .epochsMissing(epochs.missing.count)) }
        let known = Dictionary(known.map { ($0.name, $0) }, uniquingKeysWith: { one, _ in one })
        let there = Dictionary(present.map { ($0.name.text, $0) }, uniquingKeysWith: { one, _ in one })
        // Without an epoch nothing says what the slots of the vault are.
        guard !epochs.newest.isEmpty else {
            unlisted(present)
            return
        }
        let listed = Dictionary(
            epochs.slots.map { (String(decoding: $0.id.name, as: UTF8.self), $0) }, uniquingKeysWith: { one, _ in one })
        for (name, slot) in listed.sorted(by: { $0.key < $1.key }) { compare(there[name], name, slot, known[name]) }
        let removed = Set(epochs.removed.map { String(decoding: $0.name, as: UTF8.self) })
        unlisted(present.filter { listed[$0.name.text] == nil && !removed.contains($0.name.text) })
        for name in removed.union(known.keys).sorted() where listed[name] == nil {
            remove(name, there[name], known[name], isProven: removed.contains(name))
        }
    }

    /// Reports every difference from the list at once, for a device without earlier notes.
    init(listed slots: [SlotListing], of epochs: Epochs) {
        let past = Timestamp(milliseconds: 0)
        let known = epochs.slots.map { slot in
            KnownSlot(
                name: String(decoding: slot.id.name, as: UTF8.self), kind: slot.kind, standing: .whole, length: 0,
                mark: slot.digest, bytes: nil, noted: past)
        }
        self.init(slots, known, of: epochs, keepsBytes: false, now: past)
    }

    /// Slots that no epoch lists: they are not this vault's.
    private mutating func unlisted(_ slots: [SlotListing]) {
        for listing in slots {
            switch listing.slot {
            case .failure(let error): trouble(listing.name.text, .unusable(error))
            case .success: report.unproven.append(listing.name.text)
            }
        }
    }

    /// Compares a slot with what the newest epochs say of it.
    private mutating func compare(_ listing: SlotListing?, _ name: String, _ slot: ListedSlot, _ known: KnownSlot?) {
        var noted =
            known
            ?? KnownSlot(name: name, kind: slot.kind, standing: .trusted, length: 0, mark: [], bytes: nil, noted: now)
        if noted.isGone { noted.standing = .trusted }
        noted.mark = slot.digest
        let before = known?.bytes
        noted.bytes = keepsBytes && before.map { BLAKE2b.hash($0) == slot.digest } ?? false ? before : nil
        if let listing, !listing.bytes.isEmpty, BLAKE2b.hash(listing.bytes) == slot.digest {
            (noted.standing, noted.length, noted.missing) = (.whole, listing.bytes.count, nil)
            noted.bytes = keepsBytes ? listing.bytes : nil
        } else if let listing {
            noted.missing = nil
            // A sync service may bring the epoch before the whole slot.
            if noted.standing == .whole || isLong(since: noted.noted) {
                trouble(listing.name.text, .changed)
                if noted.bytes != nil { rewritable.append(noted) }
            }
        } else {
            let since = noted.missing ?? now
            noted.missing = since
            if noted.standing == .whole || isLong(since: since) { trouble(name, .missing) }
            // Another device may have removed it, and a sync service brings the deletion before the epoch.
            if isLong(since: since), noted.bytes != nil { rewritable.append(noted) }
        }
        if noted != known { changes.append(noted) }
    }

    /// Takes a slot that the newest epochs removed, or that is known and listed by none.
    /// `isProven`: the epochs say that it was removed.
    private mutating func remove(
        _ name: String, _ listing: SlotListing?, _ known: KnownSlot?, isProven: Bool
    ) {
        guard known != nil || listing != nil else { return }
        var noted =
            known
            ?? KnownSlot(name: name, kind: 0, standing: .trusted, length: 0, mark: [], bytes: nil, noted: now)
        if !noted.isGone { (noted.standing, noted.bytes, noted.missing) = (.replaced, nil, now) }
        if listing == nil {
            noted.missing = nil
        } else if noted.missing.map({ isLong(since: $0) }) ?? true {
            // A sync service may bring the epoch before the deletion; a day later, or after it was away, it came back.
            noted.missing = nil
            trouble(name, .returned)
            if noted.standing == .removed || isProven { removable.append(name) }
        }
        if noted != known || removable.last == name { changes.append(noted) }
    }

    /// Notes of a slot that it stays, as the place of the vault forbids deleting: it is no trouble any more.
    mutating func keep(_ name: String) {
        for index in changes.indices where changes[index].name == name { changes[index].missing = KnownSlot.never }
    }

    private func isLong(since: Timestamp) -> Bool {
        now.milliseconds.subtractingReportingOverflow(since.milliseconds).partialValue >= Self.day
    }

    private mutating func trouble(_ slot: String, _ what: KeyTrouble.What) {
        report.troubles.append(KeyTrouble(slot: slot, what: what))
    }
}
