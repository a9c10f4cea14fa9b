import CueSystem
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A server of HTTP/1.1 on the loopback interface whose answers a test decides, the wrong ones too. It ends with the
/// object.
package final class LoopbackServer: Sendable {
    package struct Request: Sendable {
        package let method: String
        /// The path and the query as they were sent.
        package let target: String
        /// By lower-case names.
        package let headers: [String: String]
        package let body: [UInt8]
        /// All of it as it came.
        package let raw: [UInt8]
    }

    package struct Reply: Sendable {
        /// How the bytes of an answer come.
        package enum Manner: Sendable {
            case whole
            /// The connection ends after so many bytes of the head and the body.
            case cut(after: Int)
            /// A byte every so many milliseconds.
            case trickle(Int)
            /// The body is repeated without end, and its length is not announced.
            case endless
            /// Nothing comes, and the connection stays open.
            case silence
        }

        package var status = 200
        package var headers: [(String, String)] = []
        package var body: [UInt8] = []
        package var manner = Manner.whole
        /// Sent in place of all of the above.
        package var raw: [UInt8]?

        package init(
            _ status: Int, _ headers: [(String, String)] = [], _ body: [UInt8] = [], _ manner: Manner = .whole
        ) {
            (self.status, self.headers, self.body, self.manner) = (status, headers, body, manner)
        }

        package init(raw: [UInt8], _ manner: Manner = .whole) { (self.raw, self.manner) = (raw, manner) }
    }

    /// Answers a request; called on a thread of the connection.
    package typealias Handler = @Sendable (Request) -> Reply

    private struct State {
        var connections: Set<Int32> = []
        var accepted = 0
        var isClosed = false
        var threads: [Thread] = []
        /// The bytes of all connections so far, in both directions.
        var passed = 0
        /// When `passed` reaches this, the connection breaks over which the next byte goes.
        var cutAt: Int?
        /// The bytes of bodies whose request broke off.
        var brokenOff = 0
    }

    private final class Core: Sendable {
        let handler: Handler
        let isSilentToTLS: Bool
        let state = Mutex(State())

        init(_ handler: @escaping Handler, _ isSilentToTLS: Bool) {
            (self.handler, self.isSilentToTLS) = (handler, isSilentToTLS)
        }

        func end(_ connection: Int32) {
            state.withLock { state in
                state.connections.remove(connection)
                close(connection)
            }
        }

        /// Returns how many of so many bytes pass; after fewer than that the connection breaks.
        func pass(_ count: Int) -> Int {
            state.withLock { state in
                guard let end = state.cutAt, state.passed + count > end else {
                    state.passed += count
                    return count
                }
                let rest = max(0, end - state.passed)
                state.passed += rest
                state.cutAt = nil
                return rest
            }
        }
    }

    private let core: Core
    private let listener: Int32
    private let accepting: Thread
    package let port: Int

    /// `isSilentToTLS`: a client that speaks TLS gets no answer. Otherwise it gets status 400, as servers do.
    package init(isSilentToTLS: Bool = false, _ handler: @escaping Handler) throws {
        let core = Core(handler, isSilentToTLS)
        #if canImport(Darwin)
            let listener = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isReady = unsafe withUnsafeMutablePointer(to: &address) { place in
            unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                unsafe bind(listener, place, size) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, place, &size) == 0
            }
        }
        try demand(isReady, "no port on the loopback interface")
        port = Int(UInt16(bigEndian: address.sin_port))
        (self.core, self.listener) = (core, listener)
        accepting = Thread {
            while true {
                let connection = accept(listener, nil, nil)
                let isOpen = core.state.withLock { state in
                    guard connection >= 0, !state.isClosed else { return false }
                    state.connections.insert(connection)
                    state.accepted += 1
                    state.threads.append(
                        Thread {
                            let open = Connection(connection, isSilentToTLS: core.isSilentToTLS, pass: core.pass)
                            open.serve(core.handler) {
                                core.state.withLock { $0.brokenOff += open.brokenOff }
                                core.end(connection)
                            }
                        })
                    return true
                }
                if !isOpen {
                    if connection >= 0 { close(connection) }
                    return
                }
            }
        }
    }

    deinit {
        let threads = core.state.withLock { state in
            state.isClosed = true
            for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
            return state.threads
        }
        shutdown(listener, Int32(SHUT_RDWR))
        accepting.join()
        for thread in threads { thread.join() }
        close(listener)
    }

    /// `http://127.0.0.1:PORT`
    package var address: String { "http://127.0.0.1:\(port)" }
    /// The connections so far.
    package var accepted: Int { core.state.withLock { $0.accepted } }

    // MARK: Breaking connections

    /// The bytes of all connections so far, in both directions.
    package var passed: Int { core.state.withLock { $0.passed } }
    /// The bytes of bodies whose request broke off.
    package var brokenOff: Int { core.state.withLock { $0.brokenOff } }

    /// Breaks the connection over which the byte goes that comes after `bytes` more, whichever direction it goes in.
    package func cut(after bytes: Int) { core.state.withLock { $0.cutAt = $0.passed + bytes } }

    /// Whether a cut is still to come.
    package var isCutWaiting: Bool { core.state.withLock { $0.cutAt != nil } }
    /// Breaks nothing from now on.
    package func cutNothing() { core.state.withLock { $0.cutAt = nil } }

    /// Sends a request to another server on the loopback interface and returns all that it answers.
    package static func forward(_ request: Request, toPort port: Int) -> [UInt8]? {
        #if canImport(Darwin)
            let connection = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        defer { close(connection) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let isThere = unsafe withUnsafePointer(to: &address) { place in
            unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                unsafe connect(connection, place, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        let upstream = Connection(connection)
        guard isThere, upstream.send(request.raw), let head = upstream.head() else { return nil }
        let length = request.method == "HEAD" ? 0 : head.headers["content-length"].flatMap { Int($0) }
        if let length { return upstream.body(length).map { head.raw + $0 } }
        if head.headers["transfer-encoding"] == "chunked" { return upstream.chunks().map { head.raw + $0 } }
        return head.raw
    }
}

/// One connection, with the bytes that were read of it and not used yet.
private final class Connection {
    private let socket: Int32
    private let pass: @Sendable (Int) -> Int
    private var bytes: [UInt8] = []
    /// The bytes of a body whose request broke off.
    private(set) var brokenOff = 0
    /// How a client begins that speaks TLS (RFC 8446 §5.1). Servers without it answer that this is no HTTP.
    private static let handshake: UInt8 = 22

    private let isSilentToTLS: Bool

    init(_ socket: Int32, isSilentToTLS: Bool = false, pass: @escaping @Sendable (Int) -> Int = { $0 }) {
        (self.socket, self.isSilentToTLS, self.pass) = (socket, isSilentToTLS, pass)
    }

    func serve(_ handler: LoopbackServer.Handler, atEnd: () -> Void) {
        defer { atEnd() }
        while let head = head() {
            if head.headers["expect"]?.lowercased() == "100-continue" {
                guard send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) else { return }
            }
            guard let body = body(head.headers["content-length"].flatMap { Int($0) } ?? 0) else {
                brokenOff = bytes.count
                return
            }
            let words = head.first.split(separator: " ").map(String.init)
            guard words.count == 3 else { return }
            // Those who pass it on have no use for the question whether to go on.
            let lines = String(decoding: head.raw, as: UTF8.self).components(separatedBy: "\r\n")
                .filter { !$0.lowercased().hasPrefix("expect:") }
            let reply = handler(
                LoopbackServer.Request(
                    method: words[0], target: words[1], headers: head.headers, body: body,
                    raw: Array(lines.joined(separator: "\r\n").utf8) + body))
            guard answer(reply, toHead: words[0] == "HEAD") else { return }
        }
    }

    /// False if the connection is to end.
    private func answer(_ reply: LoopbackServer.Reply, toHead: Bool) -> Bool {
        var head = "HTTP/1.1 \(reply.status) Status\r\n"
        for (name, value) in reply.headers { head += "\(name): \(value)\r\n" }
        let isSized = reply.headers.contains { $0.0.lowercased() == "content-length" }
        if case .endless = reply.manner {} else if !isSized { head += "Content-Length: \(reply.body.count)\r\n" }
        let all = reply.raw ?? Array((head + "\r\n").utf8) + (toHead ? [] : reply.body)
        switch reply.manner {
        case .whole: return send(all)
        case .cut(let count):
            _ = send(Array(all.prefix(count)))
            return false
        case .trickle(let pause):
            for byte in all {
                guard send([byte]) else { return false }
                Wait.milliseconds(pause)
            }
            return true
        case .endless:
            guard send(all) else { return false }
            while send(reply.body) {}
            return false
        case .silence:
            // Until the other side gives up, or the server ends.
            while fill() {}
            return false
        }
    }

    func send(_ data: [UInt8]) -> Bool {
        let end = pass(data.count)
        var start = 0
        while start < end {
            let sent = unsafe data.withUnsafeBytes { bytes in
                #if canImport(Darwin)
                    unsafe Darwin.send(socket, bytes.baseAddress.map { unsafe $0 + start }, end - start, 0)
                #else
                    unsafe Glibc.send(
                        socket, bytes.baseAddress.map { unsafe $0 + start }, end - start, Int32(MSG_NOSIGNAL))
                #endif
            }
            guard sent > 0 else { return false }
            start += sent
        }
        if end < data.count { breakOff() }
        return end == data.count
    }

    /// Makes the end of the connection a reset, as a network that is gone makes it.
    private func breakOff() {
        var ending = linger(l_onoff: 1, l_linger: 0)
        _ = unsafe setsockopt(socket, SOL_SOCKET, SO_LINGER, &ending, socklen_t(MemoryLayout<linger>.size))
    }

    /// Reads what is there; false at the end.
    private func fill() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = unsafe recv(socket, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        let passed = pass(count)
        bytes += buffer[..<passed]
        if passed < count { breakOff() }
        return passed == count
    }

    /// The lines up to the empty one; interim answers (100) are passed over.
    func head() -> (first: String, headers: [String: String], raw: [UInt8])? {
        let mark = Array("\r\n\r\n".utf8)
        while true {
            if let end = bytes.firstRange(of: mark)?.upperBound {
                let raw = Array(bytes[..<end])
                bytes.removeFirst(end)
                let lines = String(decoding: raw, as: UTF8.self).components(separatedBy: "\r\n")
                if lines[0].hasPrefix("HTTP/1.1 100") { continue }
                var headers: [String: String] = [:]
                for line in lines.dropFirst() {
                    let pair = line.split(separator: ":", maxSplits: 1)
                    if pair.count == 2 {
                        headers[pair[0].lowercased()] = String(pair[1].drop { $0 == " " })
                    }
                }
                return (lines[0], headers, raw)
            }
            guard fill() else { return nil }
            if bytes.first == Self.handshake, !isSilentToTLS {
                _ = send(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
                return nil
            }
        }
    }

    func body(_ length: Int) -> [UInt8]? {
        while bytes.count < length { guard fill() else { return nil } }
        defer { bytes.removeFirst(length) }
        return Array(bytes[..<length])
    }

    /// A body in chunks as it came (RFC 9112 §7.1), up to its end.
    func chunks() -> [UInt8]? {
        let end = Array("0\r\n\r\n".utf8)
        while !bytes.suffix(end.count).elementsEqual(end) { guard fill() else { return nil } }
        defer { bytes = [] }
        return bytes
    }
}

extension String {
    fileprivate func components(separatedBy separator: String) -> [String] {
        split(separator: separator, omittingEmptySubsequences: false).map(String.init)
    }
}
