import CExpat

/// What keeps an XML document from being read.
package enum XMLError: Error, Sendable, Equatable {
    case malformed
    /// A document type declares entities, and entities multiply.
    case hasDocumentType
    /// Deeper, with longer tags or with more names than any document has.
    case tooComplex
}

/// Is told what stands in an XML document, in its order.
package protocol XMLVisitor: AnyObject {
    /// `name` comes without its prefix; `attributes` too, and only for the elements that were asked for.
    func open(_ name: String, _ attributes: [String: String])
    func close(_ name: String)
    /// A piece of text, valid UTF-8.
    func text(_ bytes: Span<UInt8>)
}

/// Reads XML by expat, with bounds on what a hostile document can make it hold.
package enum XML {
    package static func read(
        _ document: Span<UInt8>, attributesOf wanted: Set<String> = [], to visitor: any XMLVisitor
    ) throws(XMLError) {
        let reader = try XMLReader(attributesOf: wanted, visitor: visitor)
        try unsafe document.withUnsafeBytes { (bytes) throws(XMLError) in try unsafe reader.read(bytes) }
    }
}

@safe private final class XMLReader {
    private static let deepest = 512
    /// expat keeps every name of an attribute that it has seen, until the end.
    private static let mostNames = 4096
    /// No tag is longer than two pieces, so that none is looked at more often than twice, and none has many attributes.
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
        // Nil only without memory.
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
        // Comments and all the rest.
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

    /// Counts the names of the attributes, and reads their values where they are asked for.
    private func noted(
        _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>, asked: Bool
    ) -> [String: String] {
        var found: [String: String] = [:]
        var next = unsafe attributes
        while let name = unsafe next[0], let value = unsafe next[1] {
            // expat gives the same pointer for the same name.
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

    /// Programs choose their prefixes, so `w:p`, `ns0:p` and `p` are one.
    private static func local(_ name: UnsafePointer<CChar>) -> String {
        var (start, next) = unsafe (name, name)
        while unsafe next.pointee != 0 {
            if unsafe next.pointee == 0x3a { unsafe start = next + 1 }
            unsafe next += 1
        }
        return unsafe String(cString: start)
    }
}
