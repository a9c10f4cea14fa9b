import CueCurl
import CueStorage
import CueTerminal
import Synchronization

/// What this process asked of vaults, for `--verbose`.
enum VaultTraffic {
    private static let stores = Mutex<[CountingStore]>([])

    /// The store, or one around it that counts where that was asked for.
    static func counted(_ store: any ObjectStore) -> any ObjectStore {
        guard processArguments().contains("--verbose") else { return store }
        let counting = CountingStore(store)
        stores.withLock { $0.append(counting) }
        return counting
    }

    /// Prints a line for each request to a service; nil where none is wanted.
    static var line: (@Sendable (HTTPLine) -> Void)? {
        guard processArguments().contains("--verbose"), !processArguments().contains("--json") else { return nil }
        return { line in Output.complain("\(line.words)") }
    }

    /// Prints it to the standard error; nothing where no vault was opened, or the result is for a program.
    static func report() {
        let all = stores.withLock { $0.map(\.traffic) }
        guard !all.isEmpty, !processArguments().contains("--json") else { return }
        Output.complain("cue: the vault was asked \(all.reduce(Traffic(), +).words)")
    }
}

extension Traffic {
    fileprivate static func + (x: Traffic, y: Traffic) -> Traffic {
        var sum = x
        sum.reads += y.reads
        sum.sizes += y.sizes
        sum.lists += y.lists
        sum.objects += y.objects
        sum.deletions += y.deletions
        sum.bytesRead += y.bytesRead
        sum.bytesWritten += y.bytesWritten
        return sum
    }

    /// Such as `9 times: 3 reads (12 KB), 2 lists, 3 sizes, 1 new object (4 KB)`.
    fileprivate var words: String {
        let parts = [
            (reads, "\(Style.count(reads, "read")) (\(Style.bytes(Int64(bytesRead))))"),
            (lists, Style.count(lists, "list")),
            (sizes, Style.count(sizes, "size")),
            (objects, "\(Style.count(objects, "new object")) (\(Style.bytes(Int64(bytesWritten))))"),
            (deletions, Style.count(deletions, "deletion")),
        ]
        let times = requests == 1 ? "once" : requests == 0 ? "for nothing" : "\(requests) times"
        return ([times] + (requests == 0 ? [] : [parts.filter { $0.0 > 0 }.map(\.1).joined(separator: ", ")]))
            .joined(separator: ": ")
    }
}
