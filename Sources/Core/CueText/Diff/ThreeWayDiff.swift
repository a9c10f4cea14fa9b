/// Counts of the paragraphs that changed on one side only, and of those that changed on both sides differently.
///
/// A paragraph that was rewritten, removed or added counts as one. A change that both sides made alike does not count.
package struct ThreeWayDiff: Sendable, Equatable {
    /// Paragraphs that only the left text changed.
    package private(set) var onlyLeft = 0
    /// Paragraphs that only the right text changed.
    package private(set) var onlyRight = 0
    /// Paragraphs that both changed, differently.
    package private(set) var both = 0

    /// Compares two texts that both came from `base`.
    package static func make(base: String, left: String, right: String) -> ThreeWayDiff {
        let (left, right) = (Side(base, left), Side(base, right))
        var diff = ThreeWayDiff()
        for (paragraph, change) in left.changed {
            let other = right.changed[paragraph]
            if other == nil { diff.onlyLeft += 1 } else if other != change { diff.both += 1 }
        }
        diff.onlyRight += right.changed.keys.count { left.changed[$0] == nil }
        for (place, paragraphs) in left.added {
            let other = right.added[place] ?? []
            if other.isEmpty {
                diff.onlyLeft += paragraphs.count
            } else if other != paragraphs {
                diff.both += max(paragraphs.count, other.count)
            }
        }
        diff.onlyRight += right.added.reduce(0) { $0 + (left.added[$1.key] == nil ? $1.value.count : 0) }
        return diff
    }

    /// The changes of one side to the base.
    private struct Side {
        /// The fate of a paragraph of the base.
        enum Change: Equatable {
            case removed
            case rewritten(ArraySlice<UInt8>)
        }

        var changed: [Int: Change] = [:]
        /// New paragraphs, by the index of the base's paragraph that follows them.
        var added: [Int: [ArraySlice<UInt8>]] = [:]

        init(_ base: String, _ text: String) {
            let diff = ParagraphDiff(base, text)
            var next = 0
            for step in diff.steps {
                switch step {
                case .same(let old, _): next = old + 1
                case .removed(let old):
                    if !Self.isBlank(diff.bytes[diff.old[old]]) { changed[old] = .removed }
                    next = old + 1
                case .rewritten(let old, let new):
                    changed[old] = .rewritten(diff.bytes[diff.new[new]])
                    next = old + 1
                case .added(let new):
                    let paragraph = diff.bytes[diff.new[new]]
                    if !Self.isBlank(paragraph) { added[next, default: []].append(paragraph) }
                }
            }
        }

        /// True for an empty line between two paragraphs, which a writer does not count as a paragraph.
        private static func isBlank(_ paragraph: ArraySlice<UInt8>) -> Bool {
            paragraph.allSatisfy { $0 == 0x20 || (0x09...0x0d).contains($0) }
        }
    }
}
