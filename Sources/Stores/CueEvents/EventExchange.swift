package import CueBase
package import CueLibrary
import CueSodium
package import CueStorage
import CueSystem
package import CueVault

/// Brings a device's log of events and the vault's together.
///
/// Pulled and own events take different ways, so nothing that was pulled is pushed back. A killed push has written its batch or has
/// not: the next pull finds it, and marks what it holds.
package struct EventExchange {
    package struct Summary: Sendable, Equatable {
        /// Events that are new here.
        package var pulled = 0
        package var pushed = 0
        /// Records that came and are no events.
        package var setAside = 0
        /// Batches that were there once and are gone or cut; what they held is pushed again.
        package var lostBatches = 0
        /// Batches that cannot be read, and why. They are tried again the next time.
        package var unreadable: [String] = []

        package init() {}

        package mutating func add(_ more: Summary) {
            (pulled, pushed, setAside) = (pulled + more.pulled, pushed + more.pushed, setAside + more.setAside)
            lostBatches += more.lostBatches
            // One that could not be read twice is one.
            unreadable += more.unreadable.filter { !unreadable.contains($0) }
        }
    }

    /// So much goes into one batch: small enough to be read back in one piece, large enough for a log of a million.
    static let batch = (events: 10_000, bytes: 4 << 20)

    private let store: LocalStore
    private let vault: Vault
    private let device: DeviceID
    private let now: Timestamp
    private var summary = Summary()
    /// What could not be read in this run, and why.
    private var unreadable: [(entry: LogEntry, words: String)] = []

    /// Pulls, then pushes what waits; `mayWait`: only if something of it is due.
    package static func run(
        _ store: LocalStore, with vault: Vault, as device: DeviceID, now: Timestamp, mayWait: Bool = false
    ) throws -> Summary {
        var exchange = EventExchange(store: store, vault: vault, device: device, now: now)
        try exchange.pull()
        if try !mayWait || store.read({ try $0.hasDueEvents(now: now) }) { try exchange.push() }
        return exchange.summary
    }

    /// The same, where nothing waits to be pushed, without a look at the vault.
    package static func push(
        _ store: LocalStore, to vault: Vault, as device: DeviceID, now: Timestamp
    ) throws -> Summary {
        guard try store.read({ try $0.hasWaitingEvents() }) else { return Summary() }
        return try run(store, with: vault, as: device, now: now)
    }

    /// Whether something is due to be pushed, or the vault has a batch that was not read. Reads names only.
    package static func hasNews(_ store: LocalStore, in vault: Vault, now: Timestamp) throws -> Bool {
        let (isDue, known) = try store.read { (try $0.hasDueEvents(now: now), try $0.eventObjects()) }
        return try isDue || vault.eventLog.all().contains { known[$0.position]?.size != $0.size }
    }

    private init(store: LocalStore, vault: Vault, device: DeviceID, now: Timestamp) {
        (self.store, self.vault, self.device, self.now) = (store, vault, device, now)
    }

    // MARK: Pull

    private mutating func pull() throws {
        let present = try vault.eventLog.all()
        let known = try store.read { try $0.eventObjects() }
        let lost = Self.lost(known, present)
        if !lost.isEmpty {
            try Self.remove(lost, known, store)
            summary.lostBatches = lost.count
        }
        let new = present.filter { known[$0.position] == nil || lost.contains($0.position) }
        for entry in new {
            try Interruption.throwIfRequested()
            try read(entry)
        }
        try passOverReplaced()
    }

    /// Batches that this device has read or written, and that are no longer there as they were.
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

    /// A check found these batches damaged: what this device knows of their events is pushed again by the next exchange. Returns how
    /// many of them it knew.
    package static func storeAgain(_ damaged: [LogPosition], _ store: LocalStore) throws -> Int {
        let known = try store.read { try $0.eventObjects() }
        let mine = damaged.filter { known[$0] != nil }
        if !mine.isEmpty { try remove(mine, known, store) }
        return mine.count
    }

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

    private mutating func read(_ entry: LogEntry) throws {
        // All of it before the store is written to: a vault may be slow, and other commands wait for the store.
        var bodies: [[UInt8]] = []
        let replaced: [LogPosition]
        do {
            replaced = try vault.readEvents(entry) { bodies.append($0) }.replaced
        } catch let error as VaultError {
            return unreadable.append((entry, Self.words(error)))
        }
        try store.write { transaction in
            let object = try transaction.addEventObject(entry.position, size: entry.size)
            for body in bodies { try take(body, object, transaction, entry.position) }
            for position in replaced { try transaction.addReplaced(position, isTold: true) }
            try goOn(after: entry.position, transaction)
        }
    }

    /// A batch that cannot be read, and whose events a device that knew them has stored again, is tried no more.
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
        summary.unreadable += unreadable.filter { !replaced.contains($0.entry.position) }.map(\.words)
    }

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
            try setAside(body, transaction, position, error.reason)
        } catch let error as EventFormError {
            try setAside(body, transaction, position, error.reason)
        }
    }

    private mutating func setAside(
        _ body: [UInt8], _ transaction: LocalStore.Transaction, _ position: LogPosition, _ reason: String
    ) throws {
        // The whole record is in the vault still; here its front is enough.
        try transaction.setAside(Array(body.prefix(2 << 20)), from: "device \(position.device)", reason)
        summary.setAside += 1
    }

    /// A batch of this device's own that it does not remember: it was killed between writing it and noting it.
    private func goOn(after position: LogPosition, _ transaction: LocalStore.Transaction) throws {
        let last = try transaction.text("last batch").flatMap(LastBatch.init)
        guard position.device == device, last?.device != device || position.generation > last?.generation ?? 0,
            // Nobody gets there by counting; behind it the names would end.
            position.generation < 1 << 32
        else { return }
        try transaction.set("last batch", LastBatch(position).text)
    }

    private static func words(_ error: VaultError) -> String {
        switch error {
        case .damaged(let object, let reason): "\(object): \(reason)"
        case .missing(let object): "\(object): it is missing"
        default: "\(error)"
        }
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
        let last = try store.read { try $0.text("last batch") }.flatMap(LastBatch.init) ?? LastBatch(device: device)
        // A device that took a new id begins a log of its own.
        let before = last.device == device ? last : LastBatch(device: device)
        let position = LogPosition(device: device, generation: before.generation + 1, commit: Vault.newCommitID())
        let replaced = try store.read { try $0.replacedBatches(isTold: false) }
        let size = try vault.append(
            events: events.map(\.record), at: position, previous: before.batch, replaced: replaced.sorted(), time: now)
        try store.write { transaction in
            let object = try transaction.addEventObject(position, size: size)
            try transaction.mark(events.map(\.clientID), in: object)
            for batch in replaced { try transaction.addReplaced(batch, isTold: true) }
            try transaction.set("last batch", LastBatch(position).text)
        }
        summary.pushed += events.count
    }
}

/// Where this device's log of events ends.
private struct LastBatch {
    let device: DeviceID
    let generation: UInt64
    let batch: CommitID

    /// Before the first.
    init(device: DeviceID) { (self.device, generation, batch) = (device, 0, .none) }

    init(_ position: LogPosition) {
        (device, generation, batch) = (position.device, position.generation, position.commit)
    }

    init?(_ text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 3, let device = DeviceID(parts[0]), let generation = UInt64(parts[1]),
            let batch = CommitID(parts[2])
        else { return nil }
        self.init(LogPosition(device: device, generation: generation, commit: batch))
    }

    var text: String { "\(device) \(generation) \(batch)" }
}

extension Event {
    var record: EventRecord {
        EventRecord(
            clientID: Array(clientID.utf8), type: Array(type.utf8), clientTime: Array(clientTimestamp.utf8),
            created: createdAt, payload: payload.canonical)
    }

    /// Reads what a batch holds.
    init(record: EventRecord) throws(EventFormError) {
        func text(_ bytes: [UInt8], _ what: String) throws(EventFormError) -> String {
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw EventFormError(reason: "\(what) is not UTF-8")
            }
            return text
        }
        guard record.payload.count <= 2 * Event.payloadLimit else {
            throw EventFormError(reason: "the payload is over 1 MiB")
        }
        let payload: JSON
        do { payload = try JSON(parsing: record.payload) } catch {
            throw EventFormError(reason: "the payload is not JSON: \(error.reason)")
        }
        try self.init(
            checking: try text(record.clientID, "the id"), type: try text(record.type, "the type"),
            timestamp: try text(record.clientTime, "the time"), payload: payload, createdAt: record.created)
    }
}
