import CueEngine
import CueLibrary
import CueSystem
import Logging
import Synchronization

/// Sends the state of a watcher to the address of `[notify] ping`.
final class WatchMonitor: Sendable {
    private struct State {
        var address: PingAddress?
        var pings = WatchPings()
    }

    private let pinger: Pinger
    private let state = Mutex(State())

    /// `isLogging`: whether a message that does not arrive is logged, once until one arrives.
    init(_ log: Logger, isLogging: Bool) {
        pinger = Pinger(changed: { trouble in
            guard isLogging else { return }
            log.notice("\(trouble.map(PingWords.unheard) ?? PingWords.heard)")
        })
    }

    /// Uses the address of this marker from now on.
    func use(_ marker: LibraryMarker) { state.withLock { $0.address = marker.pingAddress.map { PingAddress($0) } } }

    /// Passes an event on, if it is one for the monitor.
    func tell(_ event: Watcher.Event) {
        let due = state.withLock { state -> (ping: Ping, address: PingAddress)? in
            guard let address = state.address else { return nil }
            return state.pings.ping(for: event, at: Environment.monotonicSeconds).map { ($0, address) }
        }
        if let due { pinger.send(due.ping, to: due.address) }
    }

    /// Waits a few seconds for messages that are on their way.
    func finish() { pinger.finish() }
}
