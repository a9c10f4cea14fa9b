/// One request of an `HTTPClient`.
package struct HTTPRequest: Sendable {
    /// What is done with the resource.
    package enum Method: String, Sendable {
        case get = "GET"
        case head = "HEAD"
        case put = "PUT"
        case post = "POST"
        case delete = "DELETE"

        /// True if nothing is changed on the server.
        var onlyReads: Bool { self == .get || self == .head }
    }

    /// AWS signature version 4, which libcurl computes (`CURLOPT_AWS_SIGV4`).
    package struct Signature: Sendable {
        /// Such as `us-east-1`.
        package let region: String
        /// Such as `s3`.
        package let service: String
        /// The public half of the key.
        package let key: String
        /// The secret half. It leaves this process only as a signature.
        package let secret: String

        package init(region: String, service: String, key: String, secret: String) {
            (self.region, self.service, self.key, self.secret) = (region, service, key, secret)
        }
    }

    package var method: Method
    /// Absolute, with `http` or `https`. Everything in it is percent-encoded as RFC 3986 asks, and the parts of a query
    /// are sorted: older versions of libcurl sign them as they are.
    package var url: String
    /// What a line of the log calls the resource.
    package var label: String
    /// Names and values, neither with a line break.
    package var headers: [(name: String, value: String)] = []
    /// The bytes to send with `put` and `post`.
    package var body: [UInt8] = []
    package var signature: Signature?
    /// The most bytes of an answer that is kept in memory; a longer one is an error.
    package var limit = 1 << 20

    package init(_ method: Method, _ url: String, label: String) {
        (self.method, self.url, self.label) = (method, url, label)
    }
}
