import CueBase

/// Follows passages through the versions of one document.
///
/// A paragraph that a version shares with one that it came from is the same passage. Where a version has one paragraph
/// less of those that are looked for and one more, the passage was rewritten and goes on. A passage is there as long as a
/// version holds it that no other came from.
enum PassageTracking {
    /// A version with those of the paragraphs that are looked for.
    struct Held {
        let version: SearchIndex.Version
        let paragraphs: [(paragraph: Int64, title: String)]
    }

    /// A passage while the versions are gone through.
    private struct Track {
        var paragraph: Int64
        var title: String
        let came: SearchIndex.Version
        var last: SearchIndex.Version
    }

    /// What is there first, then what was cut last. `texts`: the paragraphs that are looked for. Versions without parents
    /// share nothing, so a false history may have very many passages: it stops at about `limit`, and says so.
    static func passages(
        in versions: [Held], _ texts: [Int64: String], atMost limit: Int
    ) -> (found: [SearchIndex.Passage], areMore: Bool) {
        var tracks: [Track] = []
        var held: [VersionID: [Int64: Int]] = [:]
        var children: [VersionID: [SearchIndex.Version]] = [:]
        let order = inOrder(versions)
        var seen = 0
        for now in order {
            if tracks.count >= limit { break }
            seen += 1
            let version = now.version
            for parent in version.parents { children[parent, default: []].append(version) }
            let before = version.parents.compactMap { held[$0] }
            let own = Set(now.paragraphs.map(\.paragraph))
            var here: [Int64: Int] = [:]
            // Passages of which this version has not the same paragraph any more.
            var left = before.flatMap { $0.filter { !own.contains($0.key) }.map(\.value) }.sorted()
            var fresh: [(paragraph: Int64, title: String)] = []
            for (paragraph, title) in now.paragraphs where here[paragraph] == nil {
                if let track = before.lazy.compactMap({ $0[paragraph] }).first {
                    here[paragraph] = track
                    (tracks[track].paragraph, tracks[track].title, tracks[track].last) = (paragraph, title, version)
                } else if !fresh.contains(where: { $0.paragraph == paragraph }) {
                    fresh.append((paragraph, title))
                }
            }
            left.removeAll { here.values.contains($0) }
            for (paragraph, title) in fresh {
                if let number = left.firstIndex(where: { tracks[$0].title == title }) ?? left.indices.first {
                    let track = left.remove(at: number)
                    left.removeAll { $0 == track }
                    here[paragraph] = track
                    (tracks[track].paragraph, tracks[track].title, tracks[track].last) = (paragraph, title, version)
                } else {
                    here[paragraph] = tracks.count
                    tracks.append(Track(paragraph: paragraph, title: title, came: version, last: version))
                }
            }
            held[version.id] = here
        }
        let heads = order.prefix(seen).map(\.version).filter { children[$0.id] == nil }
        let newest = heads.max { ($0.time, $0.id) < ($1.time, $1.id) }
        let there = Set(heads.flatMap { held[$0.id]?.values.map(\.self) ?? [] })
        let found = tracks.enumerated().map { number, track in
            let isThere = there.contains(number)
            let cut = isThere ? nil : children[track.last.id]?.min { ($0.time, $0.id) < ($1.time, $1.id) }
            return SearchIndex.Passage(
                project: track.last.project, text: texts[track.paragraph] ?? "", title: track.title, came: track.came,
                cut: cut, last: isThere ? newest ?? track.last : track.last)
        }.sorted { a, b in
            if (a.cut == nil) != (b.cut == nil) { return a.cut == nil }
            let (x, y) = (a.cut?.time ?? a.came.time, b.cut?.time ?? b.came.time)
            return x != y ? x > y : a.text < b.text
        }
        return (found, seen < order.count)
    }

    /// The versions, each behind those that it came from; else in the order of their times.
    private static func inOrder(_ versions: [Held]) -> [Held] {
        let sorted = versions.sorted { ($0.version.time, $0.version.id) < ($1.version.time, $1.version.id) }
        let known = Dictionary(sorted.map { ($0.version.id, $0) }, uniquingKeysWith: { one, _ in one })
        var order: [Held] = []
        var (entered, done): (Set<VersionID>, Set<VersionID>) = ([], [])
        for start in sorted {
            var open = [start]
            while let next = open.last {
                let before = next.version.parents.filter { known[$0] != nil && !done.contains($0) }
                // Hostile versions may come from each other; each is entered once.
                if !before.isEmpty, entered.insert(next.version.id).inserted {
                    open += before.compactMap { known[$0] }
                } else {
                    open.removeLast()
                    if done.insert(next.version.id).inserted { order.append(next) }
                }
            }
        }
        return order
    }
}
