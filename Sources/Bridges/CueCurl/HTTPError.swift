import CCurl

/// The reasons why a request got no answer, or one that is not taken.
package enum HTTPError: Error, Sendable, Hashable {
    /// The name of this server, or of the proxy, is not known: there is no such host, or no network.
    case unresolved(String)
    /// No connection to this server came about.
    case noConnection(String)
    /// What answers at this server does not speak TLS.
    case noTLS(String)
    /// The server took too long, or sent next to nothing for a long time.
    case timedOut
    /// The connection broke, or the answer ended early.
    case broken
    /// The server's certificate does not verify; with what OpenSSL says.
    case untrusted(String)
    /// The answer has more bytes than any answer to this request.
    case tooLarge
    /// The server sends to this address, on another host.
    case redirected(String)
    /// This is no address, or one of another protocol.
    case badAddress(String)
    /// A stop was requested.
    case interrupted
    /// The system has no memory or no thread to give.
    case noMemory
    /// Any other error of libcurl, in its words.
    case other(String)

    /// True if the same request may succeed soon.
    var heals: Bool {
        switch self {
        case .unresolved, .noConnection, .timedOut, .broken: true
        case .noTLS, .untrusted, .tooLarge, .redirected, .badAddress, .interrupted, .noMemory, .other: false
        }
    }

    /// True if the server was never reached.
    var isBeforeConnection: Bool {
        switch self {
        case .unresolved, .noConnection: true
        default: false
        }
    }

    /// Translates an error of libcurl (`libcurl-errors(3)`). `reason` is what it wrote into its error buffer.
    init(_ code: CURLcode, host: String, reason: String) {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: self = .unresolved(host)
        case CURLE_COULDNT_RESOLVE_PROXY: self = .unresolved(reason.split(separator: " ").last.map(String.init) ?? host)
        case CURLE_SSL_CONNECT_ERROR where Self.isOfPlainAnswer(reason):
            self = .noTLS(host)
        case CURLE_COULDNT_CONNECT: self = .noConnection(host)
        case CURLE_OPERATION_TIMEDOUT: self = .timedOut
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR:
            self = .untrusted(reason)
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: self = .badAddress(host)
        case CURLE_PARTIAL_FILE, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2,
            CURLE_HTTP2_STREAM, CURLE_SEND_FAIL_REWIND, CURLE_SSL_CONNECT_ERROR, CURLE_BAD_CONTENT_ENCODING,
            CURLE_WEIRD_SERVER_REPLY:
            self = .broken
        default: self = .other(reason)
        }
    }

    /// Whether the answer was no message of TLS. OpenSSL's reasons are then 0x10B, an unknown version, or 0xC6, a length
    /// that is too large, and stand in its texts.
    private static func isOfPlainAnswer(_ reason: String) -> Bool {
        reason.contains("error:") && (reason.contains("10B:") || reason.contains("0C6:"))
    }
}
