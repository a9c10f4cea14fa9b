/// What a log says of one request. It holds no secret.
package struct HTTPLine: Sendable {
    /// Such as `GET`.
    package let method: String
    /// What the request calls its resource.
    package let label: String
    /// The status of the answer; nil if there was none.
    package let status: Int?
    package let error: HTTPError?
    /// Bytes of the bodies.
    package let sent: Int
    package let received: Int
    package let milliseconds: Int
}
