import CueBase
import CueEvents
import CueLibrary
import CueSystem
import CueVault
import Foundation

/// Notes progress and word counts after documents were stored, and pins the version before most words went.
///
/// A watcher knows how long a person wrote; a backup by hand only knows that something is new.
package struct WordTracking {
    /// The shortest session that is progress, in seconds; the same as in the application that the rule is from.
    static let session = 30.0
    /// Half a minute of writing at fifteen words a minute: for documents that are saved once, at the end of a session.
    static let sessionWords = 8
    /// How many documents of one sync are looked up in the vault's history.
    private static let lookUps = 64
    /// How many seconds all documents of one sync may take.
    private static let seconds = 5.0
    /// The limits of counting after a backup by hand, as a person waits for it.
    private static let byHand = (documents: 16, bytes: Int64(8 << 20), commits: 256)

    private let context: EngineContext
    private var library: OpenLibrary { context.library }
    /// The vault's history, read when it is first needed.
    private var past: (history: History, texts: Texts)?
    /// How many versions were looked up.
    private var lookedUp = 0
    /// Whether the history may be read. A long one takes a second: a watcher can wait, a person does not.
    private var mayLookUp = true

    init(_ context: EngineContext) { self.context = context }

    /// Whether more than half of the words, and at least 200, are gone.
    static func fell(from before: Int, to after: Int) -> Bool { before - after >= 200 && after * 2 < before }

    /// After a backup or sync by hand: anything new is progress, as it is unknown how long it took. Words are counted
    /// only if that is little work.
    static func noteByHand(_ stored: [StoredDocument], _ context: EngineContext) {
        // The documents are in the vault already: an error of noting is no failure.
        if !stored.isEmpty { try? noteAllByHand(stored, context) }
    }

    private static func noteAllByHand(_ stored: [StoredDocument], _ context: EngineContext) throws {
        var writing = WordTracking(context)
        let (settings, commits) = try context.library.store.read { (try $0.settings(), try $0.seen().count) }
        writing.mayLookUp = commits <= byHand.commits
        let isLittle = stored.count <= byHand.documents
        for document in stored where isLittle || settings[document.project] != nil {
            try writing.noteByHand(document, hasSettings: settings[document.project] != nil, counts: isLittle)
        }
    }

    /// The same for one document. `counts`: whether to count its words.
    private mutating func noteByHand(_ document: StoredDocument, hasSettings: Bool, counts: Bool) throws {
        let old = try library.store.read { try $0.counted(of: document.project) }
        var now = WordCount(version: document.version, words: nil, content: document.content)
        guard old?.content != document.content else { return try keep(document, old?.words) }
        var before: Int?
        if counts { (before, now.words) = try count(document, old, upTo: Self.byHand.bytes) }
        let (after, time) = (now.words, context.clock.now)
        try library.store.write { transaction in
            try transaction.setCounted(now, of: document.project)
            if hasSettings { try transaction.noteProgress(on: document.project, at: min(document.edited, time)) }
            try Self.addWords(of: document, before, after, at: time, transaction)
        }
    }

    /// After a sync of a watcher. `lengths`: seconds of writing in each document, as far as the watcher noticed it.
    mutating func note(_ stored: [StoredDocument], lengths: [RelativePath: Double]) throws {
        guard !stored.isEmpty else { return }
        let clock = context.clock
        let end = clock.seconds + Self.seconds
        let settings = try library.store.read { try $0.settings() }
        for document in stored {
            guard clock.seconds < end, !context.cancellation.isRequested else { return }
            try note(document, length: lengths[document.path] ?? 0, hasSettings: settings[document.project] != nil)
        }
    }

    /// The same for one document.
    private mutating func note(_ document: StoredDocument, length: Double, hasSettings: Bool) throws {
        let old = try library.store.read { try $0.counted(of: document.project) }
        var now = WordCount(version: document.version, words: old?.words, content: document.content)
        guard old?.content != document.content else { return try keep(document, old?.words) }
        let before: Int?
        (before, now.words) = try count(document, old, upTo: .max)
        if let old = before, let new = now.words, Self.fell(from: old, to: new) {
            // The document may have changed since it was stored, or be away for a moment: count the stored version.
            now.words = try words(of: document.version)
        }
        let (after, isSession, time) = (now.words, length >= Self.session, context.clock.now)
        try library.store.write { transaction in
            try transaction.setCounted(now, of: document.project)
            let written = before.flatMap { before in after.map { abs($0 - before) } } ?? 0
            if hasSettings, isSession || written >= Self.sessionWords || after == nil {
                try transaction.noteProgress(on: document.project, at: min(document.edited, time))
            }
            try Self.addWords(of: document, before, after, at: time, transaction)
            if let before, let after, Self.fell(from: before, to: after) {
                try transaction.pin(
                    Pin(
                        version: document.parent, project: document.project, path: document.path,
                        time: time, before: before, after: after))
            }
        }
    }

    /// Only the times or the name of the document are new: its count stays.
    private func keep(_ document: StoredDocument, _ words: Int?) throws {
        let now = WordCount(version: document.version, words: words, content: document.content)
        try library.store.write { try $0.setCounted(now, of: document.project) }
    }

    /// The words of the parent version, and of the document in the folder; nil if it is larger than `bytes` or has no
    /// readable text.
    private mutating func count(
        _ document: StoredDocument, _ old: WordCount?, upTo bytes: Int64
    ) throws -> (before: Int?, after: Int?) {
        guard let folder = FolderDocument(at: document.path, in: library.root),
            folder.files.reduce(0, { $0 + $1.size }) <= bytes, let after = folder.sections()?.words
        else { return (nil, nil) }
        let before = old?.version == document.parent ? old?.words : nil
        return (try before ?? words(of: document.parent), after)
    }

    // MARK: Words of a day

    /// Adds a change to the words of the day, if both counts are known.
    private static func addWords(
        of document: StoredDocument, _ before: Int?, _ after: Int?, at now: Timestamp,
        _ transaction: LocalStore.Transaction
    ) throws {
        guard let before, let after, before != after else { return }
        try transaction.addWords(
            of: document.project, at: document.path, on: Self.day(now), from: before, to: after)
    }

    /// The day of a moment, such as `2026-11-21`. It begins at six in the morning, as in the garden.
    private static func day(_ now: Timestamp) -> String { GardenCalendar(.current).dayKey(now) }

    /// Makes events of the days that are over.
    static func tellWords(_ library: OpenLibrary) throws {
        let now = library.clock.now
        let today = day(now)
        guard try library.store.read({ try $0.hasWords(before: today) }) else { return }
        try library.store.write { transaction in
            for row in try transaction.takeWords(before: today) where row.first != row.last {
                try transaction.note(
                    .words(
                        name: Display.text(row.path), project: row.project, day: row.day, change: row.last - row.first,
                        total: row.last), at: now)
            }
        }
    }

    /// The words of a version in the vault; nil if cue cannot read it, or enough was looked up.
    private mutating func words(of version: VersionID) throws -> Int? {
        if past == nil {
            guard mayLookUp, lookedUp < Self.lookUps else { return nil }
            let vault = context.vault
            var history = try History.load(vault)
            let packs = try history.findPacks(in: vault)
            past = (history, try Texts(vault, history, packs))
        }
        lookedUp += 1
        guard lookedUp <= Self.lookUps, let past, let found = past.history.versions[version] else { return nil }
        return past.texts.words(of: found)
    }

    /// Reminders for pins of the last week that were not shown yet.
    static func untold(_ library: OpenLibrary) throws -> [Reminder] {
        let now = library.clock.now
        return try library.store.read { transaction in
            let (delivered, settings) = (try transaction.delivered(), try transaction.settings())
            return try transaction.pins().filter { now.milliseconds - $0.time.milliseconds < 7 * 86_400_000 }.map {
                pin in
                Reminder.wordsFell(
                    of: pin.project, title: settings[pin.project]?.title ?? LocalProject.title(of: pin.path),
                    path: pin.path, from: pin.before, to: pin.after,
                    kept: pin.version, now: now)
            }.filter { delivered[$0.id] == nil }
        }
    }
}
