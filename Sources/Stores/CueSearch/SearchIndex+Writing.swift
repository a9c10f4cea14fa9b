package import CueBase
import CueSodium
import Foundation
import GRDB

extension SearchIndex {
    /// A version of a document, as the index takes it.
    package struct Version: Sendable {
        /// The version, the document, and the versions that it came from.
        package let id: VersionID
        package let project: ProjectID
        package let parents: [VersionID]
        /// When and on which device it was stored.
        package let time: Timestamp
        package let device: String
        /// Where the document stood, as it is shown.
        package let path: String

        /// A version of these parts.
        package init(
            id: VersionID, project: ProjectID, parents: [VersionID], time: Timestamp, device: String, path: String
        ) {
            (self.id, self.project, self.parents) = (id, project, parents)
            (self.time, self.device, self.path) = (time, device, path)
        }
    }

    /// A part of a document, with its title and its text.
    package typealias Part = (title: String, text: String)

    /// The index within one transaction.
    package struct Writing {
        /// A longer paragraph is cut.
        private static let longest = 8_192

        let database: Database

        /// Whether the paragraphs of the version are at hand, so that one that came from it needs no text of it.
        package func isHead(_ version: VersionID) throws -> Bool {
            try Bool.fetchOne(
                database,
                sql: "SELECT 1 FROM version JOIN head ON head.version = version.number WHERE version.id = ? LIMIT 1",
                arguments: [version.column]) ?? false
        }

        /// Adds a version. `parts` are empty for a deletion, and for a document without text. `texts` gives the parts of a
        /// parent whose paragraphs the index does not have at hand.
        package func add(_ version: Version, _ parts: [Part], texts: (VersionID) throws -> [Part]) throws {
            try database.cachedStatement(sql: "INSERT INTO version VALUES (NULL, ?, ?, ?, ?, ?, ?)").execute(
                arguments: [
                    version.id.column, version.project.column, version.parents.first?.column,
                    version.time.milliseconds, version.device, version.path,
                ])
            let number = database.lastInsertedRowID
            let titles = try paragraphs(of: parts)
            var before: Set<Int64> = []
            for parent in version.parents {
                if let own = try takeHead(parent) {
                    before.formUnion(own)
                } else {
                    before.formUnion(try paragraphs(of: texts(parent)).keys)
                }
            }
            let change = try database.cachedStatement(sql: "INSERT INTO change VALUES (?, ?, ?)")
            for (paragraph, title) in titles where !before.contains(paragraph) {
                try change.execute(arguments: [paragraph, number, title])
            }
            for paragraph in before where titles[paragraph] == nil {
                try change.execute(arguments: [paragraph, number, nil])
            }
            let head = try database.cachedStatement(sql: "INSERT INTO head VALUES (?, ?)")
            for paragraph in titles.keys { try head.execute(arguments: [number, paragraph]) }
        }

        /// Takes away the paragraphs that are kept for a head, and returns them; nil if there are none.
        private func takeHead(_ version: VersionID) throws -> Set<Int64>? {
            let number = try Int64.fetchOne(
                database.cachedStatement(sql: "SELECT number FROM version WHERE id = ?"), arguments: [version.column])
            guard let number else { return nil }
            let own = try Int64.fetchSet(
                database.cachedStatement(sql: "SELECT paragraph FROM head WHERE version = ?"), arguments: [number])
            guard !own.isEmpty else { return nil }
            try database.cachedStatement(sql: "DELETE FROM head WHERE version = ?").execute(arguments: [number])
            return own
        }

        /// The paragraphs of a text, each with the title of its part; new ones are added.
        private func paragraphs(of parts: [Part]) throws -> [Int64: String] {
            var titles: [Int64: String] = [:]
            for part in parts {
                // Each paragraph of a text ends with a line feed.
                for piece in part.text.utf8.split(separator: 0x0a) where piece.contains(where: { $0 > 0x20 }) {
                    let text = String(Substring(piece).prefix(Self.longest))
                    let id = try number(of: text)
                    if titles[id] == nil { titles[id] = part.title }
                }
            }
            return titles
        }

        private func number(of text: String) throws -> Int64 {
            let hash = Data(BLAKE2b.hash(Array(text.utf8)).prefix(16))
            let known = try Int64.fetchOne(
                database.cachedStatement(sql: "SELECT id FROM paragraph WHERE hash = ?"), arguments: [hash])
            if let known { return known }
            try database.cachedStatement(sql: "INSERT INTO paragraph VALUES (NULL, ?, ?)")
                .execute(arguments: [hash, text])
            let id = database.lastInsertedRowID
            try database.cachedStatement(sql: "INSERT INTO trigram (rowid, text) VALUES (?, ?)")
                .execute(arguments: [id, FoldedText.of(text)])
            return id
        }

        /// Notes a commit of which all versions are there.
        package func note(_ commit: CommitID) throws {
            try database.cachedStatement(sql: "INSERT OR IGNORE INTO done VALUES (?)").execute(arguments: [
                commit.column
            ])
        }
    }
}

extension VersionID {
    var column: Data { .written { $0.id(self) } }
}

extension CommitID {
    var column: Data { .written { $0.id(self) } }
}

extension Data {
    fileprivate static func written(_ body: (inout ByteWriter) -> Void) -> Data {
        var writer = ByteWriter()
        body(&writer)
        return Data(writer.bytes)
    }
}
