import CueEngine
import CueLibrary
import CueSystem
import Logging
import Synchronization

/// Tells the address of `[notify] ping` how a watcher is.
final class WatchMonitor: Sendable {
    private struct State {
        var address: PingAddress?
        var pings = WatchPings()
    }

    private let pinger: Pinger
    private let state = Mutex(State())

    /// `isLogging`: whether the log says that the address does not hear, once until that changes.
    init(_ log: Logger, isLogging: Bool) {
        pinger = Pinger(changed: { trouble in
            guard isLogging else { return }
            log.notice("\(trouble.map(PingWords.unheard) ?? PingWords.heard)")
        })
    }

    /// Takes what a marker says from now on.
    func use(_ marker: LibraryMarker) { state.withLock { $0.address = marker.pingAddress.map { PingAddress($0) } } }

    /// Passes an event on, if it is one for the monitor.
    func tell(_ event: Watcher.Event) {
        let due = state.withLock { state -> (ping: Ping, address: PingAddress)? in
            guard let address = state.address else { return nil }
            return state.pings.ping(for: event, at: Environment.monotonicSeconds).map { ($0, address) }
        }
        if let due { pinger.send(due.ping, to: due.address) }
    }

    /// Waits for what is on its way, for a few seconds.
    func finish() { pinger.finish() }
}
