import CueBase
import CueEngine
import CueSystem
import CueTerminal
import CueText

/// Sentences about an export.
enum ExportWords {
    /// Files that are named; the rest is counted.
    private static let most = 10

    /// Drafts were written into a library.
    static func inLibrary(_ target: FilePathBytes, _ library: FilePathBytes) -> String {
        "\(target) is in the library \(library): its next backup stores these drafts too, as documents of their own. "
            + "If that is not meant, move them out of it"
    }

    /// The files that were written, and what was passed over.
    static func lines(_ summary: ExportSummary) -> [String] {
        let written = summary.written.prefix(most).map { draft in
            let taken = draft.taken.map { "  (\(Display.text($0.name)) is there with another text, and stays)" } ?? ""
            return "  wrote  \(Display.text(draft.path))\(taken)"
        }
        let passed = summary.passedOver.map { passed in
            let version = passed.version.map { " (version \($0.short))" } ?? ""
            return "\(Display.text(passed.document))\(version): it \(noText(passed.reason))"
        }
        return written + more(summary.written.count, "files")
            + passed.prefix(most).map { "  passed over  \($0)" }
            + more(passed.count, "without a text")
    }

    /// Why a document has no text; begins with a verb.
    static func noText(_ reason: TextError?) -> String {
        switch reason {
        case nil: "holds no text that cue reads"
        case .tooLarge, .unpacksTooLarge:
            "is larger than what cue reads as text (\(Style.bytes(Int64(TextLimits.file))))"
        case .protected: "is protected by a password"
        case .protectedOrOld: "is protected by a password, or of a Word from before 2007"
        default: "is damaged, or no document of its kind"
        }
    }

    private static func more(_ count: Int, _ what: String) -> [String] {
        count > most ? ["  and \(Style.number(count - most)) more \(what)"] : []
    }

    /// The last line.
    static func result(_ summary: ExportSummary, seconds: Double) -> String {
        guard summary.documents > 0 else {
            return summary.failed.isEmpty
                ? "there is no document with a text; nothing was written" : "nothing was written"
        }
        let kept = summary.kept > 0 ? ", \(Style.number(summary.kept)) there already with the same text" : ""
        let count = summary.documents
        return "\(Style.count(count, "document")) \(count == 1 ? "is" : "are") in \(summary.target) as text: "
            + "\(Style.count(summary.written.count, "file")) written\(kept)  (\(Style.seconds(seconds)))"
    }
}
