package import CueBase
import CueLibrary
import CueStorage
import CueVault

/// Where what a restore brings was stored.
package struct RestoreSource: Sendable {
    /// The only document, or the file of it that came; nil if there are several.
    package let only: RelativePath?
    /// The version of the only document; nil if there are several.
    package let version: VersionID?
    /// The snapshot whose state was asked for; nil if none was.
    package let snapshot: CommitID?
    /// When the only document was stored, else the snapshot, else the last of the documents; by the clock of `device`.
    package let time: Timestamp
    /// The name of the device that stored it.
    package let device: String

    /// Of what came by a plan, or was there already; nil if no document did. `failed`: paths that could not be restored, or
    /// came and have a note. `placed`: those that came.
    init?(_ plan: RestorePlan, _ history: History, failed reported: [SkippedPath], placed: [RelativePath: UInt64]) {
        var failed: Set<RelativePath> = []
        for path in reported.compactMap(\.path) {
            // A bundle fails with each of its members.
            var next: RelativePath? = path
            while let path = next, failed.insert(path).inserted { next = path.parent }
        }
        let documents = plan.placed.filter {
            $0.isDocument && (placed[$0.place] != nil || !failed.contains($0.place))
        }
        let versions = documents.compactMap { history.versions[$0.version] }
        guard let last = versions.max(by: { ($0.time, $0.id) < ($1.time, $1.id) }) else { return nil }
        only = documents.count == 1 ? documents[0].place : nil
        version = only == nil ? nil : last.id
        snapshot = plan.snapshot?.commit
        if only == nil, let position = plan.snapshot, let commit = history.commits[position] {
            (time, device) = (commit.record.time, history.name(of: position.device))
        } else {
            (time, device) = (last.time, history.name(of: last.device))
        }
    }
}
