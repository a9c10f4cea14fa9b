import CCurl

/// An address as libcurl reads it, so that no two readers disagree on what its host is.
package struct HTTPAddress: Sendable, Hashable {
    /// `http` or `https`, in lower case.
    package let scheme: String
    /// In lower case, without the brackets of an address of IPv6.
    package let host: String
    package let port: Int
    /// The path with its slash, percent-encoded as it was given.
    package let path: String
    /// True if it holds a name, a password, a query or a fragment.
    package let hasMore: Bool

    /// nil if the text is no address with `http` or `https`.
    package init?(_ text: String) {
        guard let url = unsafe curl_url() else { return nil }
        defer { unsafe curl_url_cleanup(url) }
        guard unsafe curl_url_set(url, CURLUPART_URL, text, UInt32(CURLU_PATH_AS_IS)) == CURLUE_OK else { return nil }
        func part(_ part: CURLUPart) -> String? {
            var text: UnsafeMutablePointer<CChar>?
            guard unsafe curl_url_get(url, part, &text, UInt32(CURLU_DEFAULT_PORT)) == CURLUE_OK,
                let text = unsafe text
            else { return nil }
            defer { unsafe curl_free(text) }
            return unsafe String(cString: text)
        }
        guard let scheme = part(CURLUPART_SCHEME)?.lowercased(), scheme == "http" || scheme == "https",
            let host = part(CURLUPART_HOST)?.lowercased(), !host.isEmpty,
            let port = part(CURLUPART_PORT).flatMap({ Int($0) })
        else { return nil }
        (self.scheme, self.host, self.port) = (scheme, host, port)
        path = part(CURLUPART_PATH) ?? "/"
        hasMore = [CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_QUERY, CURLUPART_FRAGMENT].contains {
            part($0) != nil
        }
    }

    /// Whether both lead to one server over one protocol.
    package func isSameServer(as other: HTTPAddress) -> Bool {
        (scheme, host, port) == (other.scheme, other.host, other.port)
    }
}
