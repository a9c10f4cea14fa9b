import CCurl

/// The dates of HTTP headers (RFC 9110 §5.6.7).
package enum HTTPDate {
    /// The seconds since 1970; nil if it is no date.
    package static func seconds(_ text: String) -> Int? {
        let seconds = unsafe curl_getdate(text, nil)
        return seconds >= 0 ? seconds : nil
    }
}
