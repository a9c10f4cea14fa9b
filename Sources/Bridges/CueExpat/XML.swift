import CExpat

/// The reasons why an XML document is not read.
package enum XMLError: Error, Sendable, Equatable {
    /// Not well-formed XML.
    case malformed
    /// It has a document type: that can declare entities, and entities multiply.
    case hasDocumentType
    /// It is nested deeper, or has longer tags or more names than any real document; or memory ran out.
    case tooComplex
}

/// Receives the content of an XML document in its order.
package protocol XMLVisitor: AnyObject {
    /// An element begins. `name` and the keys of `attributes` come without their prefix. `attributes` is empty for
    /// elements that were not asked for.
    func open(_ name: String, _ attributes: [String: String])
    /// An element ends; `name` as in `open`.
    func close(_ name: String)
    /// A piece of text, valid UTF-8; one text may come in several pieces.
    func text(_ bytes: Span<UInt8>)
}

/// Reads XML with expat, within bounds on the memory that a hostile document can take.
package enum XML {
    /// Reads a whole document. `attributesOf` names the elements whose attributes `visitor` needs. Throws `XMLError`;
    /// `visitor` has then received a part of the document.
    package static func read(
        _ document: Span<UInt8>, attributesOf wanted: Set<String> = [], to visitor: any XMLVisitor
    ) throws(XMLError) {
        let reader = try XMLReader(attributesOf: wanted, visitor: visitor)
        try unsafe document.withUnsafeBytes { (bytes) throws(XMLError) in try unsafe reader.read(bytes) }
    }
}

@safe private final class XMLReader {
    private static let deepest = 512
    /// Expat keeps every attribute name that it has seen until the end.
    private static let mostNames = 4096
    /// The bytes that expat gets at a time. A tag is at most two pieces long, so expat scans none more than twice, and
    /// none has many attributes.
    private static let piece = 1 << 20

    private let parser: XML_Parser
    private let visitor: any XMLVisitor
    private let wanted: Set<String>
    private var depth = 0
    private var hadEvent = false
    private var elementNames: Set<String> = []
    private var attributeNames: Set<UnsafePointer<CChar>> = unsafe []
    private var failure: XMLError?

    init(attributesOf wanted: Set<String>, visitor: any XMLVisitor) throws(XMLError) {
        // Expat returns nil only without memory.
        guard let parser = unsafe XML_ParserCreate(nil) else { throw .tooComplex }
        unsafe self.parser = parser
        self.visitor = visitor
        self.wanted = wanted
        unsafe XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        unsafe XML_SetElementHandler(
            parser,
            { context, name, attributes in unsafe XMLReader.from(context)?.opened(name, attributes) },
            { context, name in unsafe XMLReader.from(context)?.closed(name) })
        unsafe XML_SetCharacterDataHandler(parser) { context, text, count in
            unsafe XMLReader.from(context)?.found(text, count)
        }
        unsafe XML_SetStartDoctypeDeclHandler(parser) { context, _, _, _, _ in
            unsafe XMLReader.from(context)?.stop(.hasDocumentType)
        }
        // Comments and all the rest count as events too.
        unsafe XML_SetDefaultHandler(parser) { context, _, _ in unsafe XMLReader.from(context)?.hadEvent = true }
    }

    deinit { unsafe XML_ParserFree(parser) }

    private static func from(_ context: UnsafeMutableRawPointer?) -> XMLReader? {
        unsafe context.map { unsafe Unmanaged<XMLReader>.fromOpaque($0).takeUnretainedValue() }
    }

    func read(_ bytes: UnsafeRawBufferPointer) throws(XMLError) {
        var start = 0
        repeat {
            let part = unsafe UnsafeRawBufferPointer(rebasing: bytes[start...].prefix(Self.piece))
            start += part.count
            hadEvent = false
            let isParsed = unsafe XML_Parse(
                parser, part.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(part.count),
                start == bytes.count ? 1 : 0)
            if let failure { throw failure }
            guard isParsed == XML_STATUS_OK else { throw .malformed }
            guard hadEvent || start == bytes.count else { throw .tooComplex }
        } while start < bytes.count
    }

    private func stop(_ error: XMLError) {
        if failure == nil { failure = error }
        unsafe XML_StopParser(parser, XML_Bool(XML_FALSE))
    }

    private func opened(_ name: UnsafePointer<CChar>?, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?) {
        guard failure == nil, let name = unsafe name, let attributes = unsafe attributes else { return }
        hadEvent = true
        depth += 1
        let element = unsafe Self.local(name)
        elementNames.insert(element)
        let found = unsafe noted(attributes, asked: wanted.contains(element))
        guard depth <= Self.deepest, unsafe elementNames.count + attributeNames.count <= Self.mostNames else {
            return stop(.tooComplex)
        }
        visitor.open(element, found)
    }

    /// Counts the names of the attributes. Reads their values only if `asked`.
    private func noted(
        _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>, asked: Bool
    ) -> [String: String] {
        var found: [String: String] = [:]
        var next = unsafe attributes
        while let name = unsafe next[0], let value = unsafe next[1] {
            // Expat gives the same pointer for the same name.
            unsafe attributeNames.insert(name)
            if asked { unsafe found[Self.local(name)] = unsafe String(cString: value) }
            unsafe next += 2
        }
        return found
    }

    private func closed(_ name: UnsafePointer<CChar>?) {
        guard failure == nil, let name = unsafe name else { return }
        hadEvent = true
        depth -= 1
        visitor.close(unsafe Self.local(name))
    }

    private func found(_ text: UnsafePointer<CChar>?, _ count: Int32) {
        guard failure == nil else { return }
        hadEvent = true
        let bytes = unsafe UnsafeRawBufferPointer(start: text, count: Int(count)).bindMemory(to: UInt8.self)
        visitor.text(unsafe bytes.span)
    }

    /// The name without its prefix. Programs choose their prefixes, so `w:p`, `ns0:p` and `p` are one.
    private static func local(_ name: UnsafePointer<CChar>) -> String {
        var (start, next) = unsafe (name, name)
        while unsafe next.pointee != 0 {
            if unsafe next.pointee == 0x3a { unsafe start = next + 1 }
            unsafe next += 1
        }
        return unsafe String(cString: start)
    }
}
