import CueRemotes
import CueTestSupport
import Testing

@Suite("The place of a vault in S3")
struct S3AddressTests {
    @Test("An address has a bucket, a prefix and options")
    func reads() throws {
        let whole = try S3Address(
            "s3://my-bucket/a/b c/?endpoint=https%3A%2F%2Fs3.example.org%3A9000&region=eu-west-1&profile=cue&style=virtual"
        )
        #expect((whole.bucket, whole.prefix) == ("my-bucket", "a/b c"))
        #expect(whole.endpoint == "https://s3.example.org:9000" && whole.region == "eu-west-1")
        #expect(whole.profile == "cue" && whole.style == .virtual && !whole.isAnonymous)
        let plain = try S3Address("S3://abc?endpoint=minio.local&anonymous=yes")
        #expect(plain.prefix.isEmpty && plain.endpoint == "https://minio.local" && plain.isAnonymous)
    }

    @Test("A lock is a number of days", arguments: [("90d", 90), ("90", 90), ("12w", 84), ("1d", 1), ("3650d", 3650)])
    func locks(text: String, days: Int) throws {
        #expect(try S3Address("s3://abc/p?lock=\(text)").lockDays == days)
        #expect(try S3Address("s3://abc/p").lockDays == nil)
    }

    @Test(
        "What cannot be is refused, each with its reason",
        arguments: [
            ("s3://", S3SetupError.noBucket), ("s3:///a", .noBucket), ("s3://A_B", .noBucket), ("s3://a..b", .noBucket),
            ("s3://key:secret@bucket/a", .secretInAddress), ("s3://abc/a/../b", .badPrefix),
            ("s3://abc//a", .badPrefix),
            ("s3://abc?colour=red", .unknownOption("colour")), ("s3://abc?style=odd", .badOption("style", "odd")),
            ("s3://abc?endpoint=ftp://a", .badOption("endpoint", "ftp://a")),
            ("s3://abc?endpoint=https://u:p@a", .badOption("endpoint", "https://u:p@a")),
            ("s3://abc?endpoint=https://a/b", .badOption("endpoint", "https://a/b")),
            ("s3://abc?region=a:b", .badOption("region", "a:b")),
            ("s3://abc?anonymous=1", .badOption("anonymous", "1")),
            ("s3://abc?lock=0", .badOption("lock", "0")), ("s3://abc?lock=1h", .badOption("lock", "1h")),
            ("s3://abc?lock=11y", .badOption("lock", "11y")),
            ("s3://abc?region=a&region=b", .badOption("region", "b")), ("s3://abc?region", .badOption("region", "")),
        ])
    func refuses(_ text: String, _ error: S3SetupError) {
        #expect(throws: error) { try S3Address(text) }
    }

    private static let config = """
        [default]
        region = eu-north-1
        [profile work]
        region=us-west-2
        endpoint_url = https://work.example.org
        s3 =
          addressing_style = path
        [profile login]
        sso_session = corp
        """
    private static let credentials = """
        # the keys
        [default]
        aws_access_key_id = one
        aws_secret_access_key = two=
        [work]
        aws_access_key_id=three
        aws_secret_access_key=four
        aws_session_token=five
        [half]
        aws_access_key_id=six
        """

    private func account(_ text: String, _ environment: [String: String] = [:]) throws -> S3Account {
        let folder = TemporaryFolder()
        let config = try folder.write("config", Self.config)
        let credentials = try folder.write("credentials", Self.credentials)
        let files = ["AWS_CONFIG_FILE": "\(config)", "AWS_SHARED_CREDENTIALS_FILE": "\(credentials)"]
        return try S3Account(for: S3Address(text)) { environment[$0] ?? files[$0] }
    }

    @Test("Keys and regions come from where the tools of AWS take them")
    func accounts() throws {
        let usual = try account("s3://abc")
        #expect(usual.described == "one two= - eu-north-1 https://s3.eu-north-1.amazonaws.com virtual")
        let work = try account("s3://abc?profile=work")
        #expect(work.described == "three four five us-west-2 https://work.example.org path")
        let set = ["AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_REGION": "eu-west-1"]
        #expect(try account("s3://a.b.c", set).described == "a b - eu-west-1 https://s3.eu-west-1.amazonaws.com path")
        #expect(try account("s3://abc?profile=work&region=x", set).described.hasPrefix("three four five x "))
        #expect(try account("s3://abc?anonymous=yes&endpoint=http://h").described == "- - - eu-north-1 http://h path")
        #expect(try account("s3://abc", ["AWS_PROFILE": "work"]).described.hasPrefix("three "))
    }

    @Test("Without a whole key nothing begins")
    func noAccount() throws {
        #expect(throws: S3SetupError.noProfile("gone")) { try account("s3://abc?profile=gone") }
        #expect(throws: S3SetupError.halfKey) { try account("s3://abc?profile=half") }
        #expect(throws: S3SetupError.halfKey) { try account("s3://abc", ["AWS_ACCESS_KEY_ID": "a"]) }
        #expect(throws: S3SetupError.foreignCredentials("login", "sso_session")) {
            try account("s3://abc?profile=login")
        }
        #expect(throws: S3SetupError.noCredentials) { try S3Account(for: S3Address("s3://abc")) { _ in nil } }
    }
}

extension S3Account {
    fileprivate var described: String {
        [key?.id ?? "-", key?.secret ?? "-", key?.token ?? "-", region, endpoint, style.rawValue]
            .joined(separator: " ")
    }
}
