package import CueBase
package import CueStorage

/// The order of snapshots. It follows what each had seen; clocks decide only between two of which neither had seen the
/// other.
extension History {
    /// The commits that a commit names as seen, and its previous one.
    fileprivate func before(_ commit: Commit) -> [LogPosition] {
        commit.record.seen.map(\.position) + (previous(of: commit).map { [$0] } ?? [])
    }

    /// The snapshot to show on a device that has everything in the vault. It contains what this device stored up to
    /// `own`, and of those that do it has seen most of the devices' newest snapshots.
    ///
    /// nil if there is none. Reads the last commits that a checkpoint covers. Throws `StorageError`.
    package func snapshot(after own: LogPosition?, in vault: Vault) throws -> CommitID? {
        let tips = try newestSnapshots(in: vault)
        let reaches = tips.map(reach)
        let fit = reaches.filter { reach in own.map(reach.holds) ?? true }
        let counted = fit.map { reach in (count: tips.count { reach.holds($0.position) }, position: reach.tip) }
        return counted.max { $0 < $1 }?.position.commit
    }

    /// The newest snapshots of each device, also if a checkpoint covers them.
    private func newestSnapshots(in vault: Vault) throws -> [Commit] {
        let snapshots = Dictionary(
            grouping: commits.values.filter { $0.record.isSnapshot && !setAside.contains($0.position) },
            by: \.position.device)
        var tips = snapshots.values.flatMap { commits in
            let newest = commits.reduce(0) { max($0, $1.position.generation) }
            return commits.filter { $0.position.generation == newest }
        }
        let summed = Set(
            coverage.lazy.map(\.position).filter { position in
                snapshots[position.device] == nil && commits[position] == nil
                    && !shutOuts.contains { $0.shutOut.device == position.device }
            })
        guard !summed.isEmpty else { return tips }
        for entry in try vault.commits() where summed.contains(entry.position) {
            guard let object = try? vault.commit(entry), let record = object.commit, record.isSnapshot else { continue }
            tips.append(
                Commit(
                    position: entry.position, record: record, versionCount: object.versions.count, size: entry.size,
                    digest: object.authorship?.digest))
        }
        return tips
    }

    /// All that a commit has seen, as far as it is there, and the first commits that are not.
    private struct Reach {
        let tip: LogPosition
        var seen: Set<LogPosition> = []
        /// Of each device the newest generation that was seen and is not there. It stands for those before it: of
        /// covered commits only the last are named, and their logs have no forks.
        var summedUp: [DeviceID: UInt64] = [:]

        /// True if `wanted` is the commit itself or among what it has seen.
        func holds(_ wanted: LogPosition) -> Bool {
            wanted == tip || seen.contains(wanted) || summedUp[wanted.device].map { $0 > wanted.generation } ?? false
        }
    }

    private func reach(of tip: Commit) -> Reach {
        var reach = Reach(tip: tip.position)
        var open = before(tip)
        while let next = open.popLast() {
            guard reach.seen.insert(next).inserted else { continue }
            if let commit = commits[next] {
                open += before(commit)
            } else {
                reach.summedUp[next.device] = max(next.generation, reach.summedUp[next.device] ?? 0)
            }
        }
        return reach
    }
}

extension FullHistory {
    /// The snapshots, the oldest first. Each comes after all that it had seen.
    package var snapshots: [History.Commit] {
        let ranks = ranks()
        return history.commits.values.compactMap { commit in
            commit.record.isSnapshot && !history.setAside.contains(commit.position)
                ? ranks[commit.position].map { (rank: $0, commit: commit) } : nil
        }.sorted { ($0.rank, $0.commit.position) < ($1.rank, $1.commit.position) }.map(\.commit)
    }

    /// The place of a commit in the order: the newest time among it and all that it had seen, then the longest chain of
    /// commits to it.
    private struct Rank: Comparable {
        var time: Timestamp
        var steps = 0

        static func < (x: Rank, y: Rank) -> Bool { (x.time, x.steps) < (y.time, y.steps) }
    }

    private func ranks() -> [LogPosition: Rank] {
        var ranks: [LogPosition: Rank] = [:]
        // Hostile commits may name each other in a circle, so each is entered once.
        var entered: Set<LogPosition> = []
        for start in history.commits.keys {
            var open = [start]
            while let next = open.last {
                guard let commit = history.commits[next], ranks[next] == nil else {
                    open.removeLast()
                    continue
                }
                let before = history.before(commit)
                guard !entered.insert(next).inserted else {
                    open += before.filter { !entered.contains($0) }
                    continue
                }
                let known = before.compactMap { ranks[$0] }
                ranks[next] = Rank(
                    time: known.reduce(commit.record.time) { max($0, $1.time) },
                    steps: known.reduce(0) { max($0, $1.steps + 1) })
            }
        }
        return ranks
    }
}
