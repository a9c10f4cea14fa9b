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
            let passages = try Self.passages(texts, database, atMost: limit)
            return (passages.found, areMore || passages.areMore)
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
        let match = trigrams.sorted().prefix(32).map(Self.quoted).joined(separator: " AND ")
        return try Row.fetchCursor(
            database,
            sql: """
                SELECT id, text FROM paragraph WHERE id IN (SELECT rowid FROM trigram WHERE trigram MATCH ?)
                ORDER BY id DESC
                """, arguments: [match])
    }

    /// A string of FTS5. By scalars: in a character a quote may be joined to another letter.
    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing(scalar: "\"", with: "\"\"") + "\""
    }

    /// The passages of all documents that hold some of these paragraphs.
    private static func passages(
        _ texts: [Int64: String], _ database: Database, atMost limit: Int
    ) throws -> (found: [Passage], areMore: Bool) {
        let holders = try database.cachedStatement(sql: "SELECT project FROM holder WHERE paragraph = ?")
        var projects: Set<Data> = []
        for paragraph in texts.keys { projects.formUnion(try Data.fetchAll(holders, arguments: [paragraph])) }
        let titles = try Dictionary(
            uniqueKeysWithValues: Row.fetchAll(database, sql: "SELECT id, text FROM title").map {
                ($0[0] as Int64, $0[1] as String)
            })
        var found: [(newest: Timestamp, project: Data, passages: [Passage])] = []
        var (count, areMore) = (0, false)
        for project in projects where count < limit {
            let versions = try versions(of: project, holding: texts, titles, database)
            let newest = versions.map(\.version.time).max() ?? Timestamp(milliseconds: 0)
            let tracked = PassageTracking.passages(in: versions, texts, atMost: limit)
            (count, areMore) = (count + tracked.found.count, areMore || tracked.areMore)
            found.append((newest, project, tracked.found))
        }
        let passages = found.sorted { a, b in
            a.newest != b.newest ? a.newest > b.newest : a.project.lexicographicallyPrecedes(b.project)
        }.flatMap(\.passages)
        return (passages, areMore || found.count < projects.count)
    }

    /// All versions of a document, each with those of the paragraphs that it holds.
    private static func versions(
        of project: Data, holding texts: [Int64: String], _ titles: [Int64: String], _ database: Database
    ) throws -> [PassageTracking.Held] {
        let rows = try Row.fetchAll(
            database.cachedStatement(
                sql: "SELECT id, project, parents, time, device, path, paragraphs FROM version WHERE project = ?"),
            arguments: [project])
        return try rows.map { row in
            var held: [(paragraph: Int64, title: String)] = []
            var reader = ByteReader(Array(row[6] as Data))
            while !reader.isAtEnd {
                let title = titles[Int64(try reader.count(upTo: .max))] ?? ""
                var last: Int64 = 0
                for _ in 0..<(try reader.count(ofItems: 1)) {
                    last &+= try reader.svarint()
                    if texts[last] != nil { held.append((last, title)) }
                }
            }
            var parents = ByteReader(Array(row[2] as Data))
            var ids: [VersionID] = []
            while !parents.isAtEnd { ids.append(try parents.versionID()) }
            let version = Version(
                id: try (row[0] as Data).reading { try $0.versionID() },
                project: try (row[1] as Data).reading { try $0.versionID() }, parents: ids,
                time: Timestamp(milliseconds: row[3]), device: row[4], path: row[5])
            return PassageTracking.Held(version: version, paragraphs: held)
        }
    }
}
