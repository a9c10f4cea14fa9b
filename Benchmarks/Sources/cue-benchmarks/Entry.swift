import CCounters
import Foundation

@main
enum Entry {
    static let usage = """
        cue-benchmarks [--check | --record] [NAME …]   what parts of cue cost: instructions, allocations, memory

          --check    exit with 1, and say what and by how much, when something costs more than thresholds.json says
          --record   write what was measured into thresholds.json
          NAME       only the workloads whose names begin so
        """

    static func main() {
        do { try run() } catch {
            print("cue-benchmarks: error: \(error)")
            exit(1)
        }
    }

    private static func run() throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        func take(_ flag: String) -> Bool {
            defer { arguments.removeAll { $0 == flag } }
            return arguments.contains(flag)
        }
        let (check, record, count) = (take("--check"), take("--record"), take("--count"))
        if let unknown = arguments.first(where: { $0.hasPrefix("-") }) {
            print(usage)
            exit(unknown == "--help" || unknown == "-h" ? 0 : 2)
        }
        let names = arguments
        let chosen = Workload.all.filter { workload in names.isEmpty || names.contains(where: workload.name.hasPrefix) }
        if count && cue_is_under_valgrind() { return try Callgrind.count(chosen) }

        let hasPerf = cue_perf_open()
        let counted = hasPerf ? nil : try Callgrind.run(names)
        let counter = hasPerf ? "perf" : counted == nil ? "none" : "callgrind"
        var thresholds = try Thresholds.read()
        var (worse, better, excess): ([String], [String], [String]) = ([], [], [])
        Table.begin(instructions: counter)
        for workload in chosen {
            let job = try workload.prepare(Workload.Scale(isSmall: false))
            var usage = try Usage.measure(job, countingInstructions: hasPerf)
            if let counted { usage.numbers["instructions"] = counted[workload.name] }
            Table.row(workload, usage)
            let difference = thresholds.compare(usage, of: workload, counter: counter)
            worse += difference.worse
            better += difference.better
            if let more = Thresholds.excess(usage, of: workload, units: job.units) { excess.append(more) }
            if record { thresholds.record(usage, of: workload, counter: counter) }
        }
        say("More than is promised", excess)
        if record { return try thresholds.write() }
        guard check else { return }
        if counter != "none" && !thresholds.knows(counter) {
            say("Not compared", ["instructions: there are no thresholds for \(counter) yet; --record writes them"])
        }
        say("Better (write it down with --record)", better)
        say("Worse", worse)
        exit(worse.isEmpty && excess.isEmpty ? 0 : 1)
    }

    private static func say(_ title: String, _ lines: [String]) {
        if !lines.isEmpty { print("\n\(title):\n  " + lines.joined(separator: "\n  ")) }
    }
}

/// Prints what was measured, line by line.
enum Table {
    private static let columns = ["instructions", "allocations", "allocated", "held", "peak", "cpu"]

    static func begin(instructions: String) {
        let how = [
            "perf": "instructions from the processor", "callgrind": "instructions from valgrind, on a smaller amount",
            "none": "no instructions: neither perf_event_open nor valgrind",
        ]
        print("For one unit (peak: for all); \(how[instructions] ?? "").\n")
        line("workload", "unit", ["instructions", "allocations", "allocated", "held", "peak", "CPU"])
    }

    static func row(_ workload: Workload, _ usage: Usage) {
        line(
            workload.name, workload.unit,
            columns.map { column in
                guard let value = usage.numbers[column] else { return "-" }
                switch column {
                case "cpu": return time(value)
                case "allocated", "held", "peak": return bytes(value)
                default: return short(value)
                }
            })
    }

    private static func line(_ name: String, _ unit: String, _ values: [String]) {
        func pad(_ text: String, _ width: Int) -> String { text.padding(toLength: width, withPad: " ", startingAt: 0) }
        func right(_ text: String) -> String { String(repeating: " ", count: max(0, 13 - text.count)) + text }
        print(pad(name, 24) + pad(unit, 6) + values.map(right).joined())
        fflush(nil)
    }

    static func short(_ value: Double) -> String {
        switch abs(value) {
        case 0: "0"
        case ..<10: String(format: "%.3g", value)
        case ..<10_000: String(format: "%.0f", value)
        case ..<10_000_000: String(format: "%.1f k", value / 1e3)
        default: String(format: "%.1f M", value / 1e6)
        }
    }

    private static func bytes(_ value: Double) -> String {
        switch abs(value) {
        case ..<10_240: short(value) + " B"
        case ..<10_485_760: String(format: "%.1f KiB", value / 1024)
        default: String(format: "%.1f MiB", value / 1_048_576)
        }
    }

    private static func time(_ seconds: Double) -> String {
        seconds < 1e-3 ? String(format: "%.2f µs", seconds * 1e6) : String(format: "%.2f ms", seconds * 1e3)
    }
}
