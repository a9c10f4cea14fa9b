import CueSystem

/// Numbers as people read them.
package enum Style {
    /// A number of bytes: `812 bytes`, `1.2 MiB`.
    package static func bytes(_ count: Int64) -> String {
        let units = ["KiB", "MiB", "GiB", "TiB"]
        if count < 1024 { return count == 1 ? "1 byte" : "\(count) bytes" }
        var value = Double(count) / 1024
        var unit = 0
        while value >= 1023.5 && unit < units.count - 1 {
            value /= 1024
            unit += 1
        }
        if value >= 99.5 { return "\(Int(value.rounded())) \(units[unit])" }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }

    /// With separators: `12,345`.
    package static func number(_ number: Int) -> String {
        let digits = Array(String(number.magnitude))
        var out = number < 0 ? "-" : ""
        for (i, digit) in digits.enumerated() {
            if i > 0 && (digits.count - i) % 3 == 0 { out.append(",") }
            out.append(digit)
        }
        return out
    }

    /// A number with its noun: `1 document`, `12 documents`.
    package static func count(_ count: Int, _ noun: String) -> String {
        "\(number(count)) \(noun)\(count == 1 ? "" : "s")"
    }

    /// Seconds: `0.4 s`, `12 s`, `3 min 20 s`.
    package static func seconds(_ seconds: Double) -> String {
        if seconds < 9.95 { return "\((seconds * 10).rounded() / 10) s" }
        if seconds < 120 { return "\(Int(seconds.rounded())) s" }
        return "\(Int(seconds) / 60) min \(Int(seconds) % 60) s"
    }

    /// Pads text on its right, up to `width` characters.
    package static func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// Pads numbers on their left, up to `width` characters.
    package static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
