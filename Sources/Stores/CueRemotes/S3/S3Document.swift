import CueExpat

/// An answer of S3 in XML: the name of its root, and the texts of the elements below it.
final class S3Document: XMLVisitor {
    /// An element that holds others, such as `Contents` in a listing.
    struct Item {
        let name: String
        /// The texts of the elements in it; of equal names the last one.
        var texts: [String: String] = [:]
    }

    private(set) var root = ""
    /// The elements directly below the root that hold only text.
    private(set) var texts: [String: String] = [:]
    /// The elements directly below the root that hold elements.
    private(set) var items: [Item] = []
    private var depth = 0
    private var item: Item?
    private var bytes: [UInt8] = []

    /// nil if it is no XML, or none that S3 writes.
    init?(_ document: [UInt8]) {
        do throws(XMLError) { try XML.read(document.span, to: self) } catch { return nil }
    }

    func open(_ name: String, _ attributes: [String: String]) {
        depth += 1
        if depth == 1 { root = name }
        if depth == 2 { item = Item(name: name) }
        bytes = []
    }

    func close(_ name: String) {
        let text = String(decoding: bytes, as: UTF8.self)
        bytes = []
        if depth == 3 { item?.texts[name] = text }
        if depth == 2, let item {
            if item.texts.isEmpty { texts[name] = text } else { items.append(item) }
            self.item = nil
        }
        depth -= 1
    }

    func text(_ piece: Span<UInt8>) {
        for index in piece.indices { bytes.append(piece[index]) }
    }
}
