package import CueBase
import Foundation
import GRDB

extension SearchIndex {
    /// A place in a document that holds the words that were looked for, from when it came until it was cut.
    package struct Passage: Sendable {
        /// The document.
        package let project: ProjectID
        /// The paragraph that holds the words, as it was last in this time.
        package let text: String
        /// The part of the document in which it stood; empty if there is only one.
        package let title: String
        /// The version in which the words came.
        package let came: Version
        /// The version in which they were gone; nil if they are still there.
        package let cut: Version?
        /// The last version that held them.
        package let last: Version
    }

    /// All passages that hold these words side by side in one paragraph, whatever their case, accents, dashes and
    /// quotes. At most `limit` paragraphs are looked at.
    ///
    /// Returns the passages by document, the document with the newest one first, and whether there are more.
    package func find(_ words: String, limit: Int) throws -> (passages: [Passage], areMore: Bool) {
        let wanted = FoldedText.of(words)
        guard !wanted.isEmpty else { return ([], false) }
        return try read { database in
            var (texts, areMore): ([Int64: String], Bool) = ([:], false)
            let rows = try Self.candidates(wanted, database)
            while let row = try rows.next() {
                let text: String = row[1]
                guard FoldedText.of(text).contains(wanted) else { continue }
                if texts.count == limit {
                    areMore = true
                    break
                }
                texts[row[0]] = text
            }
            return (try Self.passages(texts, database), areMore)
        }
    }

    /// The paragraphs that may hold the words.
    private static func candidates(_ wanted: String, _ database: Database) throws -> RowCursor {
        let scalars = Array(wanted.unicodeScalars)
        guard scalars.count >= 3 else {
            // Shorter than a trigram, as many words of Japanese and Chinese are: all paragraphs are looked at.
            return try Row.fetchCursor(database, sql: "SELECT id, text FROM paragraph ORDER BY id DESC")
        }
        // Every trigram must be there; a few of them leave few candidates.
        let trigrams = Set(
            (0...scalars.count - 3).map { start in
                var view = String.UnicodeScalarView()
                view.append(contentsOf: scalars[start..<start + 3])
                return String(view)
            })
        let match = trigrams.sorted().prefix(32).map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(
            separator: " AND ")
        return try Row.fetchCursor(
            database,
            sql: """
                SELECT id, text FROM paragraph WHERE id IN (SELECT rowid FROM trigram WHERE trigram MATCH ?)
                ORDER BY id DESC
                """, arguments: [match])
    }

    /// A passage while the versions of its document are gone through.
    private struct Open {
        var paragraph: Int64
        var title: String
        let came: Version
    }

    /// The times in which each document had one of these paragraphs. Where a version takes one and brings another, the
    /// passage goes on in that one: it was rewritten around the words.
    private static func passages(_ texts: [Int64: String], _ database: Database) throws -> [Passage] {
        var open: [ProjectID: [Open]] = [:]
        var passages: [Passage] = []
        func close(_ passage: Open, _ cut: Version?, _ last: Version) {
            passages.append(
                Passage(
                    project: last.project, text: texts[passage.paragraph] ?? "", title: passage.title,
                    came: passage.came, cut: cut, last: last))
        }
        for (version, changed) in try changes(of: Array(texts.keys), database) {
            var there = open[version.project] ?? []
            var brought = changed.compactMap { paragraph, title in title.map { (paragraph, title: $0) } }
            let taken = Set(changed.lazy.filter { $0.title == nil }.map(\.0))
            let parent = try version.parents.first.flatMap { try Self.version($0, database) }
            for number in there.indices.reversed() where taken.contains(there[number].paragraph) {
                let next = brought.firstIndex { $0.title == there[number].title } ?? brought.indices.first
                if let next {
                    (there[number].paragraph, there[number].title) = brought.remove(at: next)
                } else {
                    let gone = there.remove(at: number)
                    close(gone, version, parent ?? gone.came)
                }
            }
            there += brought.map { Open(paragraph: $0.0, title: $0.title, came: version) }
            open[version.project] = there
        }
        var newest: [ProjectID: Version] = [:]
        for (project, there) in open {
            guard let last = try Self.newest(of: project, database) else { continue }
            newest[project] = last
            for passage in there { close(passage, nil, last) }
        }
        return passages.sorted { a, b in
            if a.project != b.project {
                let (x, y) = (newest[a.project]?.time ?? a.came.time, newest[b.project]?.time ?? b.came.time)
                return x != y ? x > y : a.project < b.project
            }
            // What is there comes first, then what was cut last.
            if (a.cut == nil) != (b.cut == nil) { return a.cut == nil }
            let (x, y) = (a.cut?.time ?? a.came.time, b.cut?.time ?? b.came.time)
            return x != y ? x > y : a.text < b.text
        }
    }

    /// Of each version, in the order of the index, which of these paragraphs it brought (with a title) or took.
    private static func changes(
        of paragraphs: [Int64], _ database: Database
    ) throws -> [(Version, [(Int64, title: String?)])] {
        var byVersion: [Int64: [(Int64, title: String?)]] = [:]
        let statement = try database.cachedStatement(sql: "SELECT version, title FROM change WHERE paragraph = ?")
        for paragraph in paragraphs {
            for row in try Row.fetchAll(statement, arguments: [paragraph]) {
                byVersion[row[0], default: []].append((paragraph, row[1]))
            }
        }
        return try byVersion.sorted { $0.key < $1.key }.compactMap { number, changed in
            try row(of: number, database).map { (try Self.version($0), changed) }
        }
    }

    private static func row(of number: Int64, _ database: Database) throws -> Row? {
        try Row.fetchOne(
            database.cachedStatement(sql: "\(select) WHERE number = ?"), arguments: [number])
    }

    private static func version(_ id: VersionID, _ database: Database) throws -> Version? {
        try Row.fetchOne(
            database.cachedStatement(sql: "\(select) WHERE id = ?"), arguments: [id.column]
        ).map { try version($0) }
    }

    private static func newest(of project: ProjectID, _ database: Database) throws -> Version? {
        try Row.fetchOne(
            database.cachedStatement(
                sql: "\(select) WHERE project = ? ORDER BY number DESC LIMIT 1"),
            arguments: [project.column]
        ).map { try version($0) }
    }

    private static let select = "SELECT id, project, parent, time, device, path FROM version"

    private static func version(_ row: Row) throws -> Version {
        let parent: Data? = row[2]
        return Version(
            id: try (row[0] as Data).reading { try $0.versionID() },
            project: try (row[1] as Data).reading { try $0.versionID() },
            parents: try parent.map { [try $0.reading { try $0.versionID() }] } ?? [],
            time: Timestamp(milliseconds: row[3]), device: row[4], path: row[5])
    }
}
