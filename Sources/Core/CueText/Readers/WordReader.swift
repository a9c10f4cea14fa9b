import CueExpat

/// Reads the text of a Word document (ECMA-376 part 1, §17), with all tracked changes accepted.
final class WordReader: XMLVisitor {
    static func text(of bytes: [UInt8]) throws(TextError) -> String {
        let document = try PackedDocument(bytes)
        let parts = try document.parts(["word/document.xml", "word/footnotes.xml", "word/endnotes.xml"])
        let reader = WordReader()
        if let main = parts[0] {
            try PackedDocument.read(main, attributesOf: ["vanish"], to: reader)
        } else {
            try PackedDocument.read(mainPart(of: document), attributesOf: ["vanish"], to: reader)
        }
        reader.noteDepth = 1
        for case let part? in parts.dropFirst() {
            try PackedDocument.read(part, attributesOf: ["vanish"], to: reader)
        }
        return reader.body.text(notes: reader.notes)
    }

    /// The main part under another name: Word on the web calls it `document2.xml` or otherwise, and the relationships
    /// name it.
    private static func mainPart(of document: PackedDocument) throws(TextError) -> [UInt8] {
        let finder = MainPartFinder()
        if let relationships = try document.parts(["_rels/.rels"])[0] {
            try PackedDocument.read(relationships, attributesOf: ["Relationship"], to: finder)
        }
        guard let name = finder.name, let part = try document.parts([name])[0] else {
            throw .missing("word/document.xml")
        }
        return part
    }

    /// Text that was deleted or moved away, alternatives for old programs, and earlier formatting.
    private static let skipped: Set<String> = [
        "del", "moveFrom", "Fallback", "pPrChange", "rPrChange", "sectPrChange", "tblPrChange",
    ]

    private var (body, notes) = (TextOutput(), TextOutput())
    /// Above zero inside a note or a text box, whose text goes behind the body.
    private var noteDepth = 0
    private var skippedDepth = 0
    private var isInText = false
    private var isHidden = false
    private var isInParagraphProperties = false
    /// True if the end of the paragraph was deleted: the next paragraph then continues it.
    private var isEndDeleted = false

    func open(_ name: String, _ attributes: [String: String]) {
        if skippedDepth > 0 {
            skippedDepth += 1
            return
        }
        if isInParagraphProperties {
            openProperty(name)
            return
        }
        switch name {
        case "t": isInText = true
        case "r": isHidden = false
        case "vanish": isHidden = !["0", "false", "off"].contains(attributes["val"])
        case "pPr": isInParagraphProperties = true
        case "tab", "ptab": write { $0.append("\t") }
        case "br", "cr": write { $0.endLine() }
        case "noBreakHyphen": write { $0.append("\u{2011}") }
        case "txbxContent": noteDepth += 1
        default: if Self.skipped.contains(name) { skippedDepth = 1 }
        }
    }

    private func openProperty(_ name: String) {
        if name == "del" || name == "moveFrom" { isEndDeleted = true }
        if Self.skipped.contains(name) { skippedDepth = 1 }
    }

    func close(_ name: String) {
        if skippedDepth > 0 {
            skippedDepth -= 1
            return
        }
        switch name {
        case "t": isInText = false
        case "r": isHidden = false
        case "pPr": isInParagraphProperties = false
        case "p": endParagraph()
        case "txbxContent":
            notes.endOpenLine()
            noteDepth -= 1
        default: break
        }
    }

    private func endParagraph() {
        if noteDepth > 0 {
            // Word keeps the lines between text and notes as notes without text.
            notes.endOpenLine()
        } else if !isEndDeleted {
            body.endLine()
        }
        isEndDeleted = false
    }

    func text(_ bytes: Span<UInt8>) {
        guard isInText, skippedDepth == 0, !isHidden else { return }
        if noteDepth > 0 { notes.append(bytes) } else { body.append(bytes) }
    }

    private func write(_ change: (inout TextOutput) -> Void) {
        if isHidden { return }
        if noteDepth > 0 { change(&notes) } else { change(&body) }
    }
}

private final class MainPartFinder: XMLVisitor {
    private(set) var name: String?

    func open(_ name: String, _ attributes: [String: String]) {
        guard attributes["Type"]?.hasSuffix("/officeDocument") == true, let target = attributes["Target"] else {
            return
        }
        self.name = target.hasPrefix("/") ? String(target.dropFirst()) : target
    }

    func close(_ name: String) {}
    func text(_ bytes: Span<UInt8>) {}
}
