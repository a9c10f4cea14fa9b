package import CueBase
import CueCrypto
import CueLibrary
import CueStorage
import CueSystem
package import CueVault

/// Compares the vault's key slots with what this device knows of them. A slot that is damaged would show only on the day on which
/// somebody needs it, and then as a wrong passphrase.
package struct KeyWatch {
    /// What is wrong with a slot.
    package struct Trouble: Sendable, Equatable {
        package enum What: Sendable, Equatable {
            case changed
            case missing
            /// It is there again, though another one came in its place.
            case returned
            /// No slot of this format, and none that this device knows.
            case unusable(String)
        }

        package let slot: String
        package let what: What
        /// Whether the vault has it again as it was.
        package var isMended = false
    }

    package struct Report: Sendable {
        package var troubles: [Trouble] = []
        /// Slots that came later, and of which nothing proves that a holder of the vault key made them.
        package var unproven: [String] = []
        /// Whether nothing is wrong any more.
        package var isWhole: Bool { troubles.allSatisfy(\.isMended) }

        package init(troubles: [Trouble] = []) { self.troubles = troubles }
    }

    private let library: OpenLibrary
    private let vault: Vault
    private let now: Timestamp

    package init(_ library: OpenLibrary, _ vault: Vault, now: Timestamp = Environment.now) {
        (self.library, self.vault, self.now) = (library, vault, now)
    }

    /// Compares, notes what is new where that can be written, and changes nothing in the vault.
    @discardableResult
    package func look() throws -> Report {
        let (comparison, report) = try compare()
        try? note(comparison, report)
        return report
    }

    /// Compares, and puts right what this device can.
    package func tend() throws -> Report {
        let (comparison, found) = try compare()
        var report = found
        for slot in comparison.rewritable where (try? put(slot)) != nil { report.mended(slot.name) }
        for name in comparison.removable where (try? remove(name)) != nil { report.mended(name) }
        try note(comparison, report)
        return report
    }

    private func compare() throws -> (SlotComparison, Report) {
        let known = try library.store.read { try $0.knownSlots() }
        let keepsBytes = library.marker.rememberKey
        do {
            let present = try SlotListing.all(in: vault.store, vault: vault.id)
            let comparison = SlotComparison(
                present, known, key: vault.key, opened: vault.opened, keepsBytes: keepsBytes, now: now)
            return (comparison, comparison.report)
        } catch StorageError.unreachable(let what) {
            throw StorageError.unreachable(what)
        } catch {
            // Of slots that cannot even be listed nothing is known, and nothing is noted.
            let nothing = SlotComparison([], [], key: vault.key, opened: [:], keepsBytes: keepsBytes, now: now)
            return (nothing, Report(troubles: [Trouble(slot: "keys/", what: .unusable("the folder cannot be read"))]))
        }
    }

    private func note(_ comparison: SlotComparison, _ report: Report) throws {
        let problem = report.troubles.first { !$0.isMended }?.sentence ?? ""
        // Nothing is written where nothing changed: this is done at every backup.
        let told = try library.store.read { try $0.text("key problem") } ?? ""
        guard !comparison.changes.isEmpty || told != problem else { return }
        try library.store.write { transaction in
            try transaction.setKnownSlots(comparison.changes)
            try transaction.set("key problem", problem)
        }
    }

    /// The same bytes under the same name, as the seal binds it: on every device it is the slot that it was.
    private func put(_ slot: KnownSlot) throws {
        guard let bytes = slot.bytes, let name = ObjectName(listed: slot.name) else { return }
        let writer = try vault.store.makeWriter(for: name)
        do {
            // All of it is written before the damaged one goes.
            try writer.write(bytes.span)
            try vault.store.delete(name)
            try writer.finish()
        } catch {
            writer.cancel()
            throw error
        }
    }

    private func remove(_ slot: String) throws {
        if let name = ObjectName(listed: slot) { try vault.store.delete(name) }
    }
}

extension KeyWatch.Report {
    fileprivate mutating func mended(_ slot: String) {
        for number in troubles.indices where troubles[number].slot == slot { troubles[number].isMended = true }
    }
}

extension KeyWatch.Trouble {
    /// One line for people, as the other problems of a vault.
    package var sentence: String {
        switch what {
        case .changed: "\(slot): the key slot is not as this device knew it"
        case .missing: "\(slot): the key slot is missing"
        case .returned: "\(slot): the key slot is there again, though another one took its place"
        case .unusable(let reason): "\(slot): \(reason)"
        }
    }
}

/// What is told of key slots by what is there and what was known (docs/threat-model.md §2).
struct SlotComparison {
    private static let day: Int64 = 86_400_000

    private(set) var report = KeyWatch.Report()
    /// What is known from now on and was not, or not so.
    private(set) var changes: [KnownSlot] = []
    /// Slots that can be written again, with their bytes.
    private(set) var rewritable: [KnownSlot] = []
    /// Slots that this device had removed.
    private(set) var removable: [String] = []

    private let key: VaultKey
    private let opened: [ObjectName: [UInt8]]
    private let keepsBytes: Bool
    private let now: Timestamp

    /// `known` in the order in which this device came to know them; `opened`: slots that are certainly whole.
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

    /// A slot that this device sees for the first time.
    private mutating func meet(_ listing: SlotListing, isFirstLook: Bool) {
        let name = listing.name.text
        switch listing.slot {
        case .failure(let error): trouble(name, .unusable(error.reason))
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

    /// A slot of which only the beginning had arrived when this device first saw it, not long ago.
    private func isArrival(_ listing: SlotListing, of slot: KnownSlot) -> Bool {
        guard slot.standing != .whole, listing.bytes.count > slot.length, (try? listing.slot.get()) != nil,
            now.milliseconds.subtractingReportingOverflow(slot.noted.milliseconds).partialValue < Self.day
        else { return false }
        return mark(Array(listing.bytes.prefix(slot.length)), slot.name) == slot.mark
    }

    private mutating func miss(_ known: KnownSlot, isReplaced: Bool) {
        var slot = known
        if isReplaced {
            (slot.standing, slot.bytes, slot.missing) = (.replaced, nil, nil)
        } else {
            trouble(slot.name, .missing)
            let since = slot.missing ?? now
            slot.missing = since
            // Another device may have put a new one in its place, and a sync service brings the deletion first.
            let isLong = now.milliseconds.subtractingReportingOverflow(since.milliseconds).partialValue >= Self.day
            if isLong, let known = proven(slot) { rewritable.append(known) }
        }
        if slot != known { changes.append(slot) }
    }

    /// Whether a slot that came later can have taken the place of another: the same kind, and from a holder of the vault key.
    private func isSuccessor(_ listing: SlotListing, of slot: KnownSlot) -> Bool {
        guard let later = try? listing.slot.get() else { return false }
        return later.kind.rawValue == slot.kind && later.isMade(with: key)
    }

    /// The slot, if its bytes are those that this device knew to be whole.
    private func proven(_ slot: KnownSlot) -> KnownSlot? {
        guard slot.standing == .whole, let bytes = slot.bytes, mark(bytes, slot.name) == slot.mark else { return nil }
        return slot
    }

    private func mark(_ bytes: [UInt8], _ name: String) -> [UInt8] {
        KeySlot.mark(of: bytes, name: Array(name.utf8), key)
    }

    private mutating func trouble(_ slot: String, _ what: KeyWatch.Trouble.What) {
        report.troubles.append(KeyWatch.Trouble(slot: slot, what: what))
    }
}
