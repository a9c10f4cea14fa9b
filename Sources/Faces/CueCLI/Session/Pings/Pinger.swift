import ArgumentParser
import CueCurl
import CueSystem
import Synchronization

/// Sends pings beside the work, one after the other. None of its errors is one of the command.
final class Pinger: Sendable {
    /// The seconds that one ping may take, and half of those that the end of a command waits for: its start may still
    /// be on its way. The end of a transfer may wait for a name server, so that there is a limit of its own.
    private static let secondsEach = 3.0
    private static let patience = 2 * secondsEach + 1

    private struct State {
        var waiting: [(url: String, ping: Ping)] = []
        var thread: Thread?
        var isEnding = false
        var hasEnded = false
        var trouble: PingTrouble?
    }

    private let client: HTTPClient
    private let news = Semaphore()
    private let state = Mutex(State())
    private let changed: @Sendable (PingTrouble?) -> Void

    /// `log` gets a line for each ping. `changed` gets the trouble of a ping, or nil for one that arrived, if it
    /// differs from that of the ping before. Both are called on the thread of the pings.
    init(
        secondsEach: Double = Pinger.secondsEach, log: (@Sendable (HTTPLine) -> Void)? = VaultTraffic.line,
        changed: @escaping @Sendable (PingTrouble?) -> Void = { _ in }
    ) {
        var settings = HTTPSettings()
        (settings.connectSeconds, settings.totalSeconds) = (max(1, Int(secondsEach)), secondsEach)
        (settings.attempts, settings.attemptsOffline, settings.redirects) = (1, 1, 0)
        settings.agent = "cue/\(Cue.configuration.version)"
        // After a stop the end of the command is still sent. That has a limit of time of its own.
        client = HTTPClient(settings, cancellation: Cancellation { false }, log: log)
        self.changed = changed
    }

    /// Sends a ping after those before it; returns at once.
    func send(_ ping: Ping, to address: PingAddress) {
        state.withLock { state in
            guard !state.isEnding else { return }
            state.waiting.append((address.url(ping.event), ping))
            if state.thread == nil { state.thread = Thread { [self] in work() } }
        }
        news.signal()
    }

    /// Waits until all has been sent; not longer than `seconds`. Returns whether it was. Nothing is sent afterwards.
    @discardableResult
    func finish(within seconds: Double = Pinger.patience) -> Bool {
        let thread = state.withLock { state in
            state.isEnding = true
            return state.thread
        }
        guard let thread else { return true }
        news.signal()
        let end = Environment.monotonicSeconds + seconds
        // Without a thread of its own, joining does the work.
        while thread.isRunning, !state.withLock(\.hasEnded) {
            // The thread is left to the end of the process, which is near.
            guard Environment.monotonicSeconds < end else { return false }
            Wait.milliseconds(2)
        }
        thread.join()
        return true
    }

    // MARK: On the thread

    private func work() {
        while true {
            let (next, isEnding) = state.withLock { state in
                (state.waiting.isEmpty ? nil : state.waiting.removeFirst(), state.isEnding)
            }
            if let next {
                note(deliver(next.ping, next.url))
            } else if isEnding {
                return state.withLock { $0.hasEnded = true }
            } else {
                news.wait()
            }
        }
    }

    private func deliver(_ ping: Ping, _ url: String) -> PingTrouble? {
        // The address is a secret: everybody who knows it can send messages as this device. It must not be in a log.
        var request = HTTPRequest(
            .post, url, label: ["ping", ping.event.ending].compactMap(\.self).joined(separator: "/"))
        request.headers = [("Content-Type", "application/json")]
        request.body = Array(((try? Output.encoded(ping)) ?? "").utf8)
        do {
            let answer = try client.perform(request)
            return answer.isSuccess ? nil : .refused(answer.status)
        } catch { return .unheard(error) }
    }

    private func note(_ trouble: PingTrouble?) {
        let isNew = state.withLock { state in
            defer { state.trouble = trouble }
            return state.trouble != trouble
        }
        if isNew { changed(trouble) }
    }
}
