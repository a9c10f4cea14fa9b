import CueBase
import CueCrypto
import CueLibrary
import CueStorage
import CueSystem
import CueVault

/// Compares the vault's key slots with those that this device knows. Without it a damaged slot would show only when it
/// is needed, and then as a wrong passphrase.
package struct KeyWatch {
    /// The result of one look.
    package struct Report: Sendable {
        /// Mended problems are included.
        package var troubles: [KeyTrouble] = []
        /// Slots that came later, and of which nothing proves that a holder of the vault key made them.
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

    /// Compares, and repairs what this device can: writes known slots again and removes those that it replaced.
    package func tend() throws -> Report {
        let (comparison, found) = try compare()
        var report = found
        for slot in comparison.rewritable where (try? put(slot)) != nil { report.mended(slot.name) }
        for name in comparison.removable where (try? remove(name)) != nil { report.mended(name) }
        try note(comparison, report)
        return report
    }

    /// Lists the slots and compares them. If they cannot be listed, no slot is known, and nothing is noted.
    private func compare() throws -> (SlotComparison, Report) {
        let known = try library.store.read { try $0.knownSlots() }
        let keepsBytes = library.marker.rememberKey
        do {
            let present = try SlotListing.all(in: vault.objects, vault: vault.id)
            let comparison = SlotComparison(
                present, known, key: vault.key, opened: vault.opened, keepsBytes: keepsBytes, now: now)
            return (comparison, comparison.report)
        } catch let error as StorageError {
            guard error.heals == .never else { throw error }
            // Nothing is known of slots that cannot be listed, so nothing is noted.
            let nothing = SlotComparison([], [], key: vault.key, opened: [:], keepsBytes: keepsBytes, now: now)
            return (nothing, Report(troubles: [KeyTrouble(slot: "keys/", what: .unlisted)]))
        }
    }

    /// Stores changes and the first unmended problem.
    private func note(_ comparison: SlotComparison, _ report: Report) throws {
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

    private func remove(_ slot: String) throws {
        if let name = ObjectName(listed: slot) { try vault.objects.delete(name) }
    }
}

extension KeyWatch.Report {
    fileprivate mutating func mended(_ slot: String) {
        for number in troubles.indices where troubles[number].slot == slot { troubles[number].isMended = true }
    }
}

/// Compares the slots in the vault with those that this device knew (docs/threat-model.md §2). A value: it reads and
/// writes nothing.
struct SlotComparison {
    /// In milliseconds.
    private static let day: Int64 = 86_400_000

    /// The problems that were found, none of them mended.
    private(set) var report = KeyWatch.Report()
    /// Slots whose memory in the local store is to change.
    private(set) var changes: [KnownSlot] = []
    /// Slots with a problem that can be written again from their known bytes.
    private(set) var rewritable: [KnownSlot] = []
    /// Names of slots that this device had replaced, and that exist again.
    private(set) var removable: [String] = []

    private let key: VaultKey
    private let opened: [ObjectName: [UInt8]]
    private let keepsBytes: Bool
    private let now: Timestamp

    /// `known`: in the order in which this device came to know them. `opened`: slots whose bytes are whole, as they
    /// opened the vault. `keepsBytes`: whether this device may remember the key.
    init(
        _ present: [SlotListing], _ known: [KnownSlot], key: VaultKey, opened: [ObjectName: [UInt8]], keepsBytes: Bool,
        now: Timestamp
    ) {
        (self.key, self.opened, self.keepsBytes, self.now) = (key, opened, keepsBytes, now)
        let names = Dictionary(known.map { ($0.name, $0) }, uniquingKeysWith: { one, _ in one })
        for listing in present {
            if let slot = names[listing.name.text] {
                compare(listing, with: slot)
            } else {
                meet(listing, isFirstLook: known.isEmpty)
            }
        }
        let there = Dictionary(present.map { ($0.name.text, $0) }, uniquingKeysWith: { one, _ in one })
        for (number, slot) in known.enumerated() where there[slot.name] == nil && !slot.isGone {
            let earlier = Set(known[...number].map(\.name))
            miss(slot, isReplaced: present.contains { !earlier.contains($0.name.text) && isSuccessor($0, of: slot) })
        }
    }

    /// Takes a slot that this device sees for the first time.
    private mutating func meet(_ listing: SlotListing, isFirstLook: Bool) {
        let name = listing.name.text
        switch listing.slot {
        case .failure(let error): trouble(name, .unusable(error))
        case .success(let slot):
            let isWhole = opened[listing.name] == listing.bytes
            let isTrusted = isFirstLook || slot.isMade(with: key)
            if !isWhole && !isTrusted { report.unproven.append(name) }
            changes.append(
                KnownSlot(
                    name: name, kind: slot.kind.rawValue,
                    standing: isWhole ? .whole : isTrusted ? .trusted : .unproven, length: listing.bytes.count,
                    mark: mark(listing.bytes, name), bytes: isWhole && keepsBytes ? listing.bytes : nil, noted: now))
        }
    }

    /// Compares a slot with what this device knows of it.
    private mutating func compare(_ listing: SlotListing, with known: KnownSlot) {
        var slot = known
        if slot.isGone {
            trouble(slot.name, .returned)
            if slot.standing == .removed { removable.append(slot.name) }
            return
        }
        if slot.standing == .unproven { report.unproven.append(slot.name) }
        slot.missing = nil
        if opened[listing.name] == listing.bytes {
            (slot.standing, slot.length) = (.whole, listing.bytes.count)
            (slot.mark, slot.bytes) = (mark(listing.bytes, slot.name), keepsBytes ? listing.bytes : nil)
        } else if isArrival(listing, of: slot) {
            (slot.length, slot.mark) = (listing.bytes.count, mark(listing.bytes, slot.name))
        } else if mark(listing.bytes, slot.name) != slot.mark {
            trouble(slot.name, .changed)
            if let known = proven(slot) { rewritable.append(known) }
        }
        if !keepsBytes { slot.bytes = nil }
        if slot != known { changes.append(slot) }
    }

    /// Whether only the beginning of the slot had arrived when this device first saw it, less than a day ago.
    private func isArrival(_ listing: SlotListing, of slot: KnownSlot) -> Bool {
        guard slot.standing != .whole, listing.bytes.count > slot.length, (try? listing.slot.get()) != nil,
            now.milliseconds.subtractingReportingOverflow(slot.noted.milliseconds).partialValue < Self.day
        else { return false }
        return mark(Array(listing.bytes.prefix(slot.length)), slot.name) == slot.mark
    }

    /// Takes a known slot that the vault does not have. It may be written again after a day without it.
    private mutating func miss(_ known: KnownSlot, isReplaced: Bool) {
        var slot = known
        if isReplaced {
            (slot.standing, slot.bytes, slot.missing) = (.replaced, nil, nil)
        } else {
            trouble(slot.name, .missing)
            let since = slot.missing ?? now
            slot.missing = since
            // Another device may have replaced it, and a sync service brings the deletion before the new slot.
            let isLong = now.milliseconds.subtractingReportingOverflow(since.milliseconds).partialValue >= Self.day
            if isLong, let known = proven(slot) { rewritable.append(known) }
        }
        if slot != known { changes.append(slot) }
    }

    /// Whether a slot that came later can have replaced another: it is of the same kind, and from a holder of the vault
    /// key.
    private func isSuccessor(_ listing: SlotListing, of slot: KnownSlot) -> Bool {
        guard let later = try? listing.slot.get() else { return false }
        return later.kind.rawValue == slot.kind && later.isMade(with: key)
    }

    /// The slot, if this device has its bytes and knows them to be whole; else nil.
    private func proven(_ slot: KnownSlot) -> KnownSlot? {
        guard slot.standing == .whole, let bytes = slot.bytes, mark(bytes, slot.name) == slot.mark else { return nil }
        return slot
    }

    /// The keyed hash by which this device recognizes a slot's bytes.
    private func mark(_ bytes: [UInt8], _ name: String) -> [UInt8] {
        KeySlot.mark(of: bytes, name: Array(name.utf8), key)
    }

    private mutating func trouble(_ slot: String, _ what: KeyTrouble.What) {
        report.troubles.append(KeyTrouble(slot: slot, what: what))
    }
}
