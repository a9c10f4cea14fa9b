import Foundation

/// What the workloads cost when somebody last wrote it down, by counter and workload.
struct Thresholds: Codable {
    /// `callgrind` or `perf` with `instructions`, and `heap` with the rest: what counts alike is compared.
    private var counters: [String: [String: [String: Double]]] = [:]

    /// A workload may cost so much more before it is called worse: a share of what it did, and so much besides.
    private static let room: [(number: String, share: Double, more: Double)] = [
        ("instructions", 0.10, 0), ("allocations", 0.05, 0), ("allocated", 0.05, 0), ("held", 0.05, 1),
        ("peak", 0.05, 65536),
    ]

    private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../thresholds.json").standardizedFileURL

    static func read() throws -> Thresholds {
        guard let data = try? Data(contentsOf: file) else { return Thresholds() }
        return Thresholds(counters: try JSONDecoder().decode([String: [String: [String: Double]]].self, from: data))
    }

    init(counters: [String: [String: [String: Double]]] = [:]) { self.counters = counters }

    private static func counter(of number: String, _ instructions: String) -> String {
        number == "instructions" ? instructions : "heap"
    }

    /// Whether instructions of this counter were ever written down.
    func knows(_ counter: String) -> Bool { counters[counter] != nil }

    /// What got worse, in sentences; and what got so much better that it should be written down.
    func compare(_ usage: Usage, of workload: Workload, counter: String) -> (worse: [String], better: [String]) {
        var (worse, better): ([String], [String]) = ([], [])
        for (number, share, more) in Self.room {
            guard let value = usage.numbers[number] else { continue }
            guard let old = counters[Self.counter(of: number, counter)]?[workload.name]?[number] else { continue }
            let change = old == 0 ? "from none" : String(format: "%+.1f %%", (value / old - 1) * 100)
            let sentence = "\(workload.name): \(number) \(Table.short(old)) -> \(Table.short(value)) (\(change))"
            if value > old * (1 + share) + more { worse.append(sentence) }
            if value < old * (1 - share) - more { better.append(sentence) }
        }
        return (worse, better)
    }

    /// What a workload takes more of than is promised; nil if it keeps within it.
    static func excess(_ usage: Usage, of workload: Workload, units: Int) -> String? {
        guard let most = workload.mostMemory, let peak = usage.numbers["peak"], peak > most * Double(units) else {
            return nil
        }
        return
            "\(workload.name): \(Table.short(peak / Double(units))) bytes a \(workload.unit) at its peak, promised are \(Table.short(most))"
    }

    mutating func record(_ usage: Usage, of workload: Workload, counter: String) {
        for (number, _, _) in Self.room {
            guard let value = usage.numbers[number] else { continue }
            let rounded = Double(String(format: "%.4g", value)) ?? value
            counters[Self.counter(of: number, counter), default: [:]][workload.name, default: [:]][number] = rounded
        }
    }

    func write() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try (try encoder.encode(counters) + Data("\n".utf8)).write(to: Self.file)
    }
}
