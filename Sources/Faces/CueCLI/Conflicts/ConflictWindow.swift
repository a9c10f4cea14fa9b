import CueBase
import CueSystem
import CueTerminal

/// How much room the terminal has for a question. It is measured each time: the window may change its size meanwhile.
struct ConflictWindow {
    let rows: Int
    /// At least 20.
    let columns: Int

    init(rows: Int, columns: Int) { (self.rows, self.columns) = (rows, max(20, columns)) }

    /// The terminal as it is now.
    static var now: ConflictWindow {
        ConflictWindow(rows: Terminal.rows(of: Terminal.error), columns: Terminal.columns(of: Terminal.error))
    }

    /// How many rows the lines take.
    func height(_ lines: some Sequence<Line>) -> Int {
        lines.reduce(0) { $0 + max(1, ($1.text.columns + columns - 1) / columns) }
    }

    /// As many of the lines as fit into `room` rows; the last one then says that there are more.
    func cut(_ lines: [Line], to room: Int, more: String) -> [Line] {
        guard height(lines) > room else { return lines }
        var shown: [Line] = []
        for line in lines {
            guard height(shown + [line, Line(more)]) <= room else { break }
            shown.append(line)
        }
        // The number of a paragraph alone says nothing.
        while let last = shown.last?.text, last.isEmpty || last.hasPrefix("  paragraph ") { shown.removeLast() }
        return shown.isEmpty ? [] : shown + [Line(more)]
    }

    /// A question that fits: title, versions, as much of the differences as there is room for, and the choices.
    func question(
        _ screen: ConflictScreen, _ choices: ConflictChoices, _ number: Int, of count: Int
    ) -> [Line] {
        // The question itself takes a row.
        let room = rows - 1
        let difference = screen.difference
        for detail in ConflictScreen.Detail.allCases {
            let head = screen.heading(number, of: count, detail) + screen.sides(detail)
            let menu = choices.menu(width: screen.width, detail)
            let left = room - height(head + menu)
            guard left >= min(height(difference), detail.excerpt) else { continue }
            return head + cut(difference, to: left, more: "    … (d shows all)") + menu
        }
        // So many versions, or so few rows: the name and the choices come first.
        let (title, menu) = (screen.heading(number, of: count, .least), choices.menu(width: screen.width, .least))
        let left = room - height(title + menu)
        return title + cut(screen.sides(.least), to: left, more: "  … (`cue conflicts` lists all)") + menu
    }
}
