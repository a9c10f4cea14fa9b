package import CueBase
import CueText
package import CueVault

/// The versions of a document in a writer's terms: how many words came, and in which parts.
package struct DocumentLog {
    /// One version.
    package struct Entry: Sendable {
        /// The version itself.
        package let version: History.Version
        /// The name of the device that wrote it.
        package let device: String
        /// A note that the device's clock was probably wrong; nil if it was not.
        package let clock: ClockNote?
        /// In bytes; nil if the member list cannot be read, as a delta's base is missing.
        package let size: Int64?
        /// nil if cue cannot read the text.
        package let words: Int?
        /// Words more than in the parent version; nil if one of them is unknown.
        package let change: Int?
        /// Names of the parts (scenes, files) that differ from the parent version; empty for single files.
        package let parts: [String]
        /// The path of the parent version, if it was another.
        package let renamedFrom: RelativePath?
        /// The number of versions that it joins; 0 if it has one parent or none.
        package let joined: Int
        /// Whether no version came after it.
        package let isHead: Bool
        /// Whether it has only other times or rights than its parent version.
        package let isTouched: Bool
    }

    private let history: History
    private let texts: Texts
    /// The versions whose content was given up; they are not offered.
    private let retired: Set<VersionID>
    /// A version with a later time has one of a clock that was wrong.
    private let now: Timestamp

    init(_ history: History, _ texts: Texts, without retired: Set<VersionID>, at now: Timestamp) {
        (self.history, self.texts, self.retired, self.now) = (history, texts, retired, now)
    }

    /// At most `limit` entries, the newest first. A version never stands before one that came from it, whatever the
    /// clocks said. Those in which only times or rights changed are left out, unless `all`; `folded` is their number,
    /// and `older` how many versions come after the last entry.
    ///
    /// `lives`: the document, followed by earlier ones of that name, which are deleted.
    func entries(
        of lives: [LibraryState.Project], limit: Int, all: Bool
    ) -> (entries: [Entry], folded: Int, older: Int) {
        let heads = Set(lives.first?.heads.map(\.id) ?? [])
        let order = lives.flatMap { life in
            Self.inOrder(history.versions.values.filter { $0.header.project == life.id && !retired.contains($0.id) })
        }
        var (shown, folded): ([(History.Version, isTouched: Bool)], Int) = ([], 0)
        for version in order where shown.count < limit {
            let isTouched = Self.isTouched(version, in: history)
            // A head is what the document is now.
            if isTouched, !all, !heads.contains(version.id) { folded += 1 } else { shown.append((version, isTouched)) }
        }
        let entries = shown.map { version, isTouched in
            let parent = version.header.parents.first.flatMap { history.versions[$0] }
            let words = texts.words(of: version)
            let before = parent.flatMap { texts.words(of: $0) }
            return Entry(
                version: version, device: history.name(of: version.device),
                clock: ClockNote(of: version, history, at: now),
                size: size(of: version), words: words,
                change: words.flatMap { words in before.map { words - $0 } }, parts: parts(of: version, parent),
                renamedFrom: parent.flatMap { $0.header.path == version.header.path ? nil : $0.header.path },
                joined: version.header.parents.count > 1 ? version.header.parents.count : 0,
                isHead: heads.contains(version.id), isTouched: isTouched)
        }
        return (entries, folded, order.count - shown.count - folded)
    }

    /// Whether the version has the name and content of the only one that it came from.
    private static func isTouched(_ version: History.Version, in history: History) -> Bool {
        let header = version.header
        guard header.parents.count == 1, !header.isTombstone, let parent = history.versions[header.parents[0]],
            !parent.header.isTombstone, parent.header.path == header.path,
            let (old, new) = try? (history.members(of: parent.id), history.members(of: version.id))
        else { return false }
        return differing(old, new).allSatisfy { Churn.isChurn($0) }
    }

    /// The version so many before the newest of the document, without those in which only times or rights changed.
    /// Throws `EngineError.tooFewVersions`.
    static func version(
        _ back: Int, before project: LibraryState.Project, _ history: History, without retired: Set<VersionID>
    ) throws -> History.Version {
        let order = history.everything.lives(of: project).flatMap { life in
            inOrder(history.versions.values.filter { $0.header.project == life.id && !retired.contains($0.id) })
        }
        // The members of each version are read only as far back as is asked for.
        let counted = order.lazy.filter { !isTouched($0, in: history) }
        guard let version = counted.dropFirst(back).first else {
            throw EngineError.tooFewVersions(
                Display.text(project.shown.header.path), count: counted.reduce(0) { count, _ in count + 1 })
        }
        return version
    }

    /// The versions of a document, children before their parents. Of several that are possible next, the newest by its
    /// clock.
    static func inOrder(_ versions: [History.Version]) -> [History.Version] {
        let known = Dictionary(versions.map { ($0.id, $0) }, uniquingKeysWith: { one, _ in one })
        var children: [VersionID: Int] = [:]
        for parent in versions.flatMap(\.header.parents) { children[parent, default: 0] += 1 }
        var free = Heap<History.Version> { ($0.time, $0.id) > ($1.time, $1.id) }
        for version in versions where children[version.id] == nil { free.insert(version) }
        var order: [History.Version] = []
        while let version = free.removeFirst() {
            order.append(version)
            for parent in version.header.parents {
                children[parent, default: 1] -= 1
                if children[parent] == 0, let known = known[parent] { free.insert(known) }
            }
        }
        return order
    }

    /// In bytes; nil if the member list cannot be read.
    private func size(of version: History.Version) -> Int64? {
        version.header.isTombstone ? 0 : try? history.members(of: version.id).size
    }

    /// The titles of the parts that differ, or paths of files without a title.
    private func parts(of version: History.Version, _ parent: History.Version?) -> [String] {
        guard version.header.kind == .bundle, !version.header.isTombstone, let parent,
            let old = try? history.members(of: parent.id), let members = try? history.members(of: version.id)
        else { return [] }
        let paths = Self.differing(old, members).filter { !Churn.isChurn($0) }
        guard !paths.isEmpty, let sections = texts.sections(of: version) else { return paths.map { Display.text($0) } }
        let titles = Dictionary(sections.map { ($0.path, $0.title) }, uniquingKeysWith: { one, _ in one })
        return paths.map { path in titles[path].flatMap { $0.isEmpty ? nil : $0 } ?? Display.text(path) }
    }

    /// The paths of files and links that are new, gone, or hold something else. Both lists are sorted by path.
    private static func differing(_ old: [Member], _ new: [Member]) -> [RelativePath] {
        var (i, j) = (0, 0)
        var paths: [RelativePath] = []
        while i < old.count || j < new.count {
            let isOld = j == new.count || i < old.count && old[i].path <= new[j].path
            let isNew = i == old.count || j < new.count && new[j].path <= old[i].path
            let (before, now) = (isOld ? old[i] : nil, isNew ? new[j] : nil)
            (i, j) = (isOld ? i + 1 : i, isNew ? j + 1 : j)
            guard before?.content != now?.content else { continue }
            let changed = [now, before].compactMap(\.self).first { $0.content != .folder }
            if let changed { paths.append(changed.path) }
        }
        return paths
    }
}
