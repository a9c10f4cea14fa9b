import CueBase
import CueCrypto
import CueSodium
import CueTestSupport
import Testing

@Suite("Hashes")
struct HashTests {
    @Test(
        "HMAC-SHA-512 gives the codes of RFC 4231",
        arguments: [
            (
                [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8),
                "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cdedaa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854"
            ),
            (
                Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
                "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"
            ),
            (
                [UInt8](repeating: 0xaa, count: 131),
                Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
                "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f3526b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598"
            ),
        ])
    func hmac(_ key: [UInt8], _ data: [UInt8], _ expected: String) {
        let whole = HMACSHA512.code([data], key: key.span)
        let parts = HMACSHA512.code([Array(data.prefix(3)), [], Array(data.dropFirst(3))], key: key.span)

        #expect(whole.withBytes { hexadecimal($0.array) } == expected)
        #expect(parts == whole)
    }

    @Test("BLAKE2b-256 without a key gives the known hash of \"abc\" and of nothing")
    func blake2b() {
        #expect(
            hexadecimal(BLAKE2b.hash(Array("abc".utf8)))
                == "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319")
        #expect(
            hexadecimal(BLAKE2b.hash([])) == "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8")
    }

    // From Python's hashlib, which carries the BLAKE2 authors' own code: blake2b(b, key=bytes(range(32)),
    // digest_size=32).
    @Test(
        "A chunk id is the keyed BLAKE2b-256 of the chunk",
        arguments: [
            ([], "4e51e7a913fc80137da52880fecca175bf81e117d5c68126dc2774033517ea0d"),
            (Array("abc".utf8), "d63a32d3e44738d7907f964316c241adaba0abfeabc32349677578a15a203f7f"),
            ([UInt8](0...255), "b42be36ea26392f67d1d3706ffa72b6c61c2ff38e1fabd9a49e154d54b967d83"),
        ] as [([UInt8], String)])
    func chunkID(_ bytes: [UInt8], _ expected: String) {
        let key = SecretBytes(copying: Array(0..<32).span)

        let id = BLAKE2b.chunkID(of: bytes.span, key: key)

        var writer = ByteWriter()
        writer.id(id)
        #expect(hexadecimal(writer.bytes) == expected)
    }
}
