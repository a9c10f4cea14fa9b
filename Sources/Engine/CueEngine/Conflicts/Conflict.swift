package import CueBase
import CueLibrary
package import CueVault

/// A conflict as it is asked about: versions of one document of which none came from another.
package struct Conflict: Sendable {
    /// Heads that hold the same are one side.
    package struct Side: Sendable {
        package let version: History.Version
        package let heads: [VersionID]
        /// Whether this device wrote it, or has it on its disk.
        package let isHere: Bool
        package var isDeletion: Bool { version.header.isTombstone }
    }

    package let project: ProjectID
    package let path: RelativePath
    package let kind: ProjectKind
    /// This device's first.
    package let sides: [Side]
    /// What all came from.
    package let origin: History.Version?

    /// Heads that say the same as one of these, so that nobody is asked about them; an answer takes their place too.
    private let equalHeads: [VersionID]

    package var heads: Set<VersionID> { Set(sides.flatMap(\.heads) + equalHeads) }
    package var this: Side? { sides.first.flatMap { $0.isHere ? $0 : nil } }
    package var others: [Side] { sides.filter { !$0.isHere } }

    /// `contents`: a keyed hash of each live head; `base`: what this device has on its disk, and `here` a hash of that.
    init(
        _ project: LibraryState.Project, _ past: FullHistory, contents: [VersionID: UInt64], base: VersionID?,
        here: UInt64?, device: DeviceID
    ) {
        let groups = Dictionary(grouping: project.heads) { $0.header.isTombstone ? nil : contents[$0.id] }
        var sides = groups.values.map { heads in
            // Another version of the same text counts as this device's own too, where it has none of these heads.
            let isBase = project.headIDs.contains { $0 == base }
            let own = heads.first { $0.id == base || !isBase && here != nil && contents[$0.id] == here }
            return Side(
                version: own ?? heads.max { $0.id < $1.id } ?? project.shown, heads: heads.map(\.id).sorted(),
                isHere: own != nil)
        }
        if base == nil || !sides.contains(where: \.isHere) {
            // This device deleted the document, or has none of these versions on its disk.
            sides = sides.map { side in
                // Of deletions that say the same its own may be one that is not shown.
                let heads = side.heads + (side.isDeletion ? project.equalHeads : [])
                let own = heads.compactMap { past.versions[$0] }.contains {
                    $0.device == device && $0.header.isTombstone
                }
                return Side(version: side.version, heads: side.heads, isHere: own)
            }
        }
        self.sides = sides.sorted { a, b in
            if a.isHere != b.isHere { return a.isHere }
            return a.version.id < b.version.id
        }
        (self.project, equalHeads) = (project.id, project.equalHeads)
        path = (self.sides.first { !$0.isDeletion } ?? self.sides[0]).version.header.path
        kind = project.shown.header.kind
        origin = past.origin(of: project.heads.map(\.id))
    }

    /// Whether an answer says which side is meant.
    package func allows(_ keep: Keep) -> Bool { (try? side(keep)) != nil }

    /// The side that an answer names.
    func side(_ keep: Keep) throws -> Side {
        switch keep {
        case .this:
            guard let this else {
                throw EngineError.notHere(Display.text(path), versions: sides.map(\.version.id.short))
            }
            return this
        case .other:
            guard others.count == 1 else {
                throw EngineError.manyOthers(Display.text(path), versions: others.map(\.version.id.short))
            }
            return others[0]
        case .both: return sides.first { !$0.isDeletion } ?? sides[0]
        case .version(let id):
            guard let side = sides.first(where: { $0.heads.contains(id) }) else {
                throw EngineError.unknownVersion(id.short)
            }
            return side
        }
    }
}
