import CueBase
package import CueText
package import CueVault

/// The text of versions, read out of the vault.
package final class Texts {
    private let vault: Vault
    private let history: History
    private let reader: ContentReader
    /// Word counts of members, by what they hold: most members of most versions are the same.
    private var counted: [[ChunkID]: Int] = [:]

    /// `history` knows which packs are there (`findPacks`).
    package init(_ vault: Vault, _ history: History) throws {
        (self.vault, self.history) = (vault, history)
        reader = try ContentReader(of: vault, index: history.index)
    }

    /// What a version says, part by part; nil where there is no text that cue reads, or none that it can read.
    package func sections(of version: History.Version) -> [TextSection]? {
        guard let members = try? history.members(of: version.id), !version.header.isTombstone else { return nil }
        let files = Dictionary(members.map { ($0.path, $0) }, uniquingKeysWith: { one, _ in one })
        let sizes = members.filter { if case .file = $0.content { true } else { false } }.map {
            (path: $0.path, size: $0.size)
        }
        // Whatever is wrong with a text, the question can still be asked with sizes and times.
        return try? DocumentText.sections(name: version.header.path.name, members: sizes) { path in
            try files[path].map { try self.content(of: $0) } ?? []
        }
    }

    package func words(of version: History.Version) -> Int? {
        guard let members = try? history.members(of: version.id) else { return nil }
        let key = members.flatMap(\.chunks)
        if let known = counted[key] { return known }
        guard let sections = sections(of: version) else { return nil }
        let words = sections.words
        counted[key] = words
        return words
    }

    private func content(of member: Member) throws -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(min(member.size, Int64(TextExtraction.limit))))
        for chunk in member.chunks {
            try reader.withChunk(chunk) { span in
                for i in span.indices { bytes.append(span[i]) }
            }
        }
        return bytes
    }
}

extension [TextSection] {
    /// All of it as one text.
    package var joined: String { map(\.text).joined(separator: "\n") }
}
