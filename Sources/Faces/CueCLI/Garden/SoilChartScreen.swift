import CueBase
import CueEvents

/// The soil over time on a terminal: columns for free soil, a line for the capacity.
struct SoilChartScreen {
    /// In lines.
    private static let height = 12
    private static let blocks = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    private let points: [GardenReplay.SoilPoint]
    private let calendar: GardenCalendar
    private let columns: Int
    private let colour: Bool
    private let top: Double

    /// Lines of at most `width` columns, but at least 40.
    static func lines(
        _ points: [GardenReplay.SoilPoint], _ range: SoilChart.Range, _ calendar: GardenCalendar, width: Int,
        colour: Bool
    ) -> [String] {
        guard let last = points.last else { return ["Nothing has happened to the soil yet."] }
        let screen = SoilChartScreen(points, calendar, min(max(width, 40), 160), colour)
        let now = "\(GardenText.amount(last.available)) of \(GardenText.amount(last.capacity)) free now"
        let title = "Soil \(range.words): \(now)"
        let fits = title.count <= width
        return (fits ? [title] : ["Soil \(range.words)", now]) + [""] + screen.rows + screen.axis(range)
    }

    private init(
        _ points: [GardenReplay.SoilPoint], _ calendar: GardenCalendar, _ width: Int, _ colour: Bool
    ) {
        (self.points, self.calendar, self.colour) = (points, calendar, colour)
        columns = width - 8
        top = ChartScale.top(points.map(\.capacity).max() ?? 1)
    }

    /// The point at a column: columns are equal spans of time.
    private func point(at column: Int) -> GardenReplay.SoilPoint {
        let (first, last) = (points[0].time.milliseconds, points[points.count - 1].time.milliseconds)
        let share = columns > 1 ? Double(column) / Double(columns - 1) : 1
        let moment = first + Int64(Double(last - first) * share)
        return points.last { $0.time.milliseconds <= moment } ?? points[0]
    }

    private var rows: [String] {
        let all = (0..<columns).map { point(at: $0) }
        return (0..<Self.height).reversed().map { row in
            let isLabelled = row == Self.height - 1 || row == Self.height / 2 - 1
            let value = top * Double(row + 1) / Double(Self.height)
            let label = isLabelled ? GardenText.amount(value) : ""
            let cells = all.map { cell(of: $0, row) }
            return String(repeating: " ", count: max(0, 6 - label.count)) + label + " ┤" + painted(cells)
        }
    }

    private enum Cell: Equatable { case free(String), held, empty }

    /// The character for a point in a row, counted from below.
    private func cell(of point: GardenReplay.SoilPoint, _ row: Int) -> Cell {
        let eighths = Int((point.available / top * Double(Self.height * 8)).rounded()) - row * 8
        if eighths > 0 { return .free(Self.blocks[min(eighths, 8) - 1]) }
        let capacity = Int((point.capacity / top * Double(Self.height)).rounded(.up)) - 1
        return capacity == row ? .held : .empty
    }

    /// Colours are switched once for each run of equal cells.
    private func painted(_ cells: [Cell]) -> String {
        var (out, run, ink): (String, String, Ink?) = ("", "", nil)
        func end() {
            out += ink.map { $0.paint(run, colour) } ?? run
            run = ""
        }
        for cell in cells {
            let (text, next): (String, Ink?) =
                switch cell {
                case .free(let block): (block, .green)
                case .held: ("─", .dim)
                case .empty: (" ", nil)
                }
            if next != ink { end() }
            ink = next
            run += text
        }
        end()
        return out
    }

    /// The time axis with its two ends, and the legend.
    private func axis(_ range: SoilChart.Range) -> [String] {
        let (first, last) = (points[0].time, points[points.count - 1].time)
        let labels = [first, last].map { ChartScale.label($0, range, points, calendar) }
        let gap = max(1, columns - labels[0].count - labels[1].count)
        return [
            String(repeating: " ", count: 7) + "└" + String(repeating: "─", count: columns),
            String(repeating: " ", count: 8) + labels[0] + String(repeating: " ", count: gap) + labels[1],
            "", "        █ free   ─ what the garden holds",
        ]
    }
}

/// The labels and the scale of both charts.
enum ChartScale {
    /// The top of the axis: the first of 12, 15, 20, 30, 40, 60, 90, 120 that is not below `value`.
    static func top(_ value: Double) -> Double { [12, 15, 20, 30, 40, 60, 90].first { $0 >= value } ?? 120 }

    /// `21 Jan, 14:00` for a day, `Wed 14:00` for a week, else `21 Jan`; with the year if several are possible.
    static func label(
        _ time: Timestamp, _ range: SoilChart.Range, _ points: [GardenReplay.SoilPoint], _ calendar: GardenCalendar
    ) -> String {
        let wall = calendar.wall(time)
        // All points of a young garden, or early in a year, may be of one day.
        if let first = points.first, let last = points.last,
            last.time.milliseconds - first.time.milliseconds < 172_800_000
        {
            return calendar.shown(time)
        }
        return switch range {
        case .day: calendar.shown(time)
        case .week: "\(wall.weekday) \(GardenText.clock(wall.minutes))"
        case .all, .sixMonths: "\(GardenText.day(wall.date)) \(wall.date.year)"
        default: GardenText.day(wall.date)
        }
    }
}
