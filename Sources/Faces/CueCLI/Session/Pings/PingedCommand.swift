import ArgumentParser
import CueEngine
import CueSystem
import CueTerminal

/// A command whose start and end are sent to a monitor.
struct PingedCommand {
    private let name: String
    /// nil without a monitor.
    private let address: PingAddress?

    /// `library`: as it was named; nil for the one around the current folder.
    init(_ name: String, library: String?) { (self.name, address) = (name, PingAddress(ofLibrary: library)) }

    /// Does the work and throws its error. The numbers that `work` sets are sent to the monitor.
    func run(_ work: (inout Ping.Counts) throws -> Void) throws {
        var counts = Ping.Counts()
        guard let address else { return try work(&counts) }
        let started = Environment.monotonicSeconds
        let pinger = Pinger()
        pinger.send(.start(name), to: address)
        func tell(_ code: Int32) {
            pinger.send(.end(name, code, seconds: Environment.monotonicSeconds - started, counts), to: address)
            if !pinger.finish(), VaultTraffic.line != nil { Output.complain("\(PingWords.givenUp)") }
        }
        do { try work(&counts) } catch {
            tell(Self.code(of: error))
            throw error
        }
        tell(Outcome.done.rawValue)
    }

    private static func code(of error: any Error) -> Int32 {
        (error as? ExitCode)?.rawValue ?? CueError.describing(error, vault: "").outcome.rawValue
    }
}
