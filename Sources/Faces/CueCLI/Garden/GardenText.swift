import CueBase
import CueEvents
import CueTerminal

/// Texts of events for a screen. They may come from anyone and have any width.
enum GardenText {
    /// One line, with everything escaped that a terminal would obey.
    static func shown(_ text: String) -> String {
        Display.sentence(text.utf8.map { $0 == 0x0a || $0 == 0x0d || $0 == 0x09 ? 0x20 : $0 })
    }

    /// Exactly `width` columns: cut with an ellipsis, or padded.
    static func fitted(_ text: String, _ width: Int) -> String {
        let cut = cut(text, width)
        return cut + String(repeating: " ", count: max(0, width - cut.columns))
    }

    /// At most `width` columns, with an ellipsis if it is cut.
    static func cut(_ text: String, _ width: Int) -> String {
        let text = shown(text)
        var (out, used) = ("", 0)
        let fits = text.columns <= width
        for character in text {
            guard used + character.columns <= (fits ? width : width - 1) else { break }
            out.append(character)
            used += character.columns
        }
        return fits || width < 1 ? out : out + "…"
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
