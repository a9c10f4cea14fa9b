import CueStorage

/// A run, opened: many commits of one device in one object (docs/format.md §12).
struct OpenRun: Sendable {
    /// The commits, each signed by its device and with the digest that the run says.
    let commits: [LogPosition: RecordObject]
    /// The packs that hold what its commits held themselves, as far as it is still needed.
    let packs: [PackRecord]
    /// Roughly the memory that it takes, in bytes.
    let weight: Int
}

/// The runs that a process has read: their lists of commits, and as many of them opened as there is room for. The names
/// of runs are random, and their bytes never change.
struct OpenRuns {
    /// The memory for opened runs, in bytes.
    private static let mostWeight = 32 << 20
    /// The commits of all lists that are remembered: 72 bytes each.
    private static let mostMarks = 1 << 18

    /// The runs that did not open in the last listing, with the reason.
    var broken: [RunEntry: VaultError] = [:]
    private var lists: [RunEntry: [CommitMark]] = [:]
    private var markCount = 0
    /// The run that was used last comes last.
    private var runs: [(entry: RunEntry, run: OpenRun)] = []
    private var opened: Set<RunEntry> = []

    /// True if the run opened as a whole once.
    func wasOpened(_ entry: RunEntry) -> Bool { opened.contains(entry) }

    /// The list of a run; nil if it is not remembered.
    func marks(of entry: RunEntry) -> [CommitMark]? { lists[entry] }

    /// Remembers a list, unless there are very many already.
    mutating func remember(_ marks: [CommitMark], of entry: RunEntry) {
        guard lists[entry] == nil, markCount + marks.count <= Self.mostMarks else { return }
        lists[entry] = marks
        markCount += marks.count
    }

    /// The opened run; nil if it is not remembered.
    mutating func run(_ entry: RunEntry) -> OpenRun? {
        guard let place = runs.lastIndex(where: { $0.entry == entry }) else { return nil }
        if place != runs.count - 1 { runs.append(runs.remove(at: place)) }
        return runs[runs.count - 1].run
    }

    /// Remembers an opened run, however large it is: the next commit is probably in it too.
    mutating func remember(_ run: OpenRun, of entry: RunEntry) {
        opened.insert(entry)
        runs.append((entry, run))
        var weight = runs.reduce(0) { $0 + $1.run.weight }
        while weight > Self.mostWeight, runs.count > 1 { weight -= runs.removeFirst().run.weight }
    }
}
