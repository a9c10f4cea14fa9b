import CCounters
import Foundation

/// What a workload costs, for one unit (`peak`: as a whole). Which of the numbers there are depends on the machine.
struct Usage {
    /// `instructions`, `allocations`, and in bytes what was `allocated`, what was still `held` at the end and the `peak`
    /// in between; `cpu` in seconds.
    var numbers: [String: Double] = [:]

    /// Runs the work once to warm it up, and then once to count.
    static func measure(_ job: Workload.Job, countingInstructions: Bool) throws -> Usage {
        _ = try job.run()
        let before = cue_heap_now()
        cue_heap_reset_peak()
        let (cpu, instructions) = (processorTime(), cue_perf_instructions())
        let result = try job.run()
        let (cpuAfter, instructionsAfter) = (processorTime(), cue_perf_instructions())
        let after = cue_heap_now()
        let units = Double(job.units)
        var usage = Usage(numbers: ["cpu": (cpuAfter - cpu) / units])
        if countingInstructions { usage.numbers["instructions"] = Double(instructionsAfter - instructions) / units }
        guard cue_counts_heap() else { return usage }
        withExtendedLifetime(result) {
            usage.numbers["allocations"] = Double(after.calls - before.calls) / units
            usage.numbers["allocated"] = Double(after.bytes - before.bytes) / units
            usage.numbers["held"] = Double(after.live - before.live) / units
            usage.numbers["peak"] = Double(after.peak - before.live)
        }
        return usage
    }

    private static func processorTime() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) }
}

/// Counts instructions by running this program again under valgrind.
enum Callgrind {
    /// The other side: every workload, once warm and once counted. The numbers go into files that valgrind writes.
    static func count(_ workloads: [Workload]) throws {
        for workload in workloads {
            let job = try workload.prepare(Workload.Scale(isSmall: true))
            _ = try job.run()
            cue_callgrind_start()
            let result = try job.run()
            withExtendedLifetime(result) { unsafe cue_callgrind_stop("\(workload.name)=\(job.units)") }
        }
    }

    /// Instructions for a unit of each workload; nil where there is no valgrind.
    static func run(_ names: [String]) throws -> [String: Double]? {
        guard cue_knows_valgrind(), let valgrind = program("valgrind") else { return nil }
        let folder = try TemporaryFolder()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: valgrind)
        process.arguments =
            [
                "--tool=callgrind", "-q", "--instr-atstart=no", "--callgrind-out-file=\(folder.path)/out",
                Bundle.main.executablePath ?? CommandLine.arguments[0], "--count",
            ] + names
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["SWIFT_DETERMINISTIC_HASHING": "1", "SWIFT_BACKTRACE": "enable=no"]) { $1 }
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure("valgrind ended with \(process.terminationStatus)") }
        var found: [String: Double] = [:]
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            if let (name, value) = try read("\(folder.path)/\(file)") { found[name] = value }
        }
        return found
    }

    /// `desc: Trigger: Client Request: NAME=UNITS` and `summary: INSTRUCTIONS`.
    private static func read(_ path: String) throws -> (String, Double)? {
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        func value(after prefix: String) -> Substring? {
            lines.first { $0.hasPrefix(prefix) }?.dropFirst(prefix.count)
        }
        guard let label = value(after: "desc: Trigger: Client Request: ")?.split(separator: "="), label.count == 2,
            let units = Double(label[1]), let count = value(after: "summary: ").flatMap({ Double($0) })
        else { return nil }
        return (String(label[0]), count / units)
    }

    private static func program(_ name: String) -> String? {
        ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":").map { "\($0)/\(name)" }
            .first(where: FileManager.default.isExecutableFile)
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
