import CueBase
import CueEngine
import CueTerminal

/// What happened to which document, in a line each.
enum NewsWords {
    /// The most documents that are named.
    private static let most = 10

    /// The documents that a backup stored. In a first backup all are new, and none is named. `library`: as it was named
    /// on the command line; nil if it was not.
    static func lines(_ backup: Backup.Summary, library: String?) -> [String] {
        let isFirst = backup.new == backup.documents
        return lines(isFirst ? backup.news.filter { $0.kind != .new } : backup.news, beside: backup.news, library)
    }

    /// The documents that a sync stored and brought.
    static func lines(_ summary: Sync.Summary, library: String?) -> [String] {
        // A new device receives thousands of documents at once; `lines` names ten of them and counts the rest.
        lines(news(of: summary).told, beside: summary.backup.news, library)
    }

    /// How many deletions and removals of a sync are none for a person, and are not told.
    static func untold(_ summary: Sync.Summary) -> (deleted: Int, removed: Int) {
        let untold = news(of: summary).untold
        return (untold.count { $0.kind == .deleted }, untold.count { $0.kind == .removedHere })
    }

    /// What is in conflict is deleted nowhere yet, and what came back under its name is not gone.
    private static func news(of summary: Sync.Summary) -> (told: [DocumentNews], untold: [DocumentNews]) {
        let open = Set(summary.conflicts.map(\.path))
        let came = Set(summary.news.filter { $0.kind == .received }.map(\.path))
        let all = summary.backup.news + summary.news
        func isUntold(_ news: DocumentNews) -> Bool {
            news.kind == .deleted && open.contains(news.path)
                || news.kind == .removedHere && came.contains(news.path)
        }
        return (all.filter { !isUntold($0) }, all.filter(isUntold))
    }

    private static func lines(
        _ news: [DocumentNews], beside stored: [DocumentNews], _ library: String?
    ) -> [String] {
        let shown = news.prefix(most).map { line($0, stored, library) }
        guard news.count > most else { return shown }
        return shown + [
            "  and \(Style.count(news.count - most, "other document")); `cue show` names all that is stored"
        ]
    }

    private static func line(_ news: DocumentNews, _ stored: [DocumentNews], _ library: String?) -> String {
        let name = Display.text(news.path)
        let before = news.before.map { Display.text($0) }
        let by = news.device.map { " (\($0))" } ?? ""
        let at = library.map { " --library \(ShellWord.quoted($0))" } ?? ""
        let back = "`cue restore \(ShellWord.quoted(name))\(at)` brings it back"
        func line(_ what: String, _ rest: String) -> String { "  \(Style.left(what, 8))  \(rest)" }
        return switch news.kind {
        case .new: line("new", name)
        case .changed: line("changed", before.map { "\(name), which was \($0)" } ?? name)
        case .renamed: line("renamed", "\(before ?? "") is now \(name)")
        case .deleted: line("deleted", "\(name) (\(back))")
        case .received: line("received", name + by)
        case .removedHere: line("removed", "\(name) (\(news.device.map { "\($0) deleted it; " } ?? "")\(back))")
        case .renamedHere:
            // Both renamed it, and the other device's name counts.
            if let own = stored.first(where: { $0.path == news.before && $0.before != nil }), let first = own.before {
                line(
                    "renamed",
                    "\(Display.text(first)) became \(before ?? "") here, and \(name) elsewhere: it is \(name) now\(by)")
            } else {
                line("renamed", "\(before ?? "") is now \(name)\(by)")
            }
        }
    }
}
