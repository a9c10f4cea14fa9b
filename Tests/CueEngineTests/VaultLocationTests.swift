import CueSystem
import Testing

@testable import CueEngine

@Suite("The place of a vault")
struct VaultLocationTests {
    @Test(
        "What looks like an address elsewhere is never made a folder",
        arguments: [
            "", "sftp://host/path", "ssh://host/path", "gs://bucket/x", "b2:bucket", "user@host:/path", "file:///tmp/v",
            "s3:x", "rclone:remote:path",
        ])
    func addresses(_ text: String) {
        #expect(VaultLocation(text) == .unknown(text))
        #expect(VaultLocation(text).folder == nil)
    }

    @Test("S3 and services are told in any case of letters")
    func services() {
        #expect(VaultLocation("S3://bucket/x") == .s3("S3://bucket/x"))
        #expect(VaultLocation("HTTPS://host/x") == .service("HTTPS://host/x"))
    }

    @Test("A folder may have a colon in its name where a slash comes before it, and reads back as it was stored")
    func folders() {
        for text in ["/media/usb/vault", "vault", "./b2:bucket", "../a:b", "/tmp/sftp:/x"] {
            let location = VaultLocation(text)
            #expect(location.folder != nil, "\(text)")
            #expect(VaultLocation(stored: location.stored) == location)
        }
    }
}
