import CueExpat

/// Reads the text of an OpenDocument text (OASIS, OpenDocument 1.3 part 3), with all tracked changes accepted.
final class OpenDocumentReader: XMLVisitor {
    static func text(of bytes: [UInt8]) throws(TextError) -> String {
        let document = try PackedDocument(bytes)
        let parts = try document.parts(["content.xml", "META-INF/manifest.xml"])
        guard let content = parts[0] else { throw .missing("content.xml") }
        if let manifest = parts[1] { try refuseEncrypted(manifest) }
        let reader = OpenDocumentReader()
        try PackedDocument.read(content, attributesOf: ["s"], to: reader)
        return reader.body.text(notes: reader.notes)
    }

    /// Throws if the document has a password. Its zip archive is then not encrypted: its parts are, and the manifest
    /// names that.
    private static func refuseEncrypted(_ manifest: [UInt8]) throws(TextError) {
        let finder = EncryptionFinder()
        try PackedDocument.read(manifest, attributesOf: [], to: finder)
        if finder.found { throw TextError.protected }
    }

    private static let skipped: Set<String> = [
        "tracked-changes", "annotation", "note-citation", "ruby-text", "number", "title", "desc", "binary-data",
    ]

    private var (body, notes) = (TextOutput(), TextOutput())
    /// Above zero inside a note or a text box, whose text goes behind the body.
    private var noteDepth = 0
    private var skippedDepth = 0
    private var paragraphDepth = 0
    /// White space in the XML counts once, and not at all at the beginning of a line (§6.1.2).
    private var isAfterSpace = true
    /// The spaces that may still be written by number: a few bytes of XML may stand for any number of them.
    private var manySpaces = 1 << 20

    func open(_ name: String, _ attributes: [String: String]) {
        if skippedDepth > 0 {
            skippedDepth += 1
            return
        }
        switch name {
        case "p", "h":
            paragraphDepth += 1
            isAfterSpace = true
        case "s": spaces(attributes["c"].flatMap(Int.init) ?? 1)
        case "tab": write { $0.append("\t") }
        case "line-break":
            write { $0.endLine() }
            isAfterSpace = true
        case "note-body", "text-box": noteDepth += 1
        default: if Self.skipped.contains(name) { skippedDepth = 1 }
        }
    }

    func close(_ name: String) {
        if skippedDepth > 0 {
            skippedDepth -= 1
            return
        }
        switch name {
        case "p", "h":
            paragraphDepth -= 1
            if noteDepth > 0 { notes.endOpenLine() } else { body.endLine() }
        case "note-body", "text-box":
            noteDepth -= 1
            isAfterSpace = false
        default: break
        }
    }

    func text(_ bytes: Span<UInt8>) {
        guard paragraphDepth > 0, skippedDepth == 0 else { return }
        if noteDepth > 0 {
            notes.append(bytes, afterSpace: &isAfterSpace)
        } else {
            body.append(bytes, afterSpace: &isAfterSpace)
        }
    }

    private func spaces(_ count: Int) {
        let count = max(1, min(count, manySpaces))
        manySpaces -= count - 1
        for _ in 0..<count { write { $0.append(" ") } }
    }

    private func write(_ change: (inout TextOutput) -> Void) {
        guard paragraphDepth > 0 else { return }
        isAfterSpace = false
        if noteDepth > 0 { change(&notes) } else { change(&body) }
    }
}

private final class EncryptionFinder: XMLVisitor {
    private(set) var found = false

    func open(_ name: String, _ attributes: [String: String]) {
        if name == "encryption-data" { found = true }
    }

    func close(_ name: String) {}
    func text(_ bytes: Span<UInt8>) {}
}
