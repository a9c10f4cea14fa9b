package import CueSystem

/// Requests over HTTP/1.1 and HTTP/2 with libcurl. Calls block; threads may share a client, and then share its
/// connections.
///
/// A request that fails with an error that heals, or is answered with 408, 429 or 5xx (RFC 9110 §15), is sent again
/// after 1, 2, 4, … seconds, each longer or shorter by up to a quarter so that many devices do not come at once, or
/// after as many as the server asks for. Redirects are followed on the same server only, as another one must not
/// receive the credentials.
package final class HTTPClient: Sendable {
    private let settings: HTTPSettings
    private let loop: TransferLoop
    private let cancellation: Cancellation
    private let clock: Clock
    private let log: (@Sendable (HTTPLine) -> Void)?

    /// `log` gets a line for every request when it has ended, on the thread that made it.
    package init(
        _ settings: HTTPSettings = HTTPSettings(), cancellation: Cancellation = .system, clock: Clock = .system,
        log: (@Sendable (HTTPLine) -> Void)? = nil
    ) {
        (self.settings, self.cancellation, self.clock, self.log) = (settings, cancellation, clock, log)
        loop = TransferLoop(settings, cancellation)
    }

    deinit { loop.stop() }

    /// Sends a request and returns the answer, whatever its status. Throws `HTTPError` if there is none.
    package func perform(_ request: HTTPRequest) throws(HTTPError) -> HTTPAnswer { try repeated(request, into: nil) }

    /// The same for an answer of `status` whose body belongs into `buffer`: `received` says how much of it is filled.
    /// Bodies of other answers are in `body`. Throws `.tooLarge` if the body is longer than the buffer.
    package func read(
        _ request: HTTPRequest, status: Int, into buffer: inout MutableSpan<UInt8>
    ) throws(HTTPError) -> HTTPAnswer {
        let outcome: Result<HTTPAnswer, HTTPError> = unsafe buffer.withUnsafeMutableBytes { memory in
            let place = unsafe ReceivingBuffer(memory, status: status)
            do throws(HTTPError) { return .success(try repeated(request, into: place)) } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    private func repeated(_ request: HTTPRequest, into buffer: ReceivingBuffer?) throws(HTTPError) -> HTTPAnswer {
        var (request, attempt, redirects) = (request, 0, 0)
        while true {
            if cancellation.isRequested && request.method.onlyReads { throw .interrupted }
            attempt += 1
            let outcome = try once(request, into: buffer)
            if case .success(let answer) = outcome, let next = try target(of: answer, request),
                redirects < settings.redirects
            {
                redirects += 1
                attempt -= 1
                request.url = next
                continue
            }
            guard let seconds = pause(after: outcome, attempt), !cancellation.isRequested else {
                var answer = try outcome.get()
                answer.attempts = attempt
                return answer
            }
            clock.wait(seconds)
        }
    }

    private func once(
        _ request: HTTPRequest, into buffer: ReceivingBuffer?
    ) throws(HTTPError) -> Result<HTTPAnswer, HTTPError> {
        let start = clock.seconds
        let transfer = try Transfer(request, settings, into: buffer)
        let outcome = loop.run(transfer)
        if let log {
            let (status, error): (Int?, HTTPError?) =
                switch outcome {
                case .success(let answer): (answer.status, nil)
                case .failure(let error): (nil, error)
                }
            log(
                HTTPLine(
                    method: request.method.rawValue, label: request.label, status: status, error: error,
                    sent: transfer.traffic.sent, received: transfer.traffic.received,
                    milliseconds: Int((clock.seconds - start) * 1000)))
        }
        return outcome
    }

    /// The address on the same server to which an answer sends; nil if it sends nowhere, or if the request would be
    /// another one there (RFC 9110 §15.4).
    private func target(of answer: HTTPAnswer, _ request: HTTPRequest) throws(HTTPError) -> String? {
        guard [301, 302, 307, 308].contains(answer.status), let location = answer.headers["location"],
            let old = HTTPAddress(request.url)
        else { return nil }
        let text = location.hasPrefix("/") && !location.hasPrefix("//") ? old.origin + location : location
        guard let new = HTTPAddress(text), new.isSameServer(as: old) else {
            throw .redirected(HTTPAddress(text)?.host ?? location)
        }
        return answer.status >= 307 || request.method.onlyReads ? text : nil
    }

    /// The seconds to wait before the request is sent again; nil if it is not.
    private func pause(after outcome: Result<HTTPAnswer, HTTPError>, _ attempt: Int) -> Double? {
        var wanted: Int?
        switch outcome {
        case .success(let answer):
            // 501 and 505 say that the server will never do this, and 507 that it has no room (RFC 4918 §11.5).
            guard answer.status == 408 || answer.status == 429 || answer.status >= 500,
                answer.status != 501, answer.status != 505, answer.status != 507, attempt < settings.attempts
            else { return nil }
            wanted = answer.retryAfter
        case .failure(let error):
            let most =
                error == .timedOut
                ? settings.attemptsSilent : error.isBeforeConnection ? settings.attemptsOffline : settings.attempts
            guard error.heals, attempt < most else { return nil }
        }
        if let wanted { return wanted <= settings.longestWait ? Double(wanted) : nil }
        return min(Double(settings.longestWait), Double(1 << (attempt - 1))) * Double.random(in: 0.75...1.25)
    }
}

extension HTTPAddress {
    /// Scheme, host and port, as an address begins.
    fileprivate var origin: String { "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}
