package import CueBase

/// One part of a document as a writer names it: a scene of a `.scriv` with its title in the binder
/// ("Ch 4 / The cellar"), or the document itself (title "").
package struct TextSection: Sendable, Equatable {
    package let title: String
    /// The file in the bundle that holds the text; the root for a document that is a file.
    package let path: RelativePath
    package let text: String

    package init(title: String, path: RelativePath, text: String) {
        (self.title, self.path, self.text) = (title, path, text)
    }
}

/// The text of a whole document: of a file, or of a bundle.
package enum DocumentText {
    /// The most that is read of a bundle's texts together.
    package static let limit = 4 * TextExtraction.limit

    package typealias Member = (path: RelativePath, size: Int64)

    /// Returns the parts of a document in its own order, or nil if there is nothing in it that cue reads as text.
    ///
    /// `members` are the paths inside with their sizes: the root alone for a file. `load` gives a member's bytes, and is
    /// asked only for those that are needed, once for each. Throws `TextError`, and what `load` throws.
    package static func sections(
        name: [UInt8], members: [Member], load: (RelativePath) throws -> [UInt8]
    ) throws -> [TextSection]? {
        let sizes = Dictionary(members.map { ($0.path, $0.size) }) { first, _ in first }
        return try withoutActuallyEscaping(load) { load in
            var source = Source(sizes: sizes, load: load)
            return try sections(name, members.map(\.path), &source)
        }
    }

    private static func sections(
        _ name: [UInt8], _ paths: [RelativePath], _ source: inout Source
    ) throws -> [TextSection]? {
        if source.has(.root) { return try source.single(.root, named: name) }
        switch NameEnding(of: name).text {
        case "rtfd": return try source.single(RelativePath("TXT.rtf"))
        case "textbundle": return try source.single(paths.filter(isBundledText).min())
        case "scriv": return try scenes(of: name, paths, &source)
        default: return nil
        }
    }

    private static func isBundledText(_ path: RelativePath) -> Bool {
        path.bytes.starts(with: "text.".utf8) && path.components.count == 1 && TextFormat(fileName: path.bytes) != nil
    }

    private static func scenes(
        of name: [UInt8], _ paths: [RelativePath], _ source: inout Source
    ) throws -> [TextSection]? {
        guard let binderPath = binder(of: name, paths) else { return nil }
        let binder = try ScrivenerBinder(try source.bytes(binderPath))
        var scenes: [TextSection] = []
        var taken: Set<RelativePath> = []
        for index in binder.indices {
            let places = binder.places(of: index).map(RelativePath.init)
            guard let path = places.first(where: { source.has($0) }), taken.insert(path).inserted,
                let format = TextFormat(fileName: path.name)
            else { continue }
            let text = ScrivenerBinder.withoutMarks(try source.text(path, as: format))
            scenes.append(TextSection(title: binder.title(of: index), path: path, text: text))
        }
        return scenes
    }

    /// A sync may have left a second binder in the project: the one that has the project's name is Scrivener's.
    private static func binder(of name: [UInt8], _ paths: [RelativePath]) -> RelativePath? {
        let binders = paths.filter { $0.components.count == 1 && NameEnding(of: $0.bytes).text == "scrivx" }
        let stem = name.prefix(name.lastIndex(of: 0x2e) ?? name.count)
        return binders.first { $0.bytes.dropLast(".scrivx".utf8.count) == stem } ?? binders.min()
    }
}

/// The members of a document, of which no more is loaded than cue reads.
private struct Source {
    let sizes: [RelativePath: Int64]
    let load: (RelativePath) throws -> [UInt8]
    var rest = DocumentText.limit

    init(sizes: [RelativePath: Int64], load: @escaping (RelativePath) throws -> [UInt8]) {
        (self.sizes, self.load) = (sizes, load)
    }

    func has(_ path: RelativePath) -> Bool { sizes[path] != nil }

    mutating func bytes(_ path: RelativePath) throws -> [UInt8] {
        guard let size = sizes[path], size <= TextExtraction.limit, size <= rest else { throw TextError.tooLarge }
        let bytes = try load(path)
        rest -= bytes.count
        return bytes
    }

    mutating func text(_ path: RelativePath, as format: TextFormat) throws -> String {
        try TextExtraction.text(of: try bytes(path), as: format)
    }

    /// The one text of a document; nil if it is not there, or not in a format that cue reads.
    mutating func single(_ path: RelativePath?, named name: [UInt8]? = nil) throws -> [TextSection]? {
        guard let path, has(path), let format = TextFormat(fileName: name ?? path.name) else { return nil }
        return [TextSection(title: "", path: path, text: try text(path, as: format))]
    }
}

extension RelativePath {
    fileprivate init(_ path: String) { self.init(trusted: Array(path.utf8)) }
}
