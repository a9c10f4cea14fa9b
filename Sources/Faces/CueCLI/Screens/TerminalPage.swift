import CueBase
import CueCrypto

/// Shows a text that comes in pieces, without anything that a terminal would obey. Each line is shown when it is
/// complete.
struct TerminalPage {
    /// Bytes after which an incomplete line is shown anyway.
    private static let lineAtMost = 1 << 16
    private var line: [UInt8] = []

    /// The text that can be shown after this piece.
    mutating func shown(_ piece: Span<UInt8>) -> String {
        line += piece.array
        let end: Int
        if let newline = line.lastIndex(of: 0x0a) {
            end = newline + 1
        } else if line.count > Self.lineAtMost {
            // A very long line: show it up to the start of a character.
            end = line.lastIndex { $0 & 0xc0 != 0x80 } ?? line.count
        } else {
            return ""
        }
        defer { line.removeFirst(end) }
        return Display.page(line[..<end])
    }

    /// The text after the last line end.
    var rest: String { Display.page(line) }
}
