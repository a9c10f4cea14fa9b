import CueBase
import CueCrypto
import CueLibrary
import CueSodium
import CueStorage
import CueSystem
import CueVault

/// Copies objects between two places of one vault. Objects are written once under random names, so each place gets
/// those that only the other has. A key slot that was removed at one is removed at the other too.
struct PlaceExchange {
    /// An error of the place that the run works with. All others are of the other place.
    struct OfUsed: Error { let cause: any Error }

    private let context: EngineContext
    /// The vault at the place that this run works with.
    private let vault: Vault
    /// The same vault at the other place.
    private let other: Vault
    private let place: VaultLocation
    private(set) var report: PlaceReport

    init(_ context: EngineContext, with other: Vault, at place: VaultLocation) {
        (self.context, vault, self.other, self.place) = (context, context.vault, other, place)
        report = PlaceReport(place)
    }

    private func here<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as Interrupted { throw error } catch { throw OfUsed(cause: error) }
    }

    // MARK: From there

    /// Brings here the objects that other devices stored at the other place, and packs that this one has lost. Objects
    /// that do not open are counted and stay there: a hostile or damaged place must not harm this one. Throws `OfUsed`,
    /// `StorageError` and `Interrupted`.
    mutating func fetch() throws {
        let epochs = try fetchEpochs()
        try fetchSlots(epochs)
        try fetchCommits()
        try fetchLostPacks()
        try fetchEvents()
    }

    /// Reads an object there, and stores these very bytes here once they are proven. An object that is gone, cut or
    /// refused is counted, and so is one that does not open. Returns whether it is here now.
    private mutating func fetch(
        _ name: ObjectName, size: Int, upTo limit: Int, proving prove: ([UInt8]) throws -> Void
    ) throws -> Bool {
        try context.cancellation.throwIfRequested()
        do {
            guard size <= limit else { throw StorageError.tooLarge(name.text) }
            let bytes = try other.objects.get(name, upTo: size)
            try prove(bytes)
            try here { do { try vault.objects.put(name, bytes) } catch StorageError.alreadyThere {} }
            report.fetched += 1
            return true
        } catch let error as StorageError {
            guard error.heals == .never, error != .stopped else { throw error }
        } catch is VaultError {} catch is SealError {} catch is FormatError {} catch is EpochFlaw {}
        report.unreadable += 1
        return false
    }

    /// Only epochs that this device opens. One that another device made without this device's slot stays there: a
    /// stranger could write thousands of those.
    private mutating func fetchEpochs() throws -> Epochs {
        let epochs = try other.readEpochs()
        let known = Set(try here { try vault.objects.list("epochs") }.map(\.name))
        let closed = Set(epochs.troubles.map(\.name))
        for entry in try other.objects.list("epochs") where !known.contains(entry.name) {
            guard !closed.contains(entry.name.text) else {
                report.unreadable += 1
                continue
            }
            let (id, ring) = (vault.id, other.key)
            _ = try fetch(entry.name, size: entry.size, upTo: EpochRecord.size) { bytes in
                let sealed = try SealedEpoch(bytes, name: entry.name.text, vault: id)
                guard let key = ring[sealed.id] else { throw SealError.notForThisPlace }
                _ = try sealed.open(with: key)
            }
        }
        return epochs
    }

    private mutating func fetchSlots(_ epochs: Epochs) throws {
        let known = Set(try here { try vault.objects.list("keys") }.map(\.name.text))
        let removed = Set(try here { try vault.readEpochs() }.removed.map(\.objectName))
        for slot in epochs.slots where !known.contains(slot.id.objectName) && !removed.contains(slot.id.objectName) {
            guard let name = ObjectName(listed: slot.id.objectName),
                let bytes = try? other.objects.get(name, upTo: KeySlot.sizes.upperBound),
                BLAKE2b.hash(bytes) == slot.digest
            else { continue }
            try here { do { try vault.objects.put(name, bytes) } catch StorageError.alreadyThere {} }
            report.fetched += 1
        }
    }

    /// A commit comes after the packs that it names: it never stands at a place without them.
    private mutating func fetchCommits() throws {
        let known = Set(try here { try vault.log.all() }.map(\.position))
        let new = try other.log.all().filter { $0.run == nil && !known.contains($0.position) }
        guard !new.isEmpty else { return }
        var packs = Set(try here { try vault.objects.list("packs") }.map(\.name))
        for entry in new {
            let commit: RecordObject
            do { commit = try other.ownCommit(entry) } catch is VaultError {
                report.unreadable += 1
                continue
            }
            let lacking = commit.packs.filter { $0.commit == nil && !packs.contains($0.name) }
            for pack in lacking where try fetch(pack: pack.name, size: pack.size) { packs.insert(pack.name) }
            // Without all its packs the commit would be damage here. It stays there until they are whole.
            guard lacking.allSatisfy({ packs.contains($0.name) }) else { continue }
            let other = other
            _ = try fetch(ObjectRecordLog.name(of: entry.position), size: entry.size, upTo: Limits.recordObject) {
                _ = try Self.vault(other, holding: $0).ownCommit(entry)
            }
        }
    }

    private mutating func fetch(pack name: ObjectName, size: Int) throws -> Bool {
        let other = other
        return try fetch(name, size: size, upTo: Limits.pack) { bytes in
            guard bytes.count == size else { throw SealError.wrongLength }
            try other.prove(pack: bytes, named: name)
        }
    }

    /// The packs that should be in the vault and are not listed there, with their sizes: those that this device knows,
    /// and, after a backup or a check found content to be gone, all that the history names.
    static func lostPacks(of context: EngineContext) throws -> [ObjectEntry] {
        let (known, isLossKnown) = try context.library.store.read { store in
            let isGone = try store.vaultProblem()?.isPacksGone ?? false
            return (try store.packs(), try isGone || store.value(.isContentLost) ?? false)
        }
        var packs = known.filter { !$0.key.isInline }
        if isLossKnown {
            // A history that is too damaged to be read names none.
            do {
                for pack in try History.loadLatest(context.vault).packRecords where pack.commit == nil {
                    packs[pack.id] = pack.size
                }
            } catch is VaultError {}
        }
        guard !packs.isEmpty else { return [] }
        let here = Set(try context.vault.objects.list("packs").map(\.name))
        return packs.map { ObjectEntry(name: PackRecord.name(of: $0.key), size: $0.value) }
            .filter { !here.contains($0.name) }
    }

    private mutating func fetchLostPacks() throws {
        let lost = try here { try Self.lostPacks(of: context) }
        guard !lost.isEmpty else { return }
        let there = Dictionary(try other.objects.list("packs").map { ($0.name, $0.size) }) { one, _ in one }
        for pack in lost where there[pack.name] == pack.size { _ = try fetch(pack: pack.name, size: pack.size) }
    }

    private mutating func fetchEvents() throws {
        let known = Set(try here { try vault.eventLog.all() }.map(\.position))
        for entry in try other.eventLog.all() where !known.contains(entry.position) {
            let (name, other) = (ObjectRecordLog.name(of: entry.position, .events), other)
            _ = try fetch(name, size: entry.size, upTo: Limits.eventBatch) {
                _ = try Self.vault(other, holding: $0).readEvents(entry) { _ in }
            }
        }
    }

    /// The vault at the other place with a record that is here already.
    private static func vault(_ other: Vault, holding bytes: [UInt8]) -> Vault {
        let log = HeldRecord(bytes: bytes)
        return Vault(VaultStorage(objects: other.objects, log: log, eventLog: log), ring: other.keyRing)
    }

    // MARK: To there

    /// Brings the other place what it lacks. Throws `VaultCopy.OfTarget` for its errors, `EngineError.placeDiffers` in
    /// one of them, and `Interrupted`.
    mutating func bring() throws {
        // A slot that no epoch lists opens nothing. A copy of it could bring a removed one back.
        let epochs = try vault.readEpochs()
        let slots = Set(epochs.slots.map(\.id.objectName))
        let copy = VaultCopy(
            from: vault.objects, to: other.objects, reporter: context.reporter, cancellation: context.cancellation)
        let plan = try copy.plan(targetName: place.description) { name in
            name.components.first != "keys" || slots.contains(name.text)
        }
        let summary = try copy.carryOut(plan)
        report.brought = (summary.copied, summary.bytes)
        try removeSlots(Set(epochs.removed.map(\.objectName)))
        if let name = summary.different.first {
            throw VaultCopy.OfTarget(cause: EngineError.placeDiffers(name, place: place.description))
        }
        keepLocks()
    }

    /// Removes slots there that the vault's newest epochs say were removed. A place that forbids deleting keeps them.
    private func removeSlots(_ removed: Set<String>) throws {
        guard !removed.isEmpty else { return }
        do {
            for entry in try other.objects.list("keys") where removed.contains(entry.name.text) {
                _ = try other.objects.deleteIfAllowed(entry.name)
            }
        } catch { throw VaultCopy.OfTarget(cause: error) }
    }

    /// Extends the locks of the objects there as far as that is due. They last for months, so no error is one of the
    /// place, and the next run tries again.
    private mutating func keepLocks() {
        let target = EngineContext(context.library, other)
        do { report.locks = try LockUpkeep.run(target, at: place) } catch is Interrupted {} catch {
            let cause = FailureCause(error)
            if !cause.heals, error as? StorageError != .stopped { report.lockProblem = cause }
        }
    }
}

extension SlotID {
    /// The name of the slot's object in the vault.
    fileprivate var objectName: String { String(decoding: name, as: UTF8.self) }
}
