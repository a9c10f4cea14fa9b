import CueBase
import CueEvents

/// Texts of events for a screen. They may come from anyone and have any width.
enum GardenText {
    /// One line, with everything escaped that a terminal would obey.
    static func shown(_ text: String) -> String {
        Display.sentence(text.utf8.map { $0 == 0x0a || $0 == 0x0d || $0 == 0x09 ? 0x20 : $0 })
    }

    /// Exactly `width` columns: cut with an ellipsis, or padded.
    static func fitted(_ text: String, _ width: Int) -> String {
        let cut = cut(text, width)
        return cut + String(repeating: " ", count: max(0, width - columns(cut)))
    }

    /// At most `width` columns, with an ellipsis if it is cut.
    static func cut(_ text: String, _ width: Int) -> String {
        let text = shown(text)
        var (out, used) = ("", 0)
        let fits = columns(text) <= width
        for character in text {
            let columns = columns(String(character))
            guard used + columns <= (fits ? width : width - 1) else { break }
            out.append(character)
            used += columns
        }
        return fits || width < 1 ? out : out + "…"
    }

    /// The width on a terminal: CJK and emoji take two columns, combining marks none.
    static func columns(_ text: String) -> Int {
        text.reduce(0) { $0 + ($1.unicodeScalars.map(columns).max() ?? 0) }
    }

    private static func columns(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        if scalar.properties.isEmojiPresentation { return 2 }
        return switch scalar.value {
        case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xa960...0xa97f, 0xac00...0xd7a3, 0xf900...0xfaff,
            0xfe30...0xfe6f, 0xff00...0xff60, 0xffe0...0xffe6, 0x20000...0x3fffd:
            2
        default: 1
        }
    }

    /// At most two decimals: `8.05`, `12`.
    static func amount(_ amount: Double) -> String {
        let hundredths = Int((min(max(amount, -1e9), 1e9) * 100).rounded())
        let (whole, rest) = (abs(hundredths) / 100, abs(hundredths) % 100)
        let sign = hundredths < 0 ? "-" : ""
        if rest == 0 { return "\(sign)\(whole)" }
        return rest % 10 == 0 ? "\(sign)\(whole).\(rest / 10)" : "\(sign)\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }

    /// A number with its noun: `2 days`.
    static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    /// A date such as `21 Jan`.
    static func day(_ date: CivilDate) -> String { GardenCalendar.shown(date) }

    /// Minutes of a day as `09:05`.
    static func clock(_ minutes: Int) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
        return "\(two(minutes / 60)):\(two(minutes % 60))"
    }
}

/// Terminal colours, by their SGR code.
enum Ink: String {
    case green = "32"
    case yellow = "33"
    case blue = "34"
    case dim = "2"
    case bold = "1"

    /// The text in this colour, or plain if `isOn` is false.
    func paint(_ text: String, _ isOn: Bool) -> String { isOn ? "\u{1b}[\(rawValue)m\(text)\u{1b}[0m" : text }
}
