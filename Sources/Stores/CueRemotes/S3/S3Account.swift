import CueSystem

/// With what a bucket is reached: the service's address, and the key. Found as the tools of AWS find it: in the
/// environment (`AWS_ACCESS_KEY_ID`, `AWS_PROFILE`, …), then in `~/.aws/credentials` and `~/.aws/config`. What the
/// vault's own address says goes before all of that.
package struct S3Account: Sendable {
    /// A key, which is in no log, error, marker or vault.
    package struct Key: Sendable {
        package let id: String
        package let secret: String
        /// Of a key that holds for a time only.
        package let token: String?
    }

    /// nil if requests are not signed.
    package let key: Key?
    package let region: String
    /// With scheme and host, without a slash at its end.
    package let endpoint: String
    package let style: S3Address.Style
    /// A file of certificates (`AWS_CA_BUNDLE`); nil for the system's.
    package let certificates: String?

    /// `variable` gives the values of the environment. Throws `S3SetupError`.
    package init(for address: S3Address, variable: (String) -> String?) throws(S3SetupError) {
        func set(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }
        let name = address.profile ?? set("AWS_PROFILE")
        let home = set("HOME") ?? "/"
        let profile = AWSProfile(
            name ?? "default", config: Self.text(set("AWS_CONFIG_FILE") ?? home + "/.aws/config"),
            credentials: Self.text(set("AWS_SHARED_CREDENTIALS_FILE") ?? home + "/.aws/credentials"))
        if let name, !profile.isThere, !address.isAnonymous { throw .noProfile(name) }
        if address.isAnonymous {
            key = nil
        } else if address.profile == nil, set("AWS_ACCESS_KEY_ID") != nil || set("AWS_SECRET_ACCESS_KEY") != nil {
            // A profile in the vault's own address is meant for this vault; the environment is meant for all.
            key = try Self.key(
                set("AWS_ACCESS_KEY_ID"), set("AWS_SECRET_ACCESS_KEY"), set("AWS_SESSION_TOKEN"))
        } else {
            key = try Self.key(in: profile, name ?? "default")
        }
        let usualRegion = try S3Address.region(
            set("AWS_REGION") ?? set("AWS_DEFAULT_REGION") ?? profile.entries["region"])
        region = address.region ?? usualRegion ?? "us-east-1"
        let usualEndpoint = try S3Address.endpoint(
            set("AWS_ENDPOINT_URL_S3") ?? set("AWS_ENDPOINT_URL") ?? profile.entries["endpoint_url"])
        let other = address.endpoint ?? usualEndpoint
        endpoint = other ?? "https://s3.\(region).amazonaws.com"
        // A dot in the bucket's name would be one level too many for the certificate of AWS.
        style = address.style ?? (other == nil && !address.bucket.contains(".") ? .virtual : .path)
        certificates = set("AWS_CA_BUNDLE") ?? profile.entries["ca_bundle"]
    }

    private static func key(_ id: String?, _ secret: String?, _ token: String?) throws(S3SetupError) -> Key {
        guard let id, let secret else { throw .halfKey }
        return Key(id: id, secret: secret, token: token)
    }

    private static func key(in profile: AWSProfile, _ name: String) throws(S3SetupError) -> Key {
        let entries = profile.entries
        if entries["aws_access_key_id"] != nil || entries["aws_secret_access_key"] != nil {
            return try key(
                entries["aws_access_key_id"], entries["aws_secret_access_key"], entries["aws_session_token"])
        }
        for way in ["sso_session", "sso_start_url", "credential_process", "role_arn", "source_profile"]
        where entries[way] != nil { throw .foreignCredentials(name, way) }
        throw .noCredentials
    }

    private static func text(_ path: String) -> String? {
        // People link these files.
        guard let path = FilePathBytes(path).resolved(), let folder = try? Folder.open(path.parent),
            let bytes = try? folder.contents(of: path.name, upTo: 1 << 20)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The address of a key of the bucket.
    func url(bucket: String, key: String, query: [String: String] = [:]) -> String {
        let path = PercentEncoding.encode(key, keeping: "/")
        let parts = endpoint.split(separator: "://", maxSplits: 1)
        let base =
            switch style {
            case .path: "\(endpoint)/\(bucket)"
            case .virtual: "\(parts[0])://\(bucket).\(parts[1])"
            }
        let whole = key.isEmpty ? (style == .path ? base : base + "/") : "\(base)/\(path)"
        return query.isEmpty ? whole : "\(whole)?\(PercentEncoding.query(query))"
    }
}
