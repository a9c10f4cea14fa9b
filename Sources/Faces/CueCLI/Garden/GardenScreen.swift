import CueBase
import CueEvents

/// The garden as text: a trunk with eight branches, and the sprouts on them.
struct GardenScreen {
    private let garden: GardenReplay
    private let today: GardenToday
    private let now: Timestamp
    private let calendar: GardenCalendar
    private let width: Int
    private let colour: Bool

    private init(_ garden: GardenReplay, _ now: Timestamp, _ calendar: GardenCalendar, _ width: Int, _ colour: Bool) {
        (self.garden, self.now, self.calendar, self.colour) = (garden, now, calendar, colour)
        self.width = min(max(width, 40), 100)
        today = garden.today(now: now, calendar)
    }

    /// Lines of at most `width` columns, but at least 40. They hold no control characters except colours, if asked for.
    static func lines(
        _ garden: GardenReplay, now: Timestamp, _ calendar: GardenCalendar, width: Int, colour: Bool
    ) -> [String] {
        let screen = GardenScreen(garden, now, calendar, width, colour)
        return screen.title + [""] + screen.meters + [""] + screen.tree
    }

    /// The date and the streak.
    private var title: [String] {
        let wall = calendar.wall(now)
        let date = "Garden, \(wall.weekday) \(GardenText.day(wall.date)) \(wall.date.year)"
        let streak =
            today.streak == 0 && today.longestStreak == 0
            ? "" : "streak \(GardenText.count(today.streak, "day")), longest \(today.longestStreak)"
        let space = width - date.count - streak.count
        let painted = Ink.bold.paint(date, colour)
        if streak.isEmpty { return [painted] }
        return space < 2 ? [painted, streak] : [painted + String(repeating: " ", count: space) + streak]
    }

    // MARK: Meters

    /// The free soil, and the water and sun that are left.
    private var meters: [String] {
        let soil = garden.soil
        let words =
            "\(GardenText.amount(soil.available)) of \(GardenText.amount(soil.capacity)) free, "
            + "at most \(GardenText.amount(GardenRules.maxCapacity))"
        let isNarrow = width < 19 + words.count
        let cells = isNarrow ? width - 7 : min(max(10, width - 38), width - 9 - words.count)
        let free = Self.cells(soil.available, of: GardenRules.maxCapacity, in: cells)
        let held = max(free, Self.cells(soil.capacity, of: GardenRules.maxCapacity, in: cells))
        let bar =
            Ink.green.paint(String(repeating: "█", count: free), colour) + String(repeating: "▒", count: held - free)
            + Ink.dim.paint(String(repeating: "·", count: cells - held), colour)
        let soilLines = isNarrow ? ["soil   \(bar)", "       \(words)"] : ["soil   \(bar)  \(words)"]
        return soilLines
            + meter("water", "●", "○", today.water, of: GardenRules.dailyWater, .blue, today.nextWaterReset)
            + meter("sun", "☀", "☼", today.sun, of: GardenRules.weeklySun, .yellow, today.nextSunReset)
    }

    /// One meter of marks; with the time of the next reset if it is not full.
    private func meter(
        _ name: String, _ full: String, _ empty: String, _ left: Int, of all: Int, _ ink: Ink, _ reset: Timestamp
    ) -> [String] {
        let marks = (0..<all).map { $0 < left ? ink.paint(full, colour) : empty }.joined(separator: " ")
        let gap = String(repeating: " ", count: 9 - 2 * all)
        let line = GardenText.fitted(name, 7) + marks + gap + "\(left) of \(all) left"
        // A full meter needs no time of its reset.
        if left >= all { return [line] }
        let again = "full again on \(calendar.shown(reset))"
        return width < 27 + again.count ? [line, "       " + again] : [line + "  " + again]
    }

    /// The number of filled cells; at least one for any amount above 0.
    private static func cells(_ amount: Double, of all: Double, in count: Int) -> Int {
        let share = min(max(amount / all, 0), 1)
        return share > 0 ? max(1, Int((share * Double(count)).rounded())) : 0
    }

    // MARK: Tree

    /// The branches with their sprouts, then the sums.
    private var tree: [String] {
        let growing = garden.sprouts.filter { $0.state == .active }
        let (leaves, seedlings) = (garden.leaves, garden.seedlings)
        var lines: [String] = []
        for (number, name) in GardenRules.branches.enumerated() {
            let here = growing.filter { GardenRules.branch(ofTwig: $0.planting.twig) == number }
            let leavesHere = leaves.filter { GardenRules.branch(ofTwig: $0.twig) == number }
            let ideas = seedlings.count { GardenRules.branch(ofTwig: $0.twig) == number }
            let isLast = number == GardenRules.branches.count - 1
            lines.append(
                branch(name, isLast ? "┗━" : "┣━", here.isEmpty, leaves: leavesHere, seedlings: ideas))
            lines += sprouts(here, trunk: isLast ? " " : "┃")
        }
        let elsewhere = growing.filter { GardenRules.branch(ofTwig: $0.planting.twig) == nil }
        if !elsewhere.isEmpty { lines += ["On no branch"] + sprouts(elsewhere, trunk: " ") }
        return lines + [""] + harvest
    }

    /// One branch with its seedlings and leaves.
    private func branch(_ name: String, _ joint: String, _ isBare: Bool, leaves: [Leaf], seedlings: Int) -> String {
        var notes: [String] = []
        if seedlings > 0 { notes.append(GardenText.count(seedlings, "seedling")) }
        if !leaves.isEmpty {
            // At most 20 names: `cue garden leaf` lists all.
            let names = leaves.prefix(20).map(\.name).joined(separator: ", ")
            notes.append("\(leaves.count == 1 ? "1 leaf" : "\(leaves.count) leaves"): \(names)")
        }
        let words = GardenText.cut(notes.joined(separator: ", "), width - 5 - name.count)
        let name = isBare ? Ink.dim.paint(name, colour) : Ink.bold.paint(name, colour)
        let padding = notes.isEmpty ? "" : "  "
        return "\(joint) \(name)\(padding)\(Ink.dim.paint(words, colour))"
    }

    /// The first 20 sprouts by their end; the rest is counted.
    private func sprouts(_ sprouts: [Sprout], trunk: String) -> [String] {
        let shown = sprouts.sorted { $0.readyByDuration < $1.readyByDuration }.prefix(20)
        let rest = sprouts.count - shown.count
        var lines = shown.enumerated().map { number, sprout in
            "\(trunk)   \(number == shown.count - 1 && rest == 0 ? "└" : "├") \(line(of: sprout))"
        }
        if rest > 0 { lines.append("\(trunk)   └ and \(rest) more") }
        return lines
    }

    /// One sprout: stage, title, watered today, twig, bar, days left.
    private func line(of sprout: Sprout) -> String {
        let end = calendar.endDate(planted: sprout.plantedTime, sprout.planting.season)
        let isReady = end <= now
        let whole = max(1, end.milliseconds - sprout.plantedTime.milliseconds)
        // A narrow screen leaves out the bar and the twig; the branch is above.
        let (hasBar, hasTwig) = (width >= 58, width >= 50)
        let done = Double(now.milliseconds - sprout.plantedTime.milliseconds) / Double(whole)
        let filled = min(10, Self.cells(done, of: 1, in: 10))
        let bar =
            (isReady ? Ink.yellow : Ink.green).paint(String(repeating: "▰", count: filled), colour)
            + Ink.dim.paint(String(repeating: "▱", count: 10 - filled), colour)
        let isWatered = today.wateredToday.contains { $0.utf8.elementsEqual(sprout.id.utf8) }
        let drop = isWatered ? Ink.blue.paint("●", colour) : " "
        let twig = GardenText.fitted(GardenRules.shownTwig(sprout.planting.twig), 8)
        let note = isReady ? Ink.yellow.paint("harvest now", colour) : left(until: end)
        // 6 columns of trunk stand before it; stage, drop, twig, bar and note take the rest.
        let rest = 25 + (hasTwig ? 9 : 0) + (hasBar ? 12 : 0)
        let title = GardenText.fitted(sprout.planting.title, width - rest)
        return
            "\(Self.stage(done, isReady)) \(title) \(drop)\(hasTwig ? " " + twig : "")\(hasBar ? "  " + bar : "")  \(note)"
    }

    /// A symbol for its age: a seed, a shoot, a twig, a tree, a flower.
    private static func stage(_ done: Double, _ isReady: Bool) -> String {
        if isReady { return "✿" }
        return done < 0.1 ? "." : done < 0.35 ? "ı" : done < 0.7 ? "ϒ" : "♣"
    }

    private func left(until end: Timestamp) -> String {
        let days = calendar.civilDay(of: end) - calendar.civilDay(of: now)
        return days == 0 ? "today" : "\(days) day\(days == 1 ? "" : "s") left"
    }

    /// The numbers of growing, ready, harvested and uprooted sprouts.
    private var harvest: [String] {
        let all = garden.sprouts
        let growing = all.filter { $0.state == .active }
        let ready = growing.count { calendar.endDate(planted: $0.plantedTime, $0.planting.season) <= now }
        var parts = ["\(growing.count) growing"]
        if ready > 0 { parts.append("\(ready) ready to harvest") }
        parts.append("\(all.count { $0.state == .completed }) harvested")
        let uprooted = all.count { $0.state == .uprooted }
        if uprooted > 0 { parts.append("\(uprooted) uprooted") }
        var lines: [String] = []
        for part in parts {
            guard let last = lines.last, last.count + 2 + part.count <= width else {
                if !lines.isEmpty { lines[lines.count - 1] += "," }
                lines.append(part)
                continue
            }
            lines[lines.count - 1] = "\(last), \(part)"
        }
        return lines
    }
}
