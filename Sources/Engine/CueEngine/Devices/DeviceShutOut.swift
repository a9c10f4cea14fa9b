package import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueVault

/// Shuts out a device: what it writes from a moment on is set aside (docs/format.md §12).
package struct DeviceShutOut: Sendable {
    /// The reasons why a device cannot be shut out.
    package enum Refusal: Error, Sendable, Hashable {
        /// No device of the vault has this name, or an id that begins so.
        case unknown(String)
        /// Several have, with these ids.
        case ambiguous(String, [DeviceID])
        /// It is this device.
        case own
        /// It was shut out before, by the device of this name.
        case already(by: String)
        /// The record was written and does not count: another shuts out this device, or this one has written too many.
        case withoutEffect
    }

    /// The device, as it is now.
    package let device: VaultDevice
    /// The time of its last commit that counts; nil if none counts.
    package let last: Timestamp?
    /// True if several computers wrote under its id: then what counts is what this device saw first.
    package let isForked: Bool
    /// True if this device saw the branches at once: then only what was stored before them counts.
    package let isUndecided: Bool

    /// The fewest digits that name a device, as of snapshots.
    private static let leastDigits = 4

    /// Shuts out the device that `name` says, by its name or the first digits of its id. What it wrote until now
    /// counts, or until `since`, by its own clock.
    ///
    /// Throws `Refusal`, and what a backup throws.
    package static func run(_ name: String, since: Timestamp?, _ context: EngineContext) throws -> DeviceShutOut {
        let lock = try context.library.lock()
        return try withExtendedLifetime(lock) {
            var own = try Pull.run(context, context.library.device()).device
            let history = try FullHistory.load(context.vault)
            let found = try device(name, but: own.id, since: since, in: history)
            let times = try context.library.store.read { try $0.timesSeen() }
            let end = LogEnd(of: found.id, until: since, in: history.history, seenAt: times)
            let last = end.last
            let batch = try lastBatch(of: found.id, until: since, in: context.vault)
            var writer = CommitWriter(context: context, id: Vault.newCommitID())
            writer.notes = [.shutOut(ShutOut(found.id, after: last, batch: batch))]
            // It completes no snapshot: nothing of the folder was looked at.
            writer.isSnapshot = false
            _ = try writer.write(as: &own)
            let (device, now) = (own, context.clock.now)
            let after = try FullHistory.load(context.vault)
            try context.library.store.write { transaction in
                try transaction.note(commitOf: device, at: now)
                // Events of later batches are set aside with the next exchange, and versions with the next sync.
                try transaction.setLimits(after.devicesShutOut)
                try transaction.doubtWhatIsSetAside(in: after.history)
                try transaction.set(.hasNews, to: true)
            }
            guard after.devicesShutOut.contains(where: { $0.holder == device.position }) else {
                throw Refusal.withoutEffect
            }
            return DeviceShutOut(
                device: VaultDevice.all(in: after).first { $0.id == found.id } ?? found,
                last: last.flatMap(history.time), isForked: end.isForked, isUndecided: end.isUndecided)
        }
    }

    /// The device that can be shut out by this name. Throws `Refusal`.
    static func device(
        _ name: String, but own: DeviceID, since: Timestamp?, in history: FullHistory
    ) throws -> VaultDevice {
        let all = VaultDevice.all(in: history)
        let digits = name.lowercased()
        // A name may look like the digits of another device's id: both are meant then.
        let bearers = all.filter { device in
            device.name == name || digits.count >= leastDigits && device.id.description.hasPrefix(digits)
        }
        // Of several, those that were shut out already are not meant.
        let active = bearers.filter { $0.shutOut == nil }
        let found = active.isEmpty ? bearers : active
        guard let first = found.first else { throw Refusal.unknown(name) }
        guard found.count == 1 else { throw Refusal.ambiguous(name, found.map(\.id).sorted()) }
        guard first.id != own else { throw Refusal.own }
        if let before = first.shutOut, since == nil { throw Refusal.already(by: before.by) }
        return first
    }

    /// The last batch of events of the device before the first one with an event later than a time.
    private static func lastBatch(of device: DeviceID, until time: Timestamp?, in vault: Vault) throws -> LogPosition? {
        let batches = try vault.eventLog.all().filter { $0.position.device == device }
        guard let time else { return batches.last?.position }
        return try batches.prefix { batch in
            var isLater = false
            do {
                _ = try vault.readEvents(batch) { body in
                    if let event = try? EventRecord(body), event.created > time { isLater = true }
                }
            } catch is VaultError { return true }
            return !isLater
        }.last?.position
    }
}

extension LocalStore.Transaction {
    /// Notes which batches of events are the last that count, of the devices that were shut out.
    func setLimits(_ shutOuts: [History.FoundShutOut]) throws {
        let limits = shutOuts.map { BatchLimit($0.what) }
        try set(.batchLimits, to: limits.isEmpty ? nil : FactCode(limits))
    }
}
