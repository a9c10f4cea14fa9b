import CueSodium
import CueTestSupport
import Testing

@Suite("Ed25519")
struct SignatureTests {
    /// RFC 8032, section 7.1: private key, public key, message, signature. TEST 1024 has a message of 1,023 bytes and
    /// is not here.
    static let published: [(name: String, seed: String, key: String, message: String, signature: String)] = [
        (
            "TEST 1", "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
        ),
        (
            "TEST 2", "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        ),
        (
            "TEST 3", "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
        ),
        (
            "TEST SHA(abc)", "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
            "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
            "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704"
        ),
    ]

    private static func key(_ seed: String) -> Ed25519.SigningKey {
        Ed25519.SigningKey(seed: SecretBytes(copying: hexadecimal(seed).span))
    }

    @Test("The keys and signatures of RFC 8032 come out byte for byte, and are accepted")
    func rfc8032() throws {
        for vector in Self.published {
            let key = Self.key(vector.seed)
            let message = hexadecimal(vector.message)

            #expect(hexadecimal(key.publicKey.bytes) == vector.key, "\(vector.name)")
            #expect(hexadecimal(key.signature(of: message)) == vector.signature, "\(vector.name)")
            #expect(key.publicKey.accepts(hexadecimal(vector.signature), of: message), "\(vector.name)")
        }
    }

    @Test("No bit of a signature, a message or a key can be another")
    func oneBit() throws {
        let vector = Self.published[2]
        let (key, message) = (hexadecimal(vector.key), hexadecimal(vector.message))
        let signature = hexadecimal(vector.signature)

        func flipped(_ bytes: [UInt8], _ bit: Int) -> [UInt8] {
            var bytes = bytes
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            return bytes
        }
        let publicKey = try #require(Ed25519.PublicKey(key))
        for bit in 0..<signature.count * 8 { #expect(!publicKey.accepts(flipped(signature, bit), of: message)) }
        for bit in 0..<message.count * 8 { #expect(!publicKey.accepts(signature, of: flipped(message, bit))) }
        for bit in 0..<key.count * 8 {
            #expect(Ed25519.PublicKey(flipped(key, bit))?.accepts(signature, of: message) == false)
        }
    }

    @Test("A second form of a signature is refused: its number with the order of the group added")
    func malleability() throws {
        let vector = Self.published[0]
        var signature = hexadecimal(vector.signature)
        // L = 2^252 + 27742317777372353535851937790883648493, little-endian.
        let order = hexadecimal("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")
        var carry = 0
        for i in 0..<32 {
            let sum = Int(signature[32 + i]) + Int(order[i]) + carry
            (signature[32 + i], carry) = (UInt8(sum & 0xff), sum >> 8)
        }

        #expect(carry == 0)
        #expect(try #require(Ed25519.PublicKey(hexadecimal(vector.key))).accepts(signature, of: []) == false)
    }

    @Test("A key of small order accepts nothing, not even the signature that would fit every message")
    func smallOrder() throws {
        // The neutral element; with R neutral and S zero the equation holds for any message.
        let neutral = [1] + [UInt8](repeating: 0, count: 31)
        let signature = neutral + [UInt8](repeating: 0, count: 32)

        #expect(try #require(Ed25519.PublicKey(neutral)).accepts(signature, of: Array("anything".utf8)) == false)
    }

    @Test("What has not the length of a key or signature is none")
    func lengths() throws {
        let vector = Self.published[0]
        let key = try #require(Ed25519.PublicKey(hexadecimal(vector.key)))
        let signature = hexadecimal(vector.signature)

        #expect(Ed25519.PublicKey(Array(key.bytes.dropLast())) == nil && Ed25519.PublicKey(key.bytes + [0]) == nil)
        #expect(!key.accepts(Array(signature.dropLast()), of: []) && !key.accepts(signature + [0], of: []))
        #expect(!key.accepts([], of: []))
    }
}
