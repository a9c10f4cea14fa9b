import CueExpat
import CueZip

/// The common container of Word and OpenDocument files: XML parts in a zip archive.
struct PackedDocument {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) throws(TextError) {
        // Word uses another container for documents with a password, as it did for all documents before 2007.
        if bytes.starts(with: [0xd0, 0xcf, 0x11, 0xe0]) {
            throw TextError(reason: "it is protected by a password, or in the format of an old Word")
        }
        self.bytes = bytes
    }

    /// The named parts; nil for one that does not exist.
    func parts(_ names: [String]) throws(TextError) -> [[UInt8]?] {
        do {
            return try Zip.members(names, of: bytes.span, upTo: TextLimits.file)
        } catch {
            throw TextError(error)
        }
    }

    static func read(_ part: [UInt8], attributesOf: Set<String>, to visitor: any XMLVisitor) throws(TextError) {
        do {
            try XML.read(part.span, attributesOf: attributesOf, to: visitor)
        } catch {
            throw TextError(error)
        }
    }
}

extension TextError {
    static func missing(_ part: String) -> TextError { TextError(reason: "it has no \(part)") }

    private static let passwordProtected = TextError(reason: "it is protected by a password")

    fileprivate init(_ error: ZipError) {
        switch error {
        case .notAnArchive: self.init(reason: "it is no document of its kind, or a damaged one")
        case .encrypted: self = .passwordProtected
        case .tooLarge: self.init(reason: "it would unpack to more than any text has")
        case .damaged: self.init(reason: "its archive is damaged")
        }
    }

    fileprivate init(_ error: XMLError) {
        switch error {
        case .malformed: self.init(reason: "its XML is damaged")
        case .hasDocumentType: self.init(reason: "its XML defines entities, which no such document does")
        case .tooComplex: self.init(reason: "its XML is nested or tagged beyond measure")
        }
    }
}
