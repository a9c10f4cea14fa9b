package import CueBase
import CueLibrary
import CueSystem
package import CueText
package import CueVault

/// Everything that is shown to a person who chooses between the versions of a document.
package struct ConflictDetails: Sendable {
    /// One side with its sizes and text.
    package struct Side: Sendable {
        /// The side that is described.
        package let side: Conflict.Side
        /// The name of the device that first wrote this content.
        package let device: String
        /// When that device stored it, by its own clock.
        package let saved: Timestamp
        /// How the clock that gave `saved` was wrong; nil where it may have been right.
        package let clock: ClockNote?
        /// In bytes; 0 if the list of members cannot be read.
        package let size: Int64
        /// The number of files.
        package let files: Int
        /// The number of words; nil if cue cannot read the text.
        package let words: Int?
        /// The whole text; nil if cue cannot read it.
        package let text: String?
        /// Whether the vault has all of its content now. What it lacks has not arrived yet, or is lost.
        package let isThere: Bool
    }

    /// A part of a document of several parts, such as a scene, that differs between the two sides. "Here" is the first
    /// side, which is this device's if it has one.
    package struct Part: Sendable {
        /// The sides on which the part differs from the origin.
        package enum Change: Sendable { case here, there, both }

        /// The title of the part, or its path in the document if it has none.
        package let title: String
        /// The sides that changed it.
        package let change: Change
        /// Its words here; nil if this side does not have the part.
        package let here: Int?
        /// Its words on the other side; nil if that side does not have the part.
        package let there: Int?
        /// Its words in the origin; 0 if there is no origin, or it does not have the part.
        package let before: Int
        /// The differences from here to there.
        package let diff: TextDiff
    }

    /// A file of the document that differs and is not part of the text.
    package struct File: Sendable {
        /// In the document; the root if the document is a file.
        package let path: RelativePath
        /// What each side has at the path, in the order of `sides`; nil where it has no file there.
        package let copies: [Copy?]

        /// What one side has.
        package struct Copy: Sendable {
            /// In bytes.
            package let size: Int64
            /// When it was last changed.
            package let modified: Timestamp
        }
    }

    /// The conflict that is described.
    package let conflict: Conflict
    /// In the order of `Conflict.sides`.
    package let sides: [Side]
    /// The words of the origin; nil if there is none, or cue cannot read its text.
    package let originWords: Int?
    /// When the origin was stored; nil if there is none.
    package let originSaved: Timestamp?
    /// The paragraphs that each side changed. nil unless there are two live sides and an origin, all with readable
    /// text.
    package let paragraphs: ThreeWayDiff?
    /// The differences from the first side's text to the second's; nil unless there are two sides with readable text,
    /// and for a document of several parts.
    package let diff: TextDiff?
    /// The parts that differ; empty for a document of one part.
    package let parts: [Part]
    /// The number of parts that are the same on both sides.
    package let sameParts: Int
    /// Files whose content is not the same on all live sides, and that are not part of the text.
    package let files: [File]
    /// Whether all live sides, of which there are several, have the same text.
    package let hasSameText: Bool
    private let originText: String?

    /// Reads the texts of the sides and of the origin out of the vault. `now`: the time against which clocks are judged
    /// (`ClockNote`).
    package init(_ conflict: Conflict, _ past: FullHistory, _ texts: Texts, at now: Timestamp) {
        self.conflict = conflict
        let history = past.history
        // A list of members may be long: each is read once, and only two are held at a time.
        var sections: [[TextSection]?] = []
        var differences = Differences()
        sides = conflict.sides.map { side in
            let own = texts.sections(of: side.version)
            sections.append(own)
            let members = (try? history.members(of: side.version.id)) ?? []
            if !side.isDeletion { differences.add(members) }
            let source = past.source(of: side.version)
            return Side(
                side: side, device: history.name(of: source.device), saved: source.time,
                clock: ClockNote(of: source, history, at: now), size: members.size,
                files: members.count { if case .file = $0.content { true } else { false } },
                words: own.map { $0.reduce(0) { $0 + Words.count(in: $1.text) } }, text: own?.joined,
                isThere: side.isDeletion
                    || !members.isEmpty && !members.contains { $0.chunks.contains(where: history.index.lacks) })
        }
        let live = zip(conflict.sides, sections).filter { !$0.0.isDeletion }.map(\.1)
        let areTexts = live.allSatisfy { $0 != nil }
        let read = areTexts ? Set(live.flatMap { ($0 ?? []).map(\.path) }) : []
        files = Self.files(
            differences.paths.filter { !read.contains($0) && !Churn.isChurn($0) }, of: conflict, history)
        hasSameText = areTexts && live.count > 1 && live.allSatisfy { $0 == live[0] }
        let origin = conflict.origin.flatMap { texts.sections(of: $0) }
        originWords = origin.map { $0.reduce(0) { $0 + Words.count(in: $1.text) } }
        originSaved = conflict.origin?.time
        originText = origin?.joined
        guard sides.count == 2, let here = sections[0], let there = sections[1] else {
            (paragraphs, diff, parts, sameParts) = (nil, nil, [], 0)
            return
        }
        paragraphs = origin.map { ThreeWayDiff.make(base: $0.joined, left: here.joined, right: there.joined) }
        let all = Self.parts(origin ?? [], here, there)
        diff = all.isEmpty ? TextDiff.between(here.joined, there.joined) : nil
        (parts, sameParts) = (all.compactMap(\.self), all.count { $0 == nil })
    }

    /// The differences from the version that all came from to one side, or to the whole of it where that version has no
    /// text that cue reads. nil if the side has none.
    package func changes(of number: Int) -> TextDiff? {
        sides[number].text.map { TextDiff.between(originText ?? "", $0) }
    }

    /// The differences between the texts of two sides; nil if one has none that cue reads.
    package func changes(from one: Int, to other: Int) -> TextDiff? {
        sides[one].text.flatMap { text in sides[other].text.map { TextDiff.between(text, $0) } }
    }

    /// What each side has at these paths, without folders.
    private static func files(
        _ paths: Set<RelativePath>, of conflict: Conflict, _ history: History
    ) -> [File] {
        let copies = conflict.sides.map { side in
            let members = side.isDeletion ? [] : (try? history.members(of: side.version.id)) ?? []
            return Dictionary(
                members.lazy.filter { paths.contains($0.path) && $0.content != .folder }.map {
                    ($0.path, File.Copy(size: $0.size, modified: $0.modified.timestamp))
                }, uniquingKeysWith: { one, _ in one })
        }
        return paths.sorted().map { path in File(path: path, copies: copies.map { $0[path] }) }
            .filter { $0.copies.contains { $0 != nil } }
    }

    /// One element for each part that either side has; nil for a part that is the same on both.
    private static func parts(
        _ origin: [TextSection], _ here: [TextSection], _ there: [TextSection]
    ) -> [Part?] {
        guard max(here.count, there.count) > 1 else { return [] }
        func byPath(_ sections: [TextSection]) -> [RelativePath: TextSection] {
            Dictionary(sections.map { ($0.path, $0) }, uniquingKeysWith: { one, _ in one })
        }
        let (before, left, right) = (byPath(origin), byPath(here), byPath(there))
        return (here + there.filter { left[$0.path] == nil }).map { section in
            let (old, a, b) = (before[section.path]?.text, left[section.path]?.text, right[section.path]?.text)
            guard a != b else { return nil }
            return Part(
                title: section.title.isEmpty ? Display.text(section.path) : section.title,
                change: b == old ? .here : a == old ? .there : .both, here: a.map { Words.count(in: $0) },
                there: b.map { Words.count(in: $0) }, before: old.map { Words.count(in: $0) } ?? 0,
                diff: TextDiff.between(a ?? "", b ?? ""))
        }
    }

    /// The paths whose content is not the same in all lists.
    private struct Differences {
        private(set) var paths: Set<RelativePath> = []
        private var first: [RelativePath: Content]?

        /// Compares a list with the first one.
        mutating func add(_ members: [Member]) {
            let contents = Dictionary(members.map { ($0.path, $0.content) }, uniquingKeysWith: { one, _ in one })
            guard let first else { return first = contents }
            for (path, content) in first where contents[path] != content { paths.insert(path) }
            paths.formUnion(contents.keys.lazy.filter { first[$0] == nil })
        }
    }
}

/// How the clock that gave a version its time was wrong. It is shown beside the time; no decision depends on it.
package enum ClockNote: Sendable, Equatable {
    /// The time lies more than two minutes in the future.
    case ahead
    /// A parent of the version has a time that is more than two minutes later.
    case behind

    /// In milliseconds.
    private static let tolerance: Int64 = 120_000

    /// nil if the clock may have been right. `now`: the present time.
    init?(of version: History.Version, _ history: History, at now: Timestamp) {
        let time = version.time.milliseconds
        if time > now.milliseconds + Self.tolerance {
            self = .ahead
        } else if version.header.parents.compactMap({ history.versions[$0]?.time.milliseconds }).contains(where: {
            $0 > time + Self.tolerance
        }) {
            self = .behind
        } else {
            return nil
        }
    }
}
