import CueBase
import CueExpat

/// The binder of a Scrivener project (`.scrivx`, Scrivener 2 and 3): the texts, their order and their titles.
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

    /// The items in the order of the binder, which is also the order in which their elements begin.
    var indices: Range<Int> { items.indices }

    /// The possible paths of an item's text, likeliest first.
    func places(of index: Int) -> [String] {
        let item = items[index]
        let stems = [item.uuid.map { "Files/Data/\($0)/content" }, item.id.map { "Files/Docs/\($0)" }]
        return stems.flatMap { stem in
            stem.map { ["\($0).rtf", "\($0).rtfd/TXT.rtf", "\($0).txt"] } ?? []
        }
    }

    /// The titles of the folders around the item, and its own.
    ///
    /// The title of the folder of the whole draft is left out, as it would only repeat itself.
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
        // Every text below a folder repeats the folder's title, so one that fills a screen is cut.
        for index in bytes.indices where items[item].title.count < 1_000 { items[item].title.append(bytes[index]) }
    }

    /// Removes the borders of styles, which Scrivener leaves in the text: `<$Scr_Ps::0>`, `<!$Scr_Cs::1>`,
    /// `<$ScrKeepWithNext>`.
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
