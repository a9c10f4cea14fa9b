import CueBase
import CueVault

/// Versions of one project as a sync sees them: what each holds, and what each two of them came from.
struct SyncForks {
    let history: History
    let vault: Vault
    /// How far back it is looked for what several nearest versions become. Each step looks at all pairs of those again: where answers
    /// crossed many times, one question more is better than a sync that does not end.
    private static let reach = 2

    /// A keyed hash of what a writer would call the content of each; nothing for a deletion.
    func contents(of versions: [History.Version]) throws -> [VersionID: UInt64] {
        var contents: [VersionID: UInt64] = [:]
        for version in versions where !version.header.isTombstone {
            let members = try history.members(of: version.id)
            contents[version.id] = vault.contentFingerprint(of: members.filter { isContent($0) })
        }
        return contents
    }

    /// A folder in a bundle says nothing that its files do not: nobody is asked about an empty one.
    private func isContent(_ member: Member) -> Bool {
        !Churn.isChurn(member.path) && (member.path.isRoot || member.content != .folder)
    }

    func head(_ version: History.Version, _ contents: [VersionID: UInt64]) -> SyncView.Head {
        SyncView.Head(
            id: version.id, path: version.header.path, kind: version.header.kind,
            content: version.header.isTombstone ? nil : contents[version.id] ?? 0)
    }

    /// What becomes of these where nobody has any of them on a disk.
    func decision(on versions: [History.Version], reach: Int = reach) throws -> SyncDecision {
        let contents = try contents(of: versions)
        return SyncView(
            base: nil, local: .absent, heads: versions.map { head($0, contents) },
            origins: try origins(of: versions, reach: reach)
        ).decision
    }

    func origins(of versions: [History.Version], reach: Int = reach) throws -> [Set<VersionID>: SyncView.Head] {
        var origins: [Set<VersionID>: SyncView.Head] = [:]
        for (number, one) in versions.enumerated() {
            for other in versions[..<number] {
                origins[[one.id, other.id]] = try origin(of: [one.id, other.id], reach: reach)
            }
        }
        return origins
    }

    /// What two came from. Where that is several versions, it is what those become without a person: two devices that joined the same
    /// heads at once agree. nil where they share nothing, and where a person has to choose: of two answers to one question neither
    /// is "unchanged".
    private func origin(of two: [VersionID], reach: Int) throws -> SyncView.Head? {
        let nearest = history.nearestCommon(of: two)
        let contents = try contents(of: nearest)
        guard nearest.count > 1 else { return nearest.first.map { head($0, contents) } }
        guard reach > 0, case .join(let content, let path, _) = try decision(on: nearest, reach: reach - 1) else {
            return nil
        }
        return SyncView.Head(id: content, path: path, kind: nearest[0].header.kind, content: contents[content])
    }
}
