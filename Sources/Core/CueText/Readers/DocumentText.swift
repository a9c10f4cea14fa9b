package import CueBase

/// One part of a document as a writer names it.
///
/// For a scene of a `.scriv`, the title is that in the binder ("Ch 4 / The cellar"). For the document itself, it is
/// empty.
package struct TextSection: Sendable, Equatable {
    /// The title for display; empty for the document itself.
    package let title: String
    /// The file in the bundle that holds the text; the root if the document is a file.
    package let path: RelativePath
    /// The text; each paragraph ends with "\n".
    package let text: String

    /// A section of these parts.
    package init(title: String, path: RelativePath, text: String) {
        (self.title, self.path, self.text) = (title, path, text)
    }
}

/// The text of a whole document, which is a file or a bundle.
package enum DocumentText {
    /// The largest sum in bytes of the files of one bundle that are read.
    package static let limit = 4 * TextLimits.file

    /// A file of a document, and its size in bytes.
    package typealias Member = (path: RelativePath, size: Int64)

    /// Returns the parts of a document in its own order, or nil if it holds no text that cue reads.
    ///
    /// `members` are the paths inside; for a file, the root alone. `load` returns the bytes of a member. It is called
    /// only for needed members, once for each. Throws `TextError`, and the errors of `load`.
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

    /// The binder with the project's name is Scrivener's: a sync may have left a second one in the project.
    private static func binder(of name: [UInt8], _ paths: [RelativePath]) -> RelativePath? {
        let binders = paths.filter { $0.components.count == 1 && NameEnding(of: $0.bytes).text == "scrivx" }
        let stem = name.prefix(name.lastIndex(of: 0x2e) ?? name.count)
        return binders.first { $0.bytes.dropLast(".scrivx".utf8.count) == stem } ?? binders.min()
    }
}

/// The members of a document, loaded only as they are needed.
private struct Source {
    let sizes: [RelativePath: Int64]
    let load: (RelativePath) throws -> [UInt8]
    var rest = DocumentText.limit

    init(sizes: [RelativePath: Int64], load: @escaping (RelativePath) throws -> [UInt8]) {
        (self.sizes, self.load) = (sizes, load)
    }

    func has(_ path: RelativePath) -> Bool { sizes[path] != nil }

    mutating func bytes(_ path: RelativePath) throws -> [UInt8] {
        guard let size = sizes[path], size <= TextLimits.file, size <= rest else { throw TextError.tooLarge }
        let bytes = try load(path)
        rest -= bytes.count
        return bytes
    }

    mutating func text(_ path: RelativePath, as format: TextFormat) throws -> String {
        try TextExtraction.text(of: try bytes(path), as: format)
    }

    /// The one text of a document; nil if it is missing, or not in a format that cue reads.
    mutating func single(_ path: RelativePath?, named name: [UInt8]? = nil) throws -> [TextSection]? {
        guard let path, has(path), let format = TextFormat(fileName: name ?? path.name) else { return nil }
        return [TextSection(title: "", path: path, text: try text(path, as: format))]
    }
}

extension RelativePath {
    fileprivate init(_ path: String) { self.init(trusted: Array(path.utf8)) }
}
