import CueBase
import CueCurl
import CueRemotes
import CueStorage
import CueSystem
import CueVault
import Foundation

/// Lists a large vault as a pull does, and prints what each step takes, a line of JSON each (`Benchmarks/listing.py`).
@main
enum Entry {
    static func main() throws {
        let address = try S3Address("s3://vault/v?endpoint=\(CommandLine.arguments[1])&anonymous=yes")
        let account = try S3Account(for: address) { _ in nil }
        let store = ListingStore(S3Store(address, account, HTTPClient()))
        let log = ObjectRecordLog(on: store)

        let first = try measure("log", \.entries.count) { try log.news(after: .start) }
        let packs = try measure("packs", \.sizes.count) {
            let listed = try store.list("packs").compactMap { entry in
                PackRecord.id(of: entry.name).map { ($0, entry.size) }
            }
            return PresentPacks(
                sizes: Dictionary(listed, uniquingKeysWith: { size, _ in size }), commits: first.entries)
        }
        let again = try measure("log again", \.entries.count) { try log.news(after: first.cursor) }
        // All of it is held to the end, as a pull holds it.
        withExtendedLifetime((first, packs, again)) {}
    }

    private static func measure<Result>(
        _ step: String, _ count: (Result) -> Int, _ work: () throws -> Result
    ) throws -> Result {
        let (start, cpu) = (Clock.system.seconds, seconds())
        let result = try work()
        let line = """
            {"step": "\(step)", "names": \(count(result)), "wall": \(Clock.system.seconds - start), \
            "cpu": \(seconds() - cpu), "peak": \(usage().ru_maxrss)}\n
            """
        try FileHandle.standardOutput.write(contentsOf: Array(line.utf8))
        return result
    }

    private static func usage() -> rusage {
        var usage = rusage()
        #if canImport(Darwin)
            _ = unsafe getrusage(RUSAGE_SELF, &usage)
        #else
            _ = unsafe getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
        #endif
        return usage
    }

    /// Of this process, user and system.
    private static func seconds() -> Double {
        let usage = usage()
        return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }
}
