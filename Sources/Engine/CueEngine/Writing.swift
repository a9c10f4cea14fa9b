import CueBase
import CueEvents
import CueLibrary
import CueSystem
package import CueVault
import Foundation

/// What is noted after documents were stored: that somebody wrote, and that a document lost most of its words.
///
/// A watcher knows for how long somebody wrote; a backup by hand knows only that something is new.
package struct Writing {
    /// A session: half a minute or more, as the application that the rule is from has it.
    static let session = 30.0
    /// Half a minute of writing in words, at fifteen a minute: for what was saved once, at the end of a session.
    static let sessionWords = 8
    /// How many documents of one sync are looked up in the vault's history, and for how many seconds all are read.
    private static let lookUps = 64
    private static let seconds = 5.0
    /// What is counted after a backup by hand, for which somebody waits.
    private static let byHand = (documents: 16, bytes: Int64(8 << 20), commits: 256)

    private let library: OpenLibrary
    private let vault: Vault
    private var past: (history: History, texts: Texts)?
    private var lookedUp = 0
    /// A long history takes a second to read: a watcher has it, and whoever waits has not.
    private var mayLookUp = true

    init(_ library: OpenLibrary, _ vault: Vault) { (self.library, self.vault) = (library, vault) }

    /// Fell sharply: more than half of the words are gone, and no fewer than two hundred.
    static func fell(from before: Int, to after: Int) -> Bool { before - after >= 200 && after * 2 < before }

    /// After a backup or sync by hand: anything new is progress, as nobody knows how long it took. Words are counted where that is
    /// little work.
    package static func noteByHand(_ stored: [Backup.Stored], in library: OpenLibrary, _ vault: Vault) throws {
        guard !stored.isEmpty else { return }
        var writing = Writing(library, vault)
        let (settings, commits) = try library.store.read { (try $0.settings(), try $0.seen().count) }
        writing.mayLookUp = commits <= byHand.commits
        let isLittle = stored.count <= byHand.documents
        for document in stored where isLittle || settings[document.project] != nil {
            try writing.noteByHand(document, hasSettings: settings[document.project] != nil, counts: isLittle)
        }
    }

    private mutating func noteByHand(_ document: Backup.Stored, hasSettings: Bool, counts: Bool) throws {
        let old = try library.store.read { try $0.counted(of: document.project) }
        var now = Counted(version: document.version, words: nil, content: document.content)
        guard old?.content != document.content else { return try keep(document, old?.words) }
        var before: Int?
        if counts { (before, now.words) = try count(document, old, upTo: Self.byHand.bytes) }
        let after = now.words
        try library.store.write { transaction in
            try transaction.setCounted(now, of: document.project)
            if hasSettings {
                try transaction.noteProgress(on: document.project, at: min(document.edited, Environment.now))
            }
            try Self.addWords(of: document, before, after, transaction)
        }
    }

    /// After a sync of a watcher. `lengths`: for how many seconds somebody wrote, as far as it was heard.
    mutating func note(_ stored: [Backup.Stored], lengths: [RelativePath: Double]) throws {
        guard !stored.isEmpty else { return }
        let end = Environment.monotonicSeconds + Self.seconds
        let settings = try library.store.read { try $0.settings() }
        for document in stored {
            guard Environment.monotonicSeconds < end, !Interruption.isRequested else { return }
            try note(document, length: lengths[document.path] ?? 0, hasSettings: settings[document.project] != nil)
        }
    }

    private mutating func note(_ document: Backup.Stored, length: Double, hasSettings: Bool) throws {
        let old = try library.store.read { try $0.counted(of: document.project) }
        var now = Counted(version: document.version, words: old?.words, content: document.content)
        guard old?.content != document.content else { return try keep(document, old?.words) }
        let before: Int?
        (before, now.words) = try count(document, old, upTo: .max)
        if let old = before, let new = now.words, Self.fell(from: old, to: new) {
            // The document may have gone on since it was stored, or be away for a moment: the stored version decides.
            now.words = try words(of: document.version)
        }
        let (after, isSession) = (now.words, length >= Self.session)
        try library.store.write { transaction in
            try transaction.setCounted(now, of: document.project)
            let written = before.flatMap { before in after.map { abs($0 - before) } } ?? 0
            if hasSettings, isSession || written >= Self.sessionWords || after == nil {
                try transaction.noteProgress(on: document.project, at: min(document.edited, Environment.now))
            }
            try Self.addWords(of: document, before, after, transaction)
            if let before, let after, Self.fell(from: before, to: after) {
                try transaction.pin(
                    Pin(
                        version: document.parent, project: document.project, path: document.path,
                        time: Environment.now, before: before, after: after))
            }
        }
    }

    /// Only its times are new, or its name.
    private func keep(_ document: Backup.Stored, _ words: Int?) throws {
        let now = Counted(version: document.version, words: words, content: document.content)
        try library.store.write { try $0.setCounted(now, of: document.project) }
    }

    /// The words of the version before, and of the document as it is in the folder.
    private mutating func count(
        _ document: Backup.Stored, _ old: Counted?, upTo bytes: Int64
    ) throws -> (before: Int?, after: Int?) {
        guard let folder = FolderDocument(at: document.path, in: library.root),
            folder.files.reduce(0, { $0 + $1.size }) <= bytes, let after = folder.sections()?.words
        else { return (nil, nil) }
        let before = old?.version == document.parent ? old?.words : nil
        return (try before ?? words(of: document.parent), after)
    }

    // MARK: Words of a day

    private static func addWords(
        of document: Backup.Stored, _ before: Int?, _ after: Int?, _ transaction: LocalStore.Transaction
    ) throws {
        guard let before, let after, before != after else { return }
        try transaction.addWords(
            of: document.project, at: document.path, on: Self.day(Environment.now), from: before, to: after)
    }

    /// The day of a moment; it begins at six in the morning, as in the garden.
    private static func day(_ now: Timestamp) -> String { GardenCalendar(.current).dayKey(now) }

    /// Makes events of the days that are over.
    static func tellWords(_ library: OpenLibrary, now: Timestamp = Environment.now) throws {
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

    private mutating func words(of version: VersionID) throws -> Int? {
        if past == nil {
            guard mayLookUp, lookedUp < Self.lookUps else { return nil }
            var history = try History.load(vault)
            try history.findPacks(in: vault)
            past = (history, try Texts(vault, history))
        }
        lookedUp += 1
        guard lookedUp <= Self.lookUps, let past, let found = past.history.versions[version] else { return nil }
        return past.texts.words(of: found)
    }

    /// Pins of the last week of which nobody was told.
    static func untold(_ library: OpenLibrary, now: Timestamp = Environment.now) throws -> [Reminder] {
        try library.store.read { transaction in
            let delivered = try transaction.delivered()
            return try transaction.pins().filter { now.milliseconds - $0.time.milliseconds < 7 * 86_400_000 }.map {
                pin in
                Reminder.wordsFell(
                    of: pin.project, title: LocalProject.title(of: pin.path), path: Display.text(pin.path),
                    from: pin.before, to: pin.after,
                    kept: pin.version, now: now)
            }.filter { delivered[$0.id] == nil }
        }
    }
}

/// When somebody writes in which document: until nothing is heard of it for five minutes.
struct WritingSessions {
    private static let pause = 300.0
    private var sessions: [RelativePath: (first: Double, last: Double)] = [:]

    mutating func note(_ path: RelativePath, at now: Double) {
        if let session = sessions[path], now - session.last < Self.pause {
            sessions[path]?.last = now
        } else {
            sessions[path] = (now, now)
        }
    }

    /// What a sync did itself is nobody's work.
    mutating func forget(_ paths: some Sequence<RelativePath>) { for path in paths { sessions[path] = nil } }

    /// How long each lasts, in seconds; those that are over are left out from then on.
    mutating func lengths(at now: Double) -> [RelativePath: Double] {
        defer { sessions = sessions.filter { now - $0.value.last < Self.pause } }
        return sessions.mapValues { $0.last - $0.first }
    }
}

extension LocalStore.Transaction {
    /// For a project that nobody set anything for there is nothing to remind of, and nothing to keep.
    func noteProgress(on project: ProjectID, at time: Timestamp) throws {
        guard var settings = try settings(of: project) else { return }
        settings.lastProgressAt = time
        try set(settings, of: project)
    }
}
