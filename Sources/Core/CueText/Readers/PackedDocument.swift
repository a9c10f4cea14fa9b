import CueExpat
import CueZip

/// The common container of Word and OpenDocument files: XML parts in a zip archive.
struct PackedDocument {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) throws(TextError) {
        // Word uses another container for documents with a password, as it did for all documents before 2007.
        if bytes.starts(with: [0xd0, 0xcf, 0x11, 0xe0]) {
            throw TextError.protectedOrOld
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
    fileprivate init(_ error: ZipError) {
        switch error {
        case .notAnArchive: self = .notADocument
        case .encrypted: self = .protected
        case .tooLarge: self = .unpacksTooLarge
        case .damaged: self = .damagedArchive
        }
    }

    fileprivate init(_ error: XMLError) {
        switch error {
        case .malformed: self = .damagedXML
        case .hasDocumentType: self = .hasEntities
        case .tooComplex: self = .xmlTooComplex
        }
    }
}
