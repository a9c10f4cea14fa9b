package import CueBase
package import CueCrypto
import CueEvents
package import CueLibrary
import CueSodium
package import CueStorage
import CueSystem
package import CueVault

/// Brings a device's log of events and that of the vault together. Throws `VaultError`, `StorageError` and the errors
/// of `LocalStore`.
///
/// Pulled and own events are kept apart, so nothing that was pulled is pushed back. A push that was killed has either
/// written its batch or not: the next pull finds the batch and marks the events in it.
package struct EventExchange {
    /// The result of an exchange, counted in events unless stated otherwise.
    package struct Summary: Sendable, Equatable {
        /// Events that are new on this device.
        package var pulled = 0
        /// Own events that are now in the vault.
        package var pushed = 0
        /// Records that are no events, or that lost to another event of the same id.
        package var setAside = 0
        /// Batches that are gone or cut. Their events are pushed again.
        package var lostBatches = 0
        /// Batches that cannot be read, or the reason why nothing was exchanged.
        package var unreadable: [EventTrouble] = []

        /// Nothing happened.
        package init() {}

        /// Adds the counts of a later exchange of the same run.
        package mutating func merge(_ more: Summary) {
            (pulled, pushed, setAside) = (pulled + more.pulled, pushed + more.pushed, setAside + more.setAside)
            lostBatches += more.lostBatches
            // A batch that could not be read twice is listed once.
            unreadable += more.unreadable.filter { !unreadable.contains($0) }
        }
    }

    /// The limits of one batch: small enough to be read in one piece, large enough for a log of a million events.
    static let batch = (events: 10_000, bytes: 4 << 20)

    private let store: LocalStore
    private let vault: Vault
    private let key: DeviceKey
    private var device: DeviceID { key.id }
    private let now: Timestamp
    private var summary = Summary()
    /// Batches that could not be read in this run, with the reason.
    private var unreadable: [(entry: LogEntry, error: VaultError)] = []

    /// Pulls, then pushes the waiting events. `mayWait`: pushes only if one of them is due (`hasDueEvents`).
    package static func run(
        _ store: LocalStore, with vault: Vault, as device: DeviceKey, now: Timestamp, mayWait: Bool = false
    ) throws -> Summary {
        var exchange = EventExchange(store: store, vault: vault, device: device, now: now)
        try exchange.pull()
        if try !mayWait || store.read({ try $0.hasDueEvents(now: now) }) { try exchange.push() }
        return exchange.summary
    }

    /// Like `run`, but does not ask the vault if no event is due (`hasDueEvents`).
    package static func push(
        _ store: LocalStore, to vault: Vault, as device: DeviceKey, now: Timestamp
    ) throws -> Summary {
        guard try store.read({ try $0.hasDueEvents(now: now) }) else { return Summary() }
        return try run(store, with: vault, as: device, now: now)
    }

    /// Whether an event is due to be pushed, or the vault has a batch that was not read. Lists names only.
    package static func hasNews(_ store: LocalStore, in vault: Vault, now: Timestamp) throws -> Bool {
        let (isDue, known, cursor) = try store.read {
            (
                try $0.hasDueEvents(now: now), try $0.eventObjects(),
                try $0.cursor(.eventCursor, listed: .eventsListed, at: now)
            )
        }
        return try isDue || vault.eventLog.news(after: cursor).entries.contains { known[$0.position]?.size != $0.size }
    }

    private init(store: LocalStore, vault: Vault, device: DeviceKey, now: Timestamp) {
        (self.store, self.vault, key, self.now) = (store, vault, device, now)
    }

    // MARK: Pull

    /// Takes over all batches that are new, and pushes again what lost ones held.
    private mutating func pull() throws {
        let now = now
        let (known, cursor) = try store.read {
            (try $0.eventObjects(), try $0.cursor(.eventCursor, listed: .eventsListed, at: now))
        }
        let news = try vault.eventLog.news(after: cursor)
        let lost = news.isWhole ? Self.lost(known, news.entries) : news.lost.filter { known[$0] != nil }
        if !lost.isEmpty {
            try Self.remove(lost, known, store)
            summary.lostBatches = lost.count
        }
        let new = news.entries.filter { known[$0.position] == nil || lost.contains($0.position) }
        let limits: [BatchLimit] = try store.read { try $0.value(.batchLimits)?.value() } ?? []
        for entry in new {
            try Interruption.throwIfRequested()
            // What a device wrote after it was shut out counts as read, and brings nothing.
            if limits.allSatisfy({ $0.counts(entry.position) }) {
                try read(entry)
            } else {
                _ = try store.write { try $0.addEventObject(entry.position, size: entry.size) }
            }
        }
        try passOverReplaced()
        if !news.lost.isEmpty {
            // More may be gone than the newest: the next run lists everything.
            try store.write { try $0.set(.eventCursor, to: nil) }
        } else if unreadable.isEmpty, news.cursor != cursor {
            // What could not be read is asked for again.
            try store.write { try $0.take(news, as: .eventCursor, listed: .eventsListed, at: now) }
        }
    }

    /// Batches that this device has read or written, and that are gone or have another size.
    private static func lost(
        _ known: [LogPosition: (id: Int64, size: Int)], _ present: [LogEntry]
    ) -> Set<LogPosition> {
        let sizes = Dictionary(present.map { ($0.position, $0.size) }, uniquingKeysWith: { size, _ in size })
        return Set(known.filter { sizes[$0.key] != $0.value.size }.keys)
    }

    /// The same, for a check.
    package static func lost(_ store: LocalStore, from vault: Vault) throws -> Set<LogPosition> {
        lost(try store.read { try $0.eventObjects() }, try vault.eventLog.all())
    }

    /// Marks the known events of damaged batches as waiting, so that the next exchange pushes them again. Returns the
    /// number of batches that this device knew.
    package static func storeAgain(_ damaged: [LogPosition], _ store: LocalStore) throws -> Int {
        let known = try store.read { try $0.eventObjects() }
        let mine = damaged.filter { known[$0] != nil }
        if !mine.isEmpty { try remove(mine, known, store) }
        return mine.count
    }

    /// Forgets batches; their events wait again.
    private static func remove(
        _ batches: some Sequence<LogPosition>, _ known: [LogPosition: (id: Int64, size: Int)], _ store: LocalStore
    ) throws {
        try store.write { transaction in
            for batch in batches {
                guard let id = known[batch]?.id else { continue }
                try transaction.removeEventObject(id, batch)
            }
        }
    }

    /// Takes over one batch, or notes it as unreadable.
    private mutating func read(_ entry: LogEntry) throws {
        // Read everything before the store is opened for writing: the vault may be slow, and other commands wait for
        // the store.
        var bodies: [[UInt8]] = []
        let replaced: [LogPosition]
        do {
            replaced = try vault.readEvents(entry) { bodies.append($0) }.replaced
        } catch let error as VaultError {
            return unreadable.append((entry, error))
        }
        try store.write { transaction in
            let object = try transaction.addEventObject(entry.position, size: entry.size)
            for body in bodies { try take(body, object, transaction, entry.position) }
            for position in replaced { try transaction.addReplaced(position, isTold: true) }
            try goOn(after: entry.position, transaction)
        }
    }

    /// Marks unreadable batches as read whose events another device has stored again; the others are reported.
    private mutating func passOverReplaced() throws {
        guard !unreadable.isEmpty else { return }
        let replaced = try store.read { try $0.replacedBatches() }
        let over = unreadable.filter { replaced.contains($0.entry.position) }
        if !over.isEmpty {
            try store.write { transaction in
                for batch in over {
                    _ = try transaction.addEventObject(batch.entry.position, size: batch.entry.size)
                }
            }
        }
        summary.unreadable += unreadable.filter { !replaced.contains($0.entry.position) }.map { .batch($0.error) }
    }

    /// Adds one record as an event, or sets it aside.
    private mutating func take(
        _ body: [UInt8], _ object: Int64, _ transaction: LocalStore.Transaction, _ position: LogPosition
    ) throws {
        do {
            let event = try Event(record: try EventRecord(body))
            switch try transaction.add(event, in: object) {
            case .new: summary.pulled += 1
            case .known: break
            case .collides: summary.setAside += 1
            }
        } catch let error as FormatError {
            try setAside(body, transaction, position, .record(error))
        } catch let error as EventFormError {
            try setAside(body, transaction, position, .form(error))
        }
    }

    private mutating func setAside(
        _ body: [UInt8], _ transaction: LocalStore.Transaction, _ position: LogPosition, _ reason: AsideReason
    ) throws {
        // The vault still has the whole record; the first 2 MiB are enough here.
        try transaction.setAside(Array(body.prefix(2 << 20)), from: .device(position.device), reason)
        summary.setAside += 1
    }

    /// Counts a batch of this device's own log that it does not remember: it was killed between writing and noting the
    /// batch.
    private func goOn(after position: LogPosition, _ transaction: LocalStore.Transaction) throws {
        let last = try transaction.value(.lastBatch)
        guard position.device == device, last?.device != device || position.generation > last?.generation ?? 0,
            // No device gets there by counting; above it the names would run out.
            position.generation < 1 << 32
        else { return }
        try transaction.set(.lastBatch, to: position)
    }

    // MARK: Push

    private mutating func push() throws {
        while true {
            let events = try store.read { try $0.waitingEvents(Self.batch.events, bytes: Self.batch.bytes) }
            guard !events.isEmpty else { return }
            try Interruption.throwIfRequested()
            try push(events)
        }
    }

    private mutating func push(_ events: [Event]) throws {
        let none = LogPosition(device: device, generation: 0, commit: .none)
        let last = try store.read { try $0.value(.lastBatch) } ?? none
        // A device with a new id begins a log of its own.
        let before = last.device == device ? last : none
        let position = LogPosition(device: device, generation: before.generation + 1, commit: Vault.newCommitID())
        let replaced = try store.read { try $0.replacedBatches(isTold: false) }
        let size = try vault.append(
            events: events.map(\.record), at: position, previous: before.commit, replaced: replaced.sorted(), time: now,
            by: key)
        try store.write { transaction in
            let object = try transaction.addEventObject(position, size: size)
            try transaction.mark(events.map(\.clientID), in: object)
            for batch in replaced { try transaction.addReplaced(batch, isTold: true) }
            try transaction.set(.lastBatch, to: position)
        }
        summary.pushed += events.count
    }
}

extension Event {
    /// The event as a batch holds it.
    var record: EventRecord {
        EventRecord(
            clientID: Array(clientID.utf8), type: Array(type.utf8), clientTime: Array(clientTimestamp.utf8),
            created: createdAt, payload: payload.canonical)
    }

    /// Reads a record of a batch. Throws `EventFormError` if it is no valid event.
    init(record: EventRecord) throws(EventFormError) {
        func text(_ bytes: [UInt8], _ part: EventPart) throws(EventFormError) -> String {
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw .notUTF8(part)
            }
            return text
        }
        guard record.payload.count <= 2 * Event.payloadLimit else {
            throw .payloadTooLarge
        }
        let payload: JSON
        do { payload = try JSON(parsing: record.payload) } catch {
            throw .payloadNotJSON(error.flaw)
        }
        try self.init(
            checking: try text(record.clientID, .id), type: try text(record.type, .type),
            timestamp: try text(record.clientTime, .time), payload: payload, createdAt: record.created)
    }
}
