import CueBase
import CueExpat

/// The binder of a Scrivener project (`.scrivx`, Scrivener 2 and 3): which texts there are, in which order and under
/// which titles.
final class ScrivenerBinder: XMLVisitor {
    private struct Item {
        let id: String?
        let uuid: String?
        let parent: Int?
        let isDraft: Bool
        var title: [UInt8] = []
    }

    private var items: [Item] = []
    private var openItems: [Int] = []
    private var openNames: [String] = []
    private var isInTitle = false

    init(_ document: [UInt8]) throws(TextError) {
        try PackedDocument.read(document, attributesOf: ["BinderItem"], to: self)
    }

    /// The items in the order of the binder, which is also that in which their elements begin.
    var indices: Range<Int> { items.indices }

    /// Where the text of an item may be, likeliest first.
    func places(of index: Int) -> [String] {
        let item = items[index]
        let stems = [item.uuid.map { "Files/Data/\($0)/content" }, item.id.map { "Files/Docs/\($0)" }]
        return stems.flatMap { stem in
            stem.map { ["\($0).rtf", "\($0).rtfd/TXT.rtf", "\($0).txt"] } ?? []
        }
    }

    /// The item's title behind those of the folders around it. The folder of the whole draft would only repeat itself.
    func title(of index: Int) -> String {
        var titles = [ownTitle(of: index)]
        var next = items[index].parent
        while let parent = next {
            if !items[parent].isDraft { titles.append(ownTitle(of: parent)) }
            next = items[parent].parent
        }
        return titles.reversed().joined(separator: " / ")
    }

    private func ownTitle(of index: Int) -> String {
        let words = items[index].title.split { $0 <= 0x20 }
        return words.isEmpty ? "Untitled" : String(decoding: Array(words.joined(separator: [0x20])), as: UTF8.self)
    }

    func open(_ name: String, _ attributes: [String: String]) {
        if name == "BinderItem" {
            openItems.append(items.count)
            items.append(
                Item(
                    id: attributes["ID"], uuid: attributes["UUID"], parent: openItems.dropLast().last,
                    isDraft: attributes["Type"] == "DraftFolder"))
        }
        isInTitle = name == "Title" && openNames.last == "BinderItem"
        openNames.append(name)
    }

    func close(_ name: String) {
        isInTitle = false
        openNames.removeLast()
        if name == "BinderItem" { openItems.removeLast() }
    }

    func text(_ bytes: Span<UInt8>) {
        guard isInTitle, let item = openItems.last else { return }
        // Every text below a folder repeats its title: one that fills a screen is cut.
        for index in bytes.indices where items[item].title.count < 1_000 { items[item].title.append(bytes[index]) }
    }

    /// Scrivener leaves the borders of its styles in the text: `<$Scr_Ps::0>`, `<!$Scr_Cs::1>`, `<$ScrKeepWithNext>`.
    static func withoutMarks(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var (kept, position): ([UInt8], Int) = ([], 0)
        kept.reserveCapacity(bytes.count)
        while position < bytes.count {
            if bytes[position] == UInt8(ascii: "<"), let end = endOfMark(at: position, in: bytes) {
                position = end
            } else {
                kept.append(bytes[position])
                position += 1
            }
        }
        return kept.count == bytes.count ? text : String(decoding: kept, as: UTF8.self)
    }

    private static func endOfMark(at start: Int, in bytes: [UInt8]) -> Int? {
        var rest = bytes[(start + 1)...].prefix(60)
        if rest.first == UInt8(ascii: "!") { rest = rest.dropFirst() }
        guard rest.starts(with: "$Scr".utf8), let end = rest.firstIndex(of: UInt8(ascii: ">")),
            !rest[..<end].contains(UInt8(ascii: " "))
        else { return nil }
        return end + 1
    }
}
