import CueBase
import CueCrypto

/// Shows a text that comes in pieces, so that a terminal obeys nothing in it: a line is shown when it has ended.
struct TerminalPage {
    private static let lineAtMost = 1 << 16
    private var line: [UInt8] = []

    /// What of it can be shown now.
    mutating func shown(_ piece: Span<UInt8>) -> String {
        line += piece.array
        let end: Int
        if let newline = line.lastIndex(of: 0x0a) {
            end = newline + 1
        } else if line.count > Self.lineAtMost {
            // A line without an end: up to where a character begins.
            end = line.lastIndex { $0 & 0xc0 != 0x80 } ?? line.count
        } else {
            return ""
        }
        defer { line.removeFirst(end) }
        return Display.page(line[..<end])
    }

    /// What did not end with a line.
    var rest: String { Display.page(line) }
}
