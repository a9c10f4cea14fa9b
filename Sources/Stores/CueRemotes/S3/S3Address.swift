import CueBase
import CueCurl

/// The place of a vault in a bucket: `s3://bucket/prefix?endpoint=https://…&region=…&profile=…&style=…&anonymous=yes&lock=90d`.
package struct S3Address: Hashable, Sendable {
    /// Where the bucket stands in the address of a request.
    package enum Style: String, Sendable {
        /// Behind the host: `https://host/bucket/key`.
        case path
        /// In front of it: `https://bucket.host/key`.
        case virtual
    }

    /// 3 to 63 lower-case letters, digits, `-` and `.`.
    package let bucket: String
    /// The beginning of the keys, without slashes at its ends; may be empty.
    package let prefix: String
    /// With scheme and host; nil for AWS, or for what the profile says.
    package let endpoint: String?
    package let region: String?
    /// The profile in the files of AWS.
    package let profile: String?
    package let style: Style?
    /// True if requests are not signed.
    package let isAnonymous: Bool
    /// The days for which each new object is locked; nil if none is.
    package let lockDays: Int?
    /// Allowed values of `lockDays`.
    package static let lockRange = 1...3650

    /// Reads an address. Throws `S3SetupError`.
    package init(_ text: String) throws(S3SetupError) {
        guard text.prefix(5).lowercased() == "s3://" else { throw .noBucket }
        let parts = text.dropFirst(5).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard !path[0].contains("@") else { throw .secretInAddress }
        bucket = String(path[0])
        guard Self.isBucket(bucket) else { throw .noBucket }
        var prefix = path.count > 1 ? path[1] : ""
        while prefix.hasSuffix("/") { prefix = prefix.dropLast() }
        self.prefix = String(prefix)
        let components = prefix.split(separator: "/", omittingEmptySubsequences: false)
        guard prefix.isEmpty || components.allSatisfy({ !["", ".", ".."].contains($0) }),
            prefix.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7f })
        else { throw .badPrefix }
        var options = try Self.options(parts.count > 1 ? parts[1] : "")
        endpoint = try Self.endpoint(options.removeValue(forKey: "endpoint"))
        region = try Self.region(options.removeValue(forKey: "region"))
        profile = options.removeValue(forKey: "profile")
        let style = options.removeValue(forKey: "style")
        self.style = style.flatMap { Style(rawValue: $0) }
        if let style, self.style == nil { throw .badOption("style", style) }
        let anonymous = options.removeValue(forKey: "anonymous")
        isAnonymous = anonymous == "yes"
        if let anonymous, !["yes", "no"].contains(anonymous) { throw .badOption("anonymous", anonymous) }
        let lock = options.removeValue(forKey: "lock")
        lockDays = lock.flatMap { Self.days($0) }
        if let lock, lockDays == nil { throw .badOption("lock", lock) }
        if let other = options.keys.sorted().first { throw .unknownOption(other) }
    }

    /// Whole days within `lockRange`, such as `90d`; nil for anything else.
    package static func days(_ text: String) -> Int? {
        WrittenDuration(text, plain: .day)?.seconds.flatMap { Int(exactly: $0 / 86_400) }
            .flatMap { lockRange.contains($0) ? $0 : nil }
    }

    private static func isBucket(_ name: String) -> Bool {
        (3...63).contains(name.utf8.count) && !name.contains("..") && name.first != "." && name.last != "."
            && name.utf8.allSatisfy {
                (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d || $0 == 0x2e || $0 == 0x5f
            }
    }

    private static func options(_ query: Substring) throws(S3SetupError) -> [String: String] {
        var options: [String: String] = [:]
        for part in query.split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(String(pair[0])),
                let value = PercentEncoding.decode(pair.count > 1 ? String(pair[1]) : ""), !value.isEmpty,
                options.updateValue(value, forKey: name) == nil
            else { throw .badOption(String(pair[0]), pair.count > 1 ? String(pair[1]) : "") }
        }
        return options
    }

    /// Checks the address of a service; without a scheme it is `https`.
    static func endpoint(_ text: String?) throws(S3SetupError) -> String? {
        guard let text else { return nil }
        let full = text.contains("://") ? text : "https://\(text)"
        guard let address = HTTPAddress(full), !address.hasMore, address.path == "/" else {
            throw .badOption("endpoint", text)
        }
        return full.hasSuffix("/") ? String(full.dropLast()) : full
    }

    /// A region goes into the signature, whose parts colons separate.
    static func region(_ text: String?) throws(S3SetupError) -> String? {
        guard let text else { return nil }
        guard (1...64).contains(text.utf8.count),
            text.utf8.allSatisfy({
                (0x61...0x7a).contains($0 | 0x20) || (0x30...0x39).contains($0) || $0 == 0x2d || $0 == 0x5f
            })
        else { throw .badOption("region", text) }
        return text
    }
}
