/// The names under which a sync or a restore builds documents. A scan skips them whatever `.cueignore` says: a draft is
/// half of a document, or a copy of one.
package enum StagedName {
    /// How all of them begin.
    package static let start = Array(".cue-restore-".utf8)
    private static let ends = [Array(".tmp".utf8), Array(".tmp.aside".utf8)]

    /// Whether a sync or a restore could have made this name.
    package static func isDraft(_ name: [UInt8]) -> Bool {
        name.starts(with: start) && ends.contains { name.suffix($0.count).elementsEqual($0) }
    }
}
