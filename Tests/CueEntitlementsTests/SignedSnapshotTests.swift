import CueBase
import CueEntitlements
import CueTestSupport
import Foundation
import Testing

@Suite("Signed snapshots")
struct SignedSnapshotTests {
    private static let fixture = Project.root + "/fixtures/plan-1/"
    private static let trusted = [Issuer.secret.publicKey]

    private static func refusal(_ bytes: [UInt8], trusting keys: [IssuerKey] = trusted) -> SnapshotRefusal? {
        do {
            _ = try SignedSnapshot(parsing: bytes, trusting: keys)
            return nil
        } catch { return error }
    }

    private static func isMalformed(_ text: String) -> Bool {
        if case .malformed? = refusal(Array(text.utf8)) { true } else { false }
    }

    @Test("The file of format 1 is written as it always was, and read as what it says")
    func goldenFile() throws {
        let golden = try [UInt8](Data(contentsOf: URL(fileURLWithPath: Self.fixture + "ada.plan")))
        let key = try [UInt8](Data(contentsOf: URL(fileURLWithPath: Self.fixture + "issuer.key.pub")))
        let snapshot = try Issuer.snapshot()

        #expect(
            Issuer.signed(snapshot) == golden, "written: \(String(decoding: Issuer.signed(snapshot), as: UTF8.self))")
        let read = try SignedSnapshot(parsing: golden, trusting: [IssuerKey(parsing: key)])
        #expect(read.snapshot == snapshot && read.key == Issuer.secret.publicKey.id && read.file == golden)
    }

    @Test("What is signed is read back the same, with every field at its borders")
    func roundTrip() throws {
        let first = Issuer.time("1970-01-01T00:00:00Z")
        let last = Issuer.time("9999-12-31T23:59:59Z")
        let wide = try Issuer.snapshot(
            plan: String(repeating: "a", count: 64), features: (0..<256).map { "f\($0)" }, issuedAt: first,
            expiresAt: last, ttl: 31_622_400, account: String(repeating: "é", count: 128))
        let narrow = try Issuer.snapshot(plan: "0", features: [], ttl: 1, account: "\u{1F331}\"\\")

        for snapshot in [wide, narrow] {
            #expect(try SignedSnapshot(parsing: Issuer.signed(snapshot), trusting: Self.trusted).snapshot == snapshot)
        }
    }

    @Test("No bit of a file can be another, with one line feed behind it or none")
    func oneBit() throws {
        let file = Issuer.signed(try Issuer.snapshot())

        for bytes in [file, Array(file.dropLast())] {
            #expect(Self.refusal(bytes) == nil)
            for bit in 0..<bytes.count * 8 {
                var changed = bytes
                changed[bit / 8] ^= 1 << UInt8(bit % 8)
                #expect(Self.refusal(changed) != nil, "bit \(bit)")
            }
        }
    }

    @Test("No byte can be missing, doubled or added; nor can the form be another one of the same object")
    func otherForms() throws {
        let file = Array(Issuer.signed(try Issuer.snapshot()).dropLast())

        for at in file.indices {
            #expect(Self.refusal(Array(file[..<at] + file[(at + 1)...])) != nil, "without byte \(at)")
            #expect(Self.refusal(Array(file[...at] + file[at...])) != nil, "byte \(at) twice")
        }
        for more in ["\n\n", "\r\n", " ", "{}", "\0"] { #expect(Self.refusal(file + Array(more.utf8)) != nil) }
        let text = String(decoding: file, as: UTF8.self)
        #expect(Self.isMalformed(text.replacingOccurrences(of: ":", with: ": ")))
        #expect(Self.isMalformed(text.replacingOccurrences(of: "\"pro\"", with: "\"\\u0070ro\"")))
        #expect(Self.isMalformed(text.replacingOccurrences(of: "604800", with: "6.048e5")))
        #expect(Self.isMalformed(text.replacingOccurrences(of: "\"plan\"", with: "\"plan\":\"pro\",\"plan\"")))
        #expect(Self.isMalformed("[\(text)]") && Self.isMalformed("") && Self.isMalformed("null"))
        #expect(Self.isMalformed(String(repeating: " ", count: 70_000)))
    }

    @Test(
        "A file brings no key of its own: one that the device does not trust is unknown, and another's signature is wrong"
    )
    func keys() throws {
        let stranger = Issuer.secret(7)
        let foreign = Issuer.signed(try Issuer.snapshot(), by: stranger)
        let own = Issuer.secret.publicKey.id

        #expect(Self.refusal(foreign) == .unknownKey(stranger.publicKey.id))
        #expect(Self.refusal(foreign, trusting: []) == .unknownKey(stranger.publicKey.id))
        let renamed = String(decoding: foreign, as: UTF8.self).replacingOccurrences(
            of: stranger.publicKey.id.description, with: own.description)
        #expect(Self.refusal(Array(renamed.utf8)) == .wrongSignature)
        let bringing = String(decoding: foreign, as: UTF8.self).replacingOccurrences(
            of: #"{"key""#, with: #"{"public":"\#(stranger.publicKey.digits)","key""#)
        #expect(Self.isMalformed(bringing))
        #expect(Self.refusal(foreign, trusting: Self.trusted + [stranger.publicKey]) == nil)
    }

    @Test("A signature over the same bytes without the prefix of plans is none of a plan")
    func prefix() throws {
        let snapshot = try Issuer.snapshot()
        let text = String(decoding: Issuer.signed(snapshot), as: UTF8.self)
        let inner = try #require(text.range(of: #""snapshot":"#)).upperBound
        let signed = String(text[inner...].dropLast(2))

        // The helper signs with the prefix: what it makes is the real one, byte for byte.
        #expect(Issuer.signing(signed) + [0x0a] == Issuer.signed(snapshot))
        #expect(Self.refusal(Issuer.signing(signed)) == nil)
        #expect(Self.refusal(Issuer.signing(" " + signed)) != nil)
    }

    @Test("Another format is refused and named, whoever signed it")
    func formats() throws {
        let text = String(decoding: Issuer.signed(try Issuer.snapshot()), as: UTF8.self)
        func with(_ format: String) -> [UInt8] {
            Array(text.replacingOccurrences(of: #""format":1"#, with: #""format":\#(format)"#).utf8)
        }

        #expect(Self.refusal(with("2")) == .newerFormat(2) && Self.refusal(with("0")) == .newerFormat(0))
        #expect(Self.refusal(with("\"1\"")) == .wrongSignature && Self.refusal(with("null")) == .wrongSignature)
    }

    @Test(
        "What is signed well and says what the format does not allow is refused",
        arguments: [
            (#""plan":"pro""#, #""plan":"Pro""#), (#""plan":"pro""#, #""plan":"""#), (#""plan":"pro""#, #""plan":1"#),
            (#""ttlSeconds":604800"#, #""ttlSeconds":0"#), (#""ttlSeconds":604800"#, #""ttlSeconds":-1"#),
            (#""ttlSeconds":604800"#, #""ttlSeconds":31622401"#), (#""ttlSeconds":604800"#, #""ttlSeconds":1.5"#),
            (#""ttlSeconds":604800"#, #""ttlSeconds":"604800""#),
            (#""ttlSeconds":604800"#, #""ttlSeconds":604800,"until":1"#),
            (#","ttlSeconds":604800"#, ""), (#""account":"ada@example.org","#, ""), (#""format":1,"#, ""),
            (#""account":"ada@example.org""#, #""account":"""#),
            (#""account":"ada@example.org""#, #""account":"a\nb""#),
            (#""device":"00"#, #""device":"0""#), (#""device":"00"#, #""device":"0A"#),
            (#"["cloud-storage"]"#, #"["cloud-storage","cloud-devices"]"#),
            (#"["cloud-storage"]"#, #"["cloud-storage","cloud-storage"]"#),
            (#"["cloud-storage"]"#, #"["Cloud"]"#), (#"["cloud-storage"]"#, #"[1]"#),
            (#"["cloud-storage"]"#, #""cloud-storage""#),
            ("2026-11-21T10:00:00Z", "2026-11-21T10:00:00.000Z"), ("2026-11-21T10:00:00Z", "2026-11-21T10:00:00+00:00"),
            ("2026-11-21T10:00:00Z", "2026-11-21 10:00:00Z"), ("2026-11-21T10:00:00Z", "2026-02-30T10:00:00Z"),
            ("2026-11-21T10:00:00Z", "1969-12-31T23:59:59Z"), ("2026-11-21T10:00:00Z", "2027-11-21T10:00:00Z"),
            ("2026-11-21T10:00:00Z", "2028-11-21T10:00:00Z"),
        ])
    func fields(from old: String, to new: String) throws {
        let text = String(decoding: Issuer.signed(try Issuer.snapshot()), as: UTF8.self)
        let inner = try #require(text.range(of: #""snapshot":"#)).upperBound
        let snapshot = text[inner...].dropLast(2)
        #expect(snapshot.contains(old))

        let changed = snapshot.replacingOccurrences(of: old, with: new)

        #expect(Self.isMalformed(String(decoding: Issuer.signing(changed), as: UTF8.self)), "\(changed)")
    }

    @Test("What a snapshot may not say is not made either")
    func making() throws {
        #expect(throws: SnapshotRefusal.self) { try Issuer.snapshot(ttl: 0) }
        #expect(throws: SnapshotRefusal.self) { try Issuer.snapshot(ttl: 31_622_401) }
        #expect(throws: SnapshotRefusal.self) { try Issuer.snapshot(expiresAt: Issuer.issuedAt) }
        #expect(throws: SnapshotRefusal.self) { try Issuer.snapshot(account: "") }
        #expect(throws: SnapshotRefusal.self) { try Issuer.snapshot(account: String(repeating: "a", count: 257)) }
        #expect(throws: SnapshotRefusal.self) { try Issuer.snapshot(account: "a\u{85}b") }
        #expect(throws: SnapshotRefusal.self) { try Issuer.snapshot(features: (0...256).map { "f\($0)" }) }
    }

    @Test("Names are small letters, digits, points and hyphens, up to 64")
    func names() {
        for name in ["a", "0", "a.b-c", String(repeating: "z", count: 64)] {
            #expect(Plan(name)?.name == name && Feature(name)?.name == name)
        }
        for name in ["", "A", "a b", "é", "a_b", "a\n", String(repeating: "z", count: 65)] {
            #expect(Plan(name) == nil && Feature(name) == nil, "\(name)")
        }
    }
}

@Suite("Keys of issuers")
struct IssuerKeyTests {
    @Test("A key file has one spelling, and its id comes from the key alone")
    func files() throws {
        let public1 =
            #"{"format":1,"kind":"cue plan public key","public":"03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8"}"#
        let secret1 =
            #"{"format":1,"kind":"cue plan secret key","seed":"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"}"#

        #expect(Issuer.secret.publicKey.file == Array((public1 + "\n").utf8))
        #expect(Issuer.secret.file == Array((secret1 + "\n").utf8))
        #expect(try IssuerKey(parsing: Array(public1.utf8)) == Issuer.secret.publicKey)
        #expect(try IssuerSecret(parsing: Array(secret1.utf8)).publicKey == Issuer.secret.publicKey)
        #expect(Issuer.secret.publicKey.id.description == "9d24e2eeaf27c2a0")
        #expect(IssuerSecret.random().publicKey != IssuerSecret.random().publicKey)
    }

    @Test("A secret key is not taken for a public one; nor is anything else")
    func wrongFiles() throws {
        #expect(throws: SnapshotRefusal.otherKind("cue plan public key")) {
            try IssuerKey(parsing: Issuer.secret.file)
        }
        let file = String(decoding: Issuer.secret.publicKey.file, as: UTF8.self)
        for (old, new) in [
            ("key\"", "kez\""), ("b8\"", "\""), ("b8\"", "B8\""), ("\"format\":1", "\"a\":1,\"format\":1"), ("{", "{ "),
        ] {
            let changed = file.replacingOccurrences(of: old, with: new)
            #expect(throws: SnapshotRefusal.self, "\(changed)") { try IssuerKey(parsing: Array(changed.utf8)) }
        }
        #expect(throws: SnapshotRefusal.newerFormat(2)) {
            try IssuerKey(parsing: Array(file.replacingOccurrences(of: ":1", with: ":2").utf8))
        }
    }
}
