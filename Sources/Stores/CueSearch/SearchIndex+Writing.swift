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
        /// A longer paragraph is stored in pieces of so many characters, each of which begins with the end of the one
        /// before it.
        private static let longest = 8_192
        private static let overlap = 256

        let database: Database

        /// Adds a version, unless it is there. `parts` are empty for a deletion, and for a document without text.
        package func add(_ version: Version, _ parts: [Part]) throws {
            let isThere = try Bool.fetchOne(
                database.cachedStatement(sql: "SELECT 1 FROM version WHERE id = ?"), arguments: [version.id.column])
            guard isThere == nil else { return }
            var lists = ByteWriter()
            var known: Set<Int64> = []
            for part in parts {
                let paragraphs = try Self.pieces(of: part.text).map { try number(of: $0) }
                lists.varint(Int(try title(part.title)))
                lists.varint(paragraphs.count)
                var last: Int64 = 0
                for paragraph in paragraphs {
                    // Paragraphs that came at once have numbers side by side.
                    lists.svarint(paragraph - last)
                    last = paragraph
                }
                known.formUnion(paragraphs)
            }
            try database.cachedStatement(sql: "INSERT INTO version VALUES (?, ?, ?, ?, ?, ?, ?)").execute(
                arguments: [
                    version.id.column, version.project.column,
                    Data.written { for parent in version.parents { $0.id(parent) } },
                    version.time.milliseconds, version.device, version.path, Data(lists.bytes),
                ])
            let holder = try database.cachedStatement(sql: "INSERT OR IGNORE INTO holder VALUES (?, ?)")
            for paragraph in known { try holder.execute(arguments: [paragraph, version.project.column]) }
        }

        /// The paragraphs of a text. Each ends with a line feed.
        private static func pieces(of text: String) -> [String] {
            text.utf8.split(separator: 0x0a).filter { $0.contains { $0 > 0x20 } }.flatMap { piece -> [String] in
                let paragraph = Substring(piece)
                guard piece.count > longest else { return [String(paragraph)] }
                // By scalars: one character may be as long as the text.
                let scalars = paragraph.unicodeScalars
                var pieces: [String] = []
                var start = scalars.startIndex
                while let end = scalars.index(start, offsetBy: longest, limitedBy: scalars.endIndex),
                    end < scalars.endIndex
                {
                    pieces.append(String(scalars[start..<end]))
                    start = scalars.index(end, offsetBy: -overlap)
                }
                return pieces + [String(scalars[start...])]
            }
        }

        private func title(_ text: String) throws -> Int64 {
            let known = try Int64.fetchOne(
                database.cachedStatement(sql: "SELECT id FROM title WHERE text = ?"), arguments: [text])
            if let known { return known }
            try database.cachedStatement(sql: "INSERT INTO title VALUES (NULL, ?)").execute(arguments: [text])
            return database.lastInsertedRowID
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

        /// Removes versions, so that no passage shows them. Their paragraphs stay, as others may have them.
        package func remove(_ versions: some Sequence<VersionID>) throws {
            let statement = try database.cachedStatement(sql: "DELETE FROM version WHERE id = ?")
            for version in versions { try statement.execute(arguments: [version.column]) }
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
