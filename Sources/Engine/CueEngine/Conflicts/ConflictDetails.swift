package import CueBase
import CueLibrary
import CueSystem
package import CueText
package import CueVault

/// What a person wants to know before choosing between the versions of a document.
package struct ConflictDetails: Sendable {
    package struct Side: Sendable {
        package let side: Conflict.Side
        package let device: String
        package let saved: Timestamp
        /// What is wrong with the clock that gave `saved`, if anything can be told.
        package let clock: ClockNote?
        package let size: Int64
        package let files: Int
        /// nil where cue cannot read the text.
        package let words: Int?
        package let text: String?
    }

    /// A part of a document that has several: a scene.
    package struct Part: Sendable {
        package enum Change: Sendable { case here, there, both }

        package let title: String
        package let change: Change
        /// nil where that side does not have it.
        package let here: Int?
        package let there: Int?
        package let before: Int
    }

    package let conflict: Conflict
    package let sides: [Side]
    package let originWords: Int?
    package let originSaved: Timestamp?
    /// Which paragraphs changed where, for two live sides with text that came from one.
    package let paragraphs: ThreeWayDiff?
    /// From this device's text to the other's.
    package let diff: TextDiff?
    /// For documents of several parts: those that differ, and how many do not.
    package let parts: [Part]
    package let sameParts: Int
    /// Files of which the two sides hold different ones.
    package let differing: [RelativePath]

    /// `now`: a later time than this is one of a clock that was wrong.
    package init(_ conflict: Conflict, _ past: FullHistory, _ texts: Texts, at now: Timestamp) {
        self.conflict = conflict
        let history = past.history
        let sections = conflict.sides.map { texts.sections(of: $0.version) }
        sides = zip(conflict.sides, sections).map { side, sections in
            let members = (try? history.members(of: side.version.id)) ?? []
            let source = past.source(of: side.version)
            return Side(
                side: side, device: history.name(of: source.device), saved: source.time,
                clock: ClockNote(of: source, history, at: now), size: members.size,
                files: members.count { if case .file = $0.content { true } else { false } },
                words: sections.map { $0.reduce(0) { $0 + Words.count(in: $1.text) } }, text: sections?.joined)
        }
        let origin = conflict.origin.flatMap { texts.sections(of: $0) }
        originWords = origin.map { $0.reduce(0) { $0 + Words.count(in: $1.text) } }
        originSaved = conflict.origin?.time
        guard sides.count == 2, let here = sections[0], let there = sections[1] else {
            (paragraphs, diff, parts, sameParts) = (nil, nil, [], 0)
            differing = Self.differing(conflict, history)
            return
        }
        paragraphs = origin.map { ThreeWayDiff.make(base: $0.joined, left: here.joined, right: there.joined) }
        diff = TextDiff.between(here.joined, there.joined)
        let all = Self.parts(origin ?? [], here, there)
        (parts, sameParts) = (all.compactMap(\.self), all.count { $0 == nil })
        differing = Self.differing(conflict, history)
    }

    /// One for each part that some side has; nil for those that are the same.
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
                there: b.map { Words.count(in: $0) }, before: old.map { Words.count(in: $0) } ?? 0)
        }
    }

    private static func differing(_ conflict: Conflict, _ history: History) -> [RelativePath] {
        let lists = conflict.sides.filter { !$0.isDeletion }.map { side in
            Dictionary(
                ((try? history.members(of: side.version.id)) ?? []).map { ($0.path, $0.content) },
                uniquingKeysWith: { one, _ in one })
        }
        guard let first = lists.first else { return [] }
        let paths = lists.reduce(into: Set<RelativePath>()) { $0.formUnion($1.keys) }
        return paths.filter { path in lists.contains { $0[path] != first[path] } }.sorted()
    }
}

/// A clock that cannot have been right: said beside a time, never obeyed.
package enum ClockNote: Sendable, Equatable {
    /// The time lies in the future.
    case ahead
    /// What it was written after has a later time.
    case behind

    private static let tolerance: Int64 = 120_000

    /// nil where the clock may have been right, as seen at `now`.
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
