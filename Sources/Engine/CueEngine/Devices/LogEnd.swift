import CueBase
import CueStorage
import CueVault

/// The commit after which a device is to be shut out: the end of its log, or of the branch that counts.
///
/// A log has several branches where a clone of the disk wrote under the device's id. Whoever has stolen a device can make
/// branches as well, from any commit on. So the one branch counts that another device saw first, as its own commits say.
struct LogEnd {
    /// nil if no commit counts.
    private(set) var last: LogPosition?
    /// True if there was a choice between branches.
    private(set) var isForked = false
    /// True if nothing said which branch came first: it ends before both.
    private(set) var isUndecided = false

    /// `until`: the branch ends before its first commit that is later. `times`: when this device first saw each commit.
    init(of device: DeviceID, until: Timestamp?, in history: History, seenAt times: [CommitID: Timestamp]) {
        let commits = history.commits.filter { $0.key.device == device }
        let seenFirst = Self.seenFirst(commits, times, in: history)
        var after: [LogPosition?: [LogPosition]] = [:]
        for (position, commit) in commits {
            let previous = history.previous(of: commit).flatMap { commits[$0] == nil ? nil : $0 }
            after[previous, default: []].append(position)
        }
        var roots = (after[.none] ?? []).sorted()[...]
        while true {
            // Where a commit is missing, the log goes on with the next one that is there.
            let generation = last?.generation ?? 0
            while let root = roots.first, root.generation <= generation { roots.removeFirst() }
            let next = last.flatMap { after[$0] } ?? Array(roots.prefix { $0.generation == roots.first?.generation })
            if next.count > 1 { isForked = true }
            guard let chosen = Self.chosen(next, seenFirst), let commit = commits[chosen] else {
                isUndecided = !next.isEmpty
                return
            }
            if let until, commit.record.time > until { return }
            last = chosen
        }
    }

    /// When this device first saw each of the commits, or one that comes after it.
    private static func seenFirst(
        _ commits: [LogPosition: History.Commit], _ times: [CommitID: Timestamp], in history: History
    ) -> [LogPosition: Timestamp] {
        var seen: [LogPosition: Timestamp] = [:]
        let known = commits.keys.compactMap { position in times[position.commit].map { (position, $0) } }
        for (position, time) in known.sorted(by: { ($0.1, $0.0) < ($1.1, $1.0) }) {
            var next: LogPosition? = position
            while let here = next, let commit = commits[here], seen[here] == nil {
                seen[here] = time
                next = history.previous(of: commit)
            }
        }
        return seen
    }

    /// The only one, or the one that was seen before all others; nil if that is none.
    private static func chosen(_ next: [LogPosition], _ seenFirst: [LogPosition: Timestamp]) -> LogPosition? {
        guard next.count > 1 else { return next.first }
        let first = next.compactMap { seenFirst[$0] }.min()
        let found = next.filter { seenFirst[$0] == first }
        return first != nil && found.count == 1 ? found.first : nil
    }
}
