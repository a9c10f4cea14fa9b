import CueTestSupport
import Foundation
import Testing

/// Backups and restores over connections that break at a random byte.
@Suite("Fault: the connection to a service breaks at any byte")
struct BrokenLineFault {
    /// `CUE_CUTS=200` for many.
    private static var cuts: Int { ProcessInfo.processInfo.environment["CUE_CUTS"].flatMap { Int($0) } ?? 12 }

    /// Documents for a pack of each core, and small ones.
    private static let documents = """
        mkdir -p library/Book.scriv/Files
        for n in $(seq 60); do head -c 150000 /dev/urandom > "library/$n.jpg"; done
        for n in $(seq 20); do echo "scene $n" > "library/Book.scriv/Files/$n.rtf"; echo "note $n" > "library/$n.md"; done
        """

    @Test("A backup and a restore go on, the vault is whole, and no more than one pack is sent twice")
    func breaks() throws {
        let fake = FakeS3()
        let remote = try S3Story.Remote(fake.answer)
        let (cue, server) = (remote.cue, remote.server)
        try cue.shell(Self.documents)
        try remote.initialize()
        try cue.copy("home", "home before")
        let empty = fake.objects
        var generator = SeededGenerator(seed: 41)
        /// Sets one cut at a random byte of `bytes`, runs, and returns the bytes of bodies that went up in vain.
        func run(_ arguments: [String], of bytes: Int?, more: [String: String?] = [:]) throws -> Int {
            let (before, stored) = (fake.received + server.brokenOff, fake.objects)
            let place = bytes.map { Int(generator.next() % UInt64($0)) }
            if let place { server.cut(after: place) }
            let result = try cue.start(arguments, environment: remote.key.merging(more) { $1 }).result(deadline: 300)
            #expect(result.code == 0, "cut at \(place ?? -1): \(result.errors)\(result.text)")
            server.cutNothing()
            let new = fake.objects.filter { stored[$0.key] == nil }.reduce(0) { $0 + $1.value.count }
            return fake.received + server.brokenOff - before - new
        }
        func begin() throws {
            fake.setAll(empty)
            try cue.remove("home")
            try cue.copy("home before", "home")
        }
        let backup = ["backup", "library"]
        func restore(_ name: String) -> [String] { ["restore", "--vault", remote.vault, "--to", name] }

        // What both move where nothing breaks.
        try begin()
        var start = server.passed
        let idle = try run(backup, of: nil)
        let up = server.passed - start
        start = server.passed
        _ = try run(restore("whole"), of: nil, more: cue.elsewhere)
        let down = server.passed - start
        #expect(idle == 0 && up > 1_000_000 && down > 1_000_000)

        var again: [Int] = []
        for number in 1...Self.cuts {
            try begin()
            again.append(try run(backup, of: up))
            let largest = fake.objects.values.map(\.count).max() ?? 0
            #expect(again[number - 1] <= largest, "\(again[number - 1]) bytes were sent again")
            try remote.run("check", "library", "--read-data")
            _ = try run(restore("restored"), of: down, more: cue.elsewhere)
            #expect(try cue.differences("library", "restored") == "")
            try cue.remove("restored")
        }
        let mean = again.reduce(0, +) / again.count
        print("cuts: \(again.count), bytes sent again: mean \(mean), most \(again.max() ?? 0), of \(up)")
    }
}
