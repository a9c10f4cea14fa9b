import CueBase
import CueStorage

/// Reads commits in one pass over the log, each from where it stands whole: its own object, or else a run
/// (docs/format.md §12).
struct CommitReader {
    /// A commit, and what was found beside it.
    struct Reading {
        let object: RecordObject
        /// The run in which it was read; nil for its own object.
        let run: RunEntry?
        /// Why its own object was not read, where that is listed.
        var damage: VaultError?
        /// The runs that hold another commit under its position.
        var otherForms: [RunEntry] = []
    }

    private let vault: Vault
    /// The whole log as it is now. It is listed once a commit is not found where it was listed.
    private var log: [LogPosition: LogEntry]?
    /// The runs that do not open, with the reason.
    private var broken: [RunEntry: VaultError] = [:]

    init(_ vault: Vault) { self.vault = vault }

    /// Reads a commit. `more` is the bytes of the commits whose chunks will join the same index later.
    ///
    /// Throws `VaultError.damaged` or `.missing` if it stands nowhere whole, or if two runs say otherwise of it and its
    /// own object does not decide; and `StorageError` for an error that heals by itself.
    mutating func read(_ entry: LogEntry, roomFor more: Int = 0) throws -> Reading {
        if let known = log?[entry.position], known.run != nil, entry.run == nil { return try readRuns(known, nil) }
        guard entry.run == nil else { return try readRuns(entry, nil) }
        do {
            var reading = Reading(object: try vault.ownCommit(entry, roomFor: more), run: nil)
            reading.otherForms = try otherForms(of: reading.object, at: entry)
            return reading
        } catch let error as VaultError {
            return try readRuns(entry.copies.isEmpty ? listed(entry) : entry, error)
        }
    }

    /// The commit as the log lists it now.
    private mutating func listed(_ entry: LogEntry) throws -> LogEntry {
        if log == nil {
            log = Dictionary(try vault.commits().map { ($0.position, $0) }, uniquingKeysWith: { one, _ in one })
        }
        return log?[entry.position] ?? entry
    }

    /// Reads a commit from the runs that list it. `damage`: the error of its own object; nil if there is none.
    private mutating func readRuns(_ entry: LogEntry, _ damage: VaultError?) throws -> Reading {
        var (first, error): (Reading?, VaultError?) = (nil, damage)
        for run in entry.runs {
            // Runs that list the same digest hold the same.
            if let first, try digest(of: entry.position, in: run) == first.object.authorship?.digest { continue }
            do {
                guard let object = try open(run).commits[entry.position] else { continue }
                if let other = first?.run, object.authorship?.digest != first?.object.authorship?.digest {
                    throw VaultError.damaged(.object(run.name.text), .otherForm(of: other.name.text))
                }
                first = first ?? Reading(object: object, run: run)
            } catch let flaw as VaultError {
                if case .damaged(_, .otherForm) = flaw { throw flaw }
                error = error ?? flaw
            }
        }
        guard var reading = first else {
            throw error ?? .missing(.object(ObjectRecordLog.name(of: entry.position).text))
        }
        // An object that is gone was probably removed because the run has it.
        if let damage, case .damaged = damage { reading.damage = damage }
        return reading
    }

    /// The runs that open and hold another commit under this position than its own object.
    private mutating func otherForms(of object: RecordObject, at entry: LogEntry) throws -> [RunEntry] {
        try entry.copies.filter { run in
            guard let digest = try digest(of: entry.position, in: run), digest != object.authorship?.digest else {
                return false
            }
            do { return try open(run).commits[entry.position] != nil } catch is VaultError { return false }
        }
    }

    private func digest(of position: LogPosition, in run: RunEntry) throws -> CommitDigest? {
        let marks: [CommitMark]
        do { marks = try vault.marks(of: run) } catch is VaultError { return nil }
        var (low, high) = (0, marks.count)
        while low < high {
            let middle = (low + high) / 2
            if marks[middle].position < position { low = middle + 1 } else { high = middle }
        }
        return low < marks.count && marks[low].position == position ? marks[low].digest : nil
    }

    private mutating func open(_ run: RunEntry) throws -> OpenRun {
        if let error = broken[run] { throw error }
        do { return try vault.run(run) } catch let error as VaultError {
            broken[run] = error
            throw error
        }
    }

    /// The packs that these runs name; nothing of one that does not open.
    mutating func packs(of runs: some Sequence<RunEntry>) throws -> [PackRecord] {
        var packs: [PackRecord] = []
        for run in runs {
            do { packs += try open(run).packs } catch is VaultError {}
        }
        return packs
    }
}
