package import CueBase
package import CueCrypto
import CueStorage

/// What devices have seen at each of their commits.
extension FullHistory {
    /// The commit at which its device had seen what these words stand for, and the number of commits that are here and
    /// it had not seen; nil if no commit had. The history as a whole is not looked at.
    package func past(showing words: StateWords, of vault: VaultID) -> (commit: History.Commit, later: Int)? {
        var views: [LogPosition: [DeviceID: CommitMark]] = [:]
        for commit in inOrderOfSight() {
            var view: [DeviceID: CommitMark] = [:]
            let before = commit.record.seen.map(\.position) + (history.previous(of: commit).map { [$0] } ?? [])
            for mark in before.flatMap({ views[$0].map { Array($0.values) } ?? [] }) {
                if let known = view[mark.position.device], known.position >= mark.position { continue }
                view[mark.position.device] = mark
            }
            view[commit.position.device] = CommitMark(commit.position, commit.digest)
            views[commit.position] = view
            guard StateWords(view.values.sorted(), of: vault) == words else { continue }
            let seen = view.values.reduce(0) { $0 + Int(clamping: $1.position.generation) }
            return (commit, max(0, history.commits.count - seen))
        }
        return nil
    }

    /// All commits, each after those that it had seen and that are here. Hostile ones that name each other in a circle
    /// stand anywhere.
    private func inOrderOfSight() -> [History.Commit] {
        var order: [History.Commit] = []
        var entered: Set<LogPosition> = [], left: Set<LogPosition> = []
        for start in history.commits.keys.sorted() {
            var open = [start]
            while let next = open.last {
                guard let commit = history.commits[next], !left.contains(next) else {
                    open.removeLast()
                    continue
                }
                guard entered.insert(next).inserted else {
                    open.removeLast()
                    left.insert(next)
                    order.append(commit)
                    continue
                }
                let before = commit.record.seen.map(\.position) + (history.previous(of: commit).map { [$0] } ?? [])
                open += before.filter { !entered.contains($0) }
            }
        }
        return order
    }
}
