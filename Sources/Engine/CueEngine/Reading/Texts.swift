import CueBase
import CueSearch
package import CueText
package import CueVault

/// Reads the text of versions out of the vault.
package final class Texts {
    private let vault: Vault
    private let history: History
    private let reader: ContentReader
    /// Word counts by the chunks of a version: many versions have the same content.
    private var counted: [[ChunkID]: Int] = [:]
    /// Why the last text that `text` read is none; nil if its kind of document has no text that cue reads.
    private(set) var refusal: TextError?

    /// A reader of the texts of this history. Throws `ZstdError` if there is no memory.
    package init(_ vault: Vault, _ history: History, _ packs: PresentPacks) throws {
        (self.vault, self.history) = (vault, history)
        reader = try ContentReader(of: vault, history.index, packs)
    }

    /// The text of a version in parts; nil if cue cannot read it, or for a deletion.
    package func sections(of version: History.Version) -> [TextSection]? {
        // Errors become nil: a conflict or a log can still be shown with sizes and times.
        try? text(of: version)
    }

    /// The same; nil if it holds no text that cue reads, or is a deletion. Throws `VaultError` and `StorageError` if it
    /// cannot be read now.
    func text(of version: History.Version) throws -> [TextSection]? {
        refusal = nil
        guard !version.header.isTombstone else { return nil }
        let members = try history.members(of: version.id)
        let files = Dictionary(members.map { ($0.path, $0) }, uniquingKeysWith: { one, _ in one })
        let sizes = members.filter { if case .file = $0.content { true } else { false } }.map {
            (path: $0.path, size: $0.size)
        }
        do {
            return try DocumentText.sections(name: version.header.path.name, members: sizes) { path in
                try files[path].map { try self.content(of: $0) } ?? []
            }
        } catch let error as TextError {
            refusal = error
            return nil
        }
    }

    /// The text of one file of a bundle; nil if cue cannot read it.
    func sections(of member: Member) -> [TextSection]? {
        guard case .file = member.content else { return nil }
        return try? DocumentText.sections(name: member.path.name, members: [(.root, member.size)]) { _ in
            try content(of: member)
        }
    }

    /// The file of a version that a person calls so: by its path, or by the title of the part that stands in it, whole or
    /// without the folders around it ("The cellar" for "Ch 4 / The cellar"). nil if there is none, or several.
    func member(called name: String, of version: History.Version, _ members: [Member]) -> Member? {
        if let member = members.called(name) { return member }
        guard version.header.kind == .bundle, let sections = sections(of: version) else { return nil }
        let wanted = FoldedText.of(name)
        let whole = sections.filter { FoldedText.of($0.title) == wanted }
        let own = sections.filter { FoldedText.of($0.title).hasSuffix(FoldedText.of(" / \(name)")) }
        let found = whole.isEmpty ? own : whole
        return found.count == 1 ? members.first { $0.path == found[0].path } : nil
    }

    /// The number of words of a version; nil if cue cannot read its text.
    package func words(of version: History.Version) -> Int? {
        guard let members = try? history.members(of: version.id) else { return nil }
        let key = members.flatMap(\.chunks)
        if let known = counted[key] { return known }
        guard let sections = sections(of: version) else { return nil }
        let words = sections.words
        counted[key] = words
        return words
    }

    /// The bytes of one member.
    private func content(of member: Member) throws -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(min(member.size, Int64(TextLimits.file))))
        for chunk in member.chunks {
            try reader.withChunk(chunk) { span in
                for i in span.indices { bytes.append(span[i]) }
            }
            // A hostile list may name one chunk a million times.
            guard bytes.count <= member.size else { throw TextError.tooLarge }
        }
        return bytes
    }
}

extension [Member] {
    /// The member with this path, as it is typed or shown.
    func called(_ path: String) -> Member? {
        let wanted = [ArgumentBytes.bytes(path), Display.bytes(path)]
        return first { wanted.contains($0.path.bytes) }
    }
}

extension [TextSection] {
    /// All parts as one text, with line feeds between them.
    package var joined: String { map(\.text).joined(separator: "\n") }
}
