import CueBase
import CueEngine
import CueLibrary
import CueSystem

/// The address of a monitor, as `[notify] ping` of a library gives it. Services in the manner of healthchecks.io hear a
/// start and a failure at the same address with `/start` or `/fail` at the end of its path.
struct PingAddress: Hashable, Sendable {
    /// All before the query.
    private let base: Substring
    /// The query with its question mark; empty if there is none.
    private let query: Substring

    /// `text`: an address as the marker takes it. A fragment is left out: it is for the reader of a page.
    init(_ text: String) {
        let whole = text.prefix { $0 != "#" }
        base = whole.prefix { $0 != "?" }
        query = whole[base.endIndex...]
    }

    /// The address of the library in or around a folder; nil if it has none, or if the marker cannot be read: then the
    /// command says so.
    init?(ofLibrary folder: String?) {
        let path = folder.map { FilePathBytes(ArgumentBytes.bytes($0)) } ?? Self.libraryHere
        guard let path = path?.resolved(), let root = try? Folder.open(path),
            let text = (try? LibraryMarker(in: root))?.pingAddress
        else { return nil }
        self.init(text)
    }

    private static var libraryHere: FilePathBytes? { currentFolder().flatMap { try? OpenLibrary.root(around: $0) } }

    /// The address that hears of an event.
    func url(_ event: Ping.Event) -> String {
        guard let ending = event.ending else { return "\(base)\(query)" }
        return "\(base.hasSuffix("/") ? base.dropLast() : base)/\(ending)\(query)"
    }
}
