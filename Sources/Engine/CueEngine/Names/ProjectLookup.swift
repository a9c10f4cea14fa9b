import CueBase
package import CueVault

/// Finds projects by the names that people type.
package enum ProjectLookup {
    /// The one project of that name, which is its path in the library or the end of it, with or without the ending of
    /// the file. Throws `EngineError.unknownName`, `ambiguousName` or `deletedName`.
    package static func find(_ name: String, in state: LibraryState) throws -> LibraryState.Project {
        if let found = try match(name, state.live) { return found }
        if let deleted = try match(name, state.includingDeleted.live) {
            throw EngineError.deletedName(Display.text(deleted.shown.header.path), at: deleted.shown.time)
        }
        let documents = state.includingDeleted.live.filter(\.shown.header.kind.isDocument)
        throw EngineError.unknownName(name, near: near(name, documents.map(\.shown.header.path)))
    }

    /// The deleted project at exactly this path; nil if there is none, or a project stands there now.
    static func deleted(exactly name: String, in state: LibraryState) -> LibraryState.Project? {
        let wanted = candidates(for: name)
        let exact = state.includingDeleted.live.filter { wanted.contains($0.shown.header.path.bytes) }
        return meant(exact).flatMap { $0.isDeleted ? $0 : nil }
    }

    /// The project that the name means; nil if none fits. An exact path comes before the end of a path, and documents
    /// before folders and links. Throws `EngineError.ambiguousName`.
    private static func match(_ name: String, _ projects: [LibraryState.Project]) throws -> LibraryState.Project? {
        let wanted = candidates(for: name)
        let projects = projects.filter { !$0.shown.header.path.isRoot }
        if let exact = meant(projects.filter { wanted.contains($0.shown.header.path.bytes) }) { return exact }
        let loose = projects.filter { project in wanted.contains { fits($0, project.shown.header.path) } }
        let documents = loose.filter(\.shown.header.kind.isDocument)
        let found = documents.isEmpty ? loose : documents
        if let one = meant(found) { return one }
        guard found.isEmpty else {
            throw EngineError.ambiguousName(name, candidates: found.map { Display.text($0.shown.header.path) })
        }
        return nil
    }

    /// Whether the name could mean this path.
    static func names(_ name: String, _ path: RelativePath) -> Bool {
        candidates(for: name).contains { $0 == path.bytes || fits($0, path) }
    }

    /// Finds a project by name among those that this device remembers, without the vault. Throws
    /// `EngineError.unknownName` or `ambiguousName`.
    package static func find(_ name: String, in projects: [LocalProject]) throws -> LocalProject {
        let wanted = candidates(for: name)
        let named = projects.filter { !$0.path.isRoot }
        if let exact = named.first(where: { wanted.contains($0.path.bytes) }) { return exact }
        let loose = named.filter { project in wanted.contains { fits($0, project.path) } }
        let documents = loose.filter(\.kind.isDocument)
        let found = documents.isEmpty ? loose : documents
        if found.isEmpty {
            throw EngineError.unknownName(name, near: near(name, named.filter(\.kind.isDocument).map(\.path)))
        }
        guard found.count == 1 else {
            throw EngineError.ambiguousName(name, candidates: found.map { Display.text($0.path) })
        }
        return found[0]
    }

    /// Chooses among projects of one name: existing ones before deleted ones, and the newest at one path. nil if more
    /// than one path is left.
    private static func meant(_ found: [LibraryState.Project]) -> LibraryState.Project? {
        let there = found.filter { !$0.isDeleted }
        let candidates = there.isEmpty ? found : there
        guard Set(candidates.map(\.shown.header.path)).count == 1 else { return nil }
        return candidates.max { ($0.shown.time, $0.shown.id) < ($1.shown.time, $1.shown.id) }
    }

    /// The bytes as typed, and with escapes decoded: `a\x0ab` names the path that `cue ls` shows so.
    private static func candidates(for name: String) -> [[UInt8]] {
        var bytes = ArgumentBytes.bytes(name)
        while bytes.count > 1 && bytes.last == 0x2f { bytes.removeLast() }
        if bytes.starts(with: [0x2e, 0x2f]) { bytes.removeFirst(2) }
        return [bytes, Display.bytes(String(decoding: bytes, as: UTF8.self))]
    }

    /// Whether the path, with or without the file's ending, is `wanted` or ends with it after a slash.
    private static func fits(_ wanted: [UInt8], _ path: RelativePath) -> Bool {
        guard !wanted.isEmpty else { return false }
        let isEnd = path.bytes == wanted || path.bytes.suffix(wanted.count + 1).elementsEqual([0x2f] + wanted)
        if isEnd { return true }
        guard let dot = path.name.lastIndex(of: 0x2e), dot > 0 else { return false }
        let stem = Array(path.bytes.dropLast(path.name.count - dot))
        return stem == wanted || stem.suffix(wanted.count + 1).elementsEqual([0x2f] + wanted)
    }

    /// Up to three names that differ from the typed one by a typing error, the nearest first.
    private static func near(_ name: String, _ documents: [RelativePath]) -> [String] {
        let wanted = Array(name.lowercased())
        // In a name of three letters, two changes could make any other name.
        let most = wanted.count <= 3 ? 1 : max(2, wanted.count / 3)
        // A set, as a deleted document and its successors may have had the same path.
        let scored = Set(documents).compactMap { path -> (Int, String)? in
            let shown = Display.text(path.name)
            let stem = shown.lastIndex(of: ".").map { String(shown[..<$0]) } ?? shown
            let distance = min(distance(wanted, Array(shown.lowercased())), distance(wanted, Array(stem.lowercased())))
            let isInside = wanted.count > 3 && shown.lowercased().contains(name.lowercased())
            return isInside || distance <= most
                ? (isInside ? 0 : distance, Display.text(path)) : nil
        }
        return scored.sorted { $0 < $1 }.prefix(3).map(\.1)
    }

    /// The Levenshtein distance; 9 for names whose lengths differ by more than 8.
    private static func distance(_ a: [Character], _ b: [Character]) -> Int {
        if abs(a.count - b.count) > 8 { return 9 }
        var row = Array(0...b.count)
        for (i, x) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, y) in b.enumerated() {
                (diagonal, row[j + 1]) = (row[j + 1], min(row[j] + 1, row[j + 1] + 1, diagonal + (x == y ? 0 : 1)))
            }
        }
        return row[b.count]
    }
}
