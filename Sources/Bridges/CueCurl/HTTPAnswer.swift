/// The answer of a server, of any status.
package struct HTTPAnswer: Sendable {
    /// Such as 200.
    package var status: Int
    /// By lower-case names; of equal names the last one.
    package var headers: [String: String]
    /// The body, as far as it was not written into a buffer of the caller.
    package var body: [UInt8]
    /// The bytes that were written into the buffer of the caller.
    package var received = 0
    /// The seconds after which the server wants to be asked again (`Retry-After`, RFC 9110 §10.2.3); nil if it does not
    /// say so.
    package var retryAfter: Int?
    /// How often the request was sent, at least 1. Above 1 an earlier one may have been carried out, and its answer
    /// lost.
    package var attempts = 1

    /// True for 200 to 299.
    package var isSuccess: Bool { (200..<300).contains(status) }
}
