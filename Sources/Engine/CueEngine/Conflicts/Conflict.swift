package import CueBase
import CueLibrary
package import CueVault

/// A conflict as a person is asked about it: versions of one document, none of which came from another.
package struct Conflict: Sendable {
    /// The heads of the conflict that have the same content.
    package struct Side: Sendable {
        /// The version that stands for the side: this device's own where it has one, else the one with the largest id.
        package let version: History.Version
        /// The ids of all heads of the side, in ascending order.
        package let heads: [VersionID]
        /// Whether this device has the side: it wrote the deletion, or the content is on the disk.
        package let isHere: Bool
        /// Whether the side is a deletion of the document.
        package var isDeletion: Bool { version.header.isTombstone }
    }

    /// The project whose heads conflict.
    package let project: ProjectID
    /// The path of the first side that is no deletion.
    package let path: RelativePath
    /// The kind of the project's shown version.
    package let kind: ProjectKind
    /// This device's side first, then the others by the device that wrote them: a later version of a device stands where
    /// its earlier one stood.
    package let sides: [Side]
    /// The nearest version that all heads came from, for display only; nil if there is none.
    package let origin: History.Version?

    /// Heads equal to a head of `sides` in kind, path and members. They are not shown; an answer replaces them too.
    private let equalHeads: [VersionID]

    /// All heads of the project, including those that are not shown. An answer is bound to them.
    package var heads: Set<VersionID> { Set(sides.flatMap(\.heads) + equalHeads) }
    /// This device's side; nil if it has none of the versions.
    package var this: Side? { sides.first.flatMap { $0.isHere ? $0 : nil } }
    /// The sides that other devices have.
    package var others: [Side] { sides.filter { !$0.isHere } }

    /// `contents`: a hash of the content of each live head. `base`: the version on this device's disk; nil if there is
    /// none. `here`: the same hash of `base`.
    init(
        _ project: LibraryState.Project, _ past: FullHistory, contents: [VersionID: UInt64], base: VersionID?,
        here: UInt64?, device: DeviceID
    ) {
        let groups = Dictionary(grouping: project.heads) { $0.header.isTombstone ? nil : contents[$0.id] }
        var sides = groups.values.map { heads in
            // If the base is none of the heads, a head with the same content counts as this device's own.
            let isBase = project.headIDs.contains { $0 == base }
            let own = heads.first { $0.id == base || !isBase && here != nil && contents[$0.id] == here }
            return Side(
                version: own ?? heads.max { $0.id < $1.id } ?? project.shown, heads: heads.map(\.id).sorted(),
                isHere: own != nil)
        }
        if base == nil || !sides.contains(where: \.isHere) {
            // This device deleted the document, or has none of these versions on its disk.
            sides = sides.map { side in
                // Equal deletions count as one head, and this device's own may be among those that are not shown.
                let heads = side.heads + (side.isDeletion ? project.equalHeads : [])
                let own = heads.compactMap { past.versions[$0] }.contains {
                    $0.device == device && $0.header.isTombstone
                }
                return Side(version: side.version, heads: side.heads, isHere: own)
            }
        }
        // An undone answer leaves the other device's text on the disk where this device had deleted the document.
        let writers = sides.map { past.source(of: $0.version).device }
        if let own = sides.indices.first(where: { sides[$0].isDeletion && writers[$0] == device }),
            !sides.indices.contains(where: { sides[$0].isHere && writers[$0] == device })
        {
            sides = sides.indices.map {
                Side(version: sides[$0].version, heads: sides[$0].heads, isHere: $0 == own)
            }
        }
        self.sides = zip(sides, writers).sorted { a, b in
            if a.0.isHere != b.0.isHere { return a.0.isHere }
            return (a.1, a.0.version.id) < (b.1, b.0.version.id)
        }.map(\.0)
        (self.project, equalHeads) = (project.id, project.equalHeads)
        path = (self.sides.first { !$0.isDeletion } ?? self.sides[0]).version.header.path
        kind = project.shown.header.kind
        origin = past.origin(of: project.heads.map(\.id))
    }

    /// Whether the answer picks exactly one side.
    package func allows(_ keep: Keep) -> Bool { (try? side(keep)) != nil }

    /// The side that an answer picks. Throws `EngineError.notHere` if `this` is asked for and this device has no side,
    /// `manyOthers` unless there is exactly one other side, and `unknownVersion` for a version that is no head.
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
