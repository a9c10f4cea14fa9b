import CueBase
import CueEvents
import Foundation

/// The soil over time as a stand-alone picture: SVG 1.1, light or dark as the reader's system; light if media queries
/// are unknown.
enum SoilChartSVG {
    private static let (width, height) = (760.0, 360.0)
    private static let (left, right, top, bottom) = (56.0, 20.0, 48.0, 48.0)

    /// The start of every chart. Hardly any other file begins so, so it marks charts that cue may replace.
    static let beginning =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(Int(width)) \(Int(height))\" role=\"img\" "
        + "aria-labelledby=\"title\" font-family=\"system-ui, sans-serif\" font-size=\"12\">\n<title id=\"title\">Soil "

    /// The whole file.
    static func text(
        _ points: [GardenReplay.SoilPoint], _ range: SoilChart.Range, _ calendar: GardenCalendar
    ) -> String {
        let scale = ChartScale.top(points.map(\.capacity).max() ?? 1)
        let title = "Soil \(range.words)"
        var parts = [
            """
            \(beginning)\(escaped(range.words))</title>
            <style>
            text { fill: #24292f }
            .grid { stroke: #24292f; stroke-opacity: 0.15 }
            .axis { stroke: #24292f; stroke-opacity: 0.6 }
            .free { fill: #2e7d32; fill-opacity: 0.25; stroke: none }
            .line { fill: none; stroke: #2e7d32; stroke-width: 2 }
            .held { fill: none; stroke: #8d6e63; stroke-width: 2; stroke-dasharray: 6 4 }
            @media (prefers-color-scheme: dark) {
            text { fill: #e6edf3 }
            .grid, .axis { stroke: #e6edf3 }
            .free { fill: #81c784 }
            .line { stroke: #81c784 }
            .held { stroke: #bcaaa4 }
            }
            </style>
            <text x="\(number(left))" y="24" font-size="16" font-weight="600">\(escaped(title))</text>
            """
        ]
        parts += legend
        parts += grid(scale)
        if points.isEmpty {
            parts.append(label("Nothing has happened yet", width / 2, height / 2, anchor: "middle"))
        } else {
            parts += curves(points, scale)
            parts += times(points, range, calendar)
        }
        parts.append(label("soil", 14, (top + height - bottom) / 2, anchor: "middle", turned: true))
        parts.append(label("time", (left + width - right) / 2, height - 8, anchor: "middle"))
        return parts.joined(separator: "\n") + "\n</svg>\n"
    }

    private static var legend: [String] {
        let (x, y) = (width - right - 190, 20.0)
        return [
            "<path class=\"line\" d=\"M\(number(x)) \(number(y)) h24\"/>", label("free", x + 30, y + 4),
            "<path class=\"held\" d=\"M\(number(x + 80)) \(number(y)) h24\"/>", label("capacity", x + 110, y + 4),
        ]
    }

    /// The height of a value; `scale` is the top of the axis.
    private static func y(_ value: Double, _ scale: Double) -> Double {
        height - bottom - (height - top - bottom) * value / scale
    }

    private static func grid(_ scale: Double) -> [String] {
        (0...4).flatMap { step in
            let value = scale * Double(step) / 4
            let y = y(value, scale)
            return [
                "<path class=\"\(step == 0 ? "axis" : "grid")\" d=\"M\(number(left)) \(number(y)) H\(number(width - right))\"/>",
                label(GardenText.amount(value), left - 8, y + 4, anchor: "end"),
            ]
        }
    }

    /// The place of a time between the first and the last point.
    private static func x(_ time: Timestamp, _ points: [GardenReplay.SoilPoint]) -> Double {
        let (first, last) = (points[0].time.milliseconds, points[points.count - 1].time.milliseconds)
        guard last > first else { return width - right }
        return left + (width - left - right) * Double(time.milliseconds - first) / Double(last - first)
    }

    /// Curves in steps, as soil changes at once.
    private static func curves(_ points: [GardenReplay.SoilPoint], _ scale: Double) -> [String] {
        func path(_ value: (GardenReplay.SoilPoint) -> Double) -> String {
            var path = ""
            for (index, point) in points.enumerated() {
                let (x, y) = (number(x(point.time, points)), number(y(value(point), scale)))
                path += index == 0 ? "M\(x) \(y)" : " H\(x) V\(y)"
            }
            return path
        }
        let free = path(\.available)
        let floor = number(height - bottom)
        let area = "\(free) V\(floor) H\(number(x(points[0].time, points))) Z"
        return [
            "<path class=\"free\" d=\"\(area)\"/>", "<path class=\"line\" d=\"\(free)\"/>",
            "<path class=\"held\" d=\"\(path(\.capacity))\"/>",
        ]
    }

    /// Up to six labels below the time axis.
    private static func times(
        _ points: [GardenReplay.SoilPoint], _ range: SoilChart.Range, _ calendar: GardenCalendar
    ) -> [String] {
        let count = min(5, points.count - 1)
        return (0...max(count, 0)).map { step in
            let point = points[count == 0 ? 0 : (points.count - 1) * step / count]
            let x = x(point.time, points)
            let anchor = count == 0 || step == count ? "end" : step == 0 ? "start" : "middle"
            return label(ChartScale.label(point.time, range, points, calendar), x, height - bottom + 18, anchor: anchor)
        }
    }

    private static func label(
        _ text: String, _ x: Double, _ y: Double, anchor: String = "start", turned: Bool = false
    ) -> String {
        let turn = turned ? " transform=\"rotate(-90 \(number(x)) \(number(y)))\"" : ""
        return "<text x=\"\(number(x))\" y=\"\(number(y))\" text-anchor=\"\(anchor)\"\(turn)>\(escaped(text))</text>"
    }

    /// At most two decimals.
    private static func number(_ value: Double) -> String {
        value == value.rounded() ? String(Int(value)) : String(format: "%.2f", value)
    }

    /// For text and attributes. Characters that XML does not allow are left out.
    static func escaped(_ text: String) -> String {
        var out = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": out += "&amp;"
            case "<": out += "&lt;"
            case ">": out += "&gt;"
            case "\"": out += "&quot;"
            case "'": out += "&#39;"
            case "\t", "\n", "\r": out += " "
            default:
                if scalar.value >= 0x20 && scalar.value < 0xfffe {
                    out.unicodeScalars.append(scalar)
                } else if scalar.value >= 0x10000 {
                    out.unicodeScalars.append(scalar)
                }
            }
        }
        return out
    }
}
