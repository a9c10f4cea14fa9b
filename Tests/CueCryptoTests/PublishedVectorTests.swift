import CSodium
import CueBase
import CueCrypto
import CueSodium
import CueTestSupport
import Testing

@Suite("Published vectors", .withVectors)
struct PublishedVectorTests {
    // MARK: AES-256-GCM

    static let ciphers: [Cipher.Choice] = Sodium.hasAES ? [.sodium, .openSSL] : [.openSSL]

    private static func gcm() throws -> [VectorFile.Vector] {
        try VectorFile.groups(of: "AES-GCM").filter { $0.keySize == 256 && $0.ivSize == 96 && $0.tagSize == 128 }
            .flatMap(\.tests)
    }

    private func open(_ vector: VectorFile.Vector, _ choice: Cipher.Choice) throws -> [UInt8]? {
        let cipher = Cipher(key: hexadecimal(try #require(vector.key)).span, choice: choice)
        let sealed = hexadecimal(try #require(vector.ct)) + hexadecimal(try #require(vector.tag))
        var out = [UInt8](repeating: 0, count: sealed.count - 16)
        var target = out.mutableSpan
        let isOpen = cipher.open(sealed.span, nonce: Nonce96(hexadecimal(try #require(vector.iv))), into: &target)
        return isOpen ? out : nil
    }

    @Test(
        "Both AES-GCM ciphers open what Wycheproof calls valid and nothing else, and seal to the same bytes",
        arguments: ciphers)
    func aesGCM(_ choice: Cipher.Choice) throws {
        let vectors = try Self.gcm().filter { $0.aad == "" }

        for vector in vectors {
            let message = hexadecimal(try #require(vector.msg))
            #expect(try open(vector, choice) == (vector.isValid ? message : nil), "\(vector)")
            guard vector.isValid else { continue }
            let cipher = Cipher(key: hexadecimal(try #require(vector.key)).span, choice: choice)
            var sealed = [UInt8](repeating: 0, count: message.count + 16)
            var target = sealed.mutableSpan
            cipher.seal(message.span, nonce: Nonce96(hexadecimal(try #require(vector.iv))), into: &target)
            #expect(hexadecimal(sealed) == vector.ct.map { $0 + (vector.tag ?? "") }, "\(vector)")
        }

        #expect(!vectors.isEmpty)
    }

    @Test("Vectors with additional data are the only ones of our sizes that our interface cannot run")
    func additionalData() throws {
        let all = try Self.gcm()
        let withData = all.filter { $0.aad != "" }

        print("AES-GCM: \(withData.count) of \(all.count) vectors have additional data, which cue never uses: not run")

        #expect(withData.allSatisfy { ($0.aad?.count ?? 0) >= 2 })
        #expect(withData.count < all.count)
    }

    // MARK: HKDF

    @Test("HKDF-SHA-512 gives what Wycheproof says")
    func hkdf() throws {
        let vectors = try VectorFile.groups(of: "HKDF-SHA-512").flatMap(\.tests)

        for vector in vectors {
            let size = try #require(vector.size)
            // RFC 5869 ends at 255 blocks; a longer wish is one of our bugs, and stops the program.
            guard vector.isValid else {
                #expect(size > 255 * HMACSHA512.length, "\(vector)")
                continue
            }
            let salt = hexadecimal(try #require(vector.salt))
            let key = HKDF.extract(salt: salt, input: hexadecimal(try #require(vector.ikm)))
            let out = HKDF.expand(key, info: hexadecimal(try #require(vector.info)), count: size)
            #expect(out.withBytes { hexadecimal($0.array) } == vector.okm, "\(vector)")
        }

        #expect(!vectors.isEmpty)
    }

    // MARK: Chunked encryption

    private struct Sealed {
        let vector: VectorFile.Vector
        let message: [UInt8]
        let key: SecretBytes
        let context: SealContext

        init(_ vector: VectorFile.Vector) throws {
            self.vector = vector
            message = try Inflate.zlib(hexadecimal(try #require(vector.ct)))
            key = SecretBytes(copying: hexadecimal(try #require(vector.key)).span)
            context = SealContext(raw: hexadecimal(vector.ctx ?? ""))
        }
    }

    private static func cobblestone() throws -> [VectorFile.Vector] {
        try VectorFile.groups(of: "Cobblestone-256").flatMap(\.tests)
    }

    private static func sha512(_ bytes: [UInt8]) -> String {
        var out = [UInt8](repeating: 0, count: 64)
        _ = unsafe crypto_hash_sha512(&out, bytes, UInt64(bytes.count))
        return hexadecimal(out)
    }

    @Test("A valid Cobblestone-256 message opens to the published content", arguments: ciphers)
    func validMessages(_ choice: Cipher.Choice) throws {
        let vectors = try Self.cobblestone().filter(\.isValid)

        for vector in vectors {
            let sealed = try Sealed(vector)
            let plain = try Message.open(sealed.message, key: sealed.key, context: sealed.context, choice: choice)
            #expect(plain.count == vector.msgLength, "\(vector)")
            #expect(Self.sha512(plain) == vector.msgSha512, "\(vector)")
        }

        #expect(!vectors.isEmpty)
    }

    @Test("A Cobblestone-256 message that is not valid is refused", arguments: ciphers)
    func invalidMessages(_ choice: Cipher.Choice) throws {
        let vectors = try Self.cobblestone().filter { !$0.isValid }

        for vector in vectors {
            let sealed = try Sealed(vector)
            #expect(throws: SealError.self, "\(vector)") {
                try Message.open(sealed.message, key: sealed.key, context: sealed.context, choice: choice)
            }
        }

        #expect(!vectors.isEmpty)
    }

    @Test("Any range of a published message, opened alone, is that range of the whole")
    func randomAccess() throws {
        var generator = SeededGenerator(seed: 1)
        for vector in try Self.cobblestone() where vector.isValid && vector.msgLength != 0 {
            let sealed = try Sealed(vector)
            let plain = try Message.open(sealed.message, key: sealed.key, context: sealed.context)
            let opener = try Opener(
                header: Array(sealed.message[..<Cobblestone.header]), sealedSize: sealed.message.count,
                key: sealed.key, context: sealed.context)
            for _ in 0..<20 {
                let start = Int.random(in: 0..<plain.count, using: &generator)
                let range = start..<Int.random(in: start...min(plain.count, start + 50_000), using: &generator)
                #expect(
                    try opener.plain(range, of: sealed.message) == Array(plain[range]), "\(vector), \(range), seed 1")
            }
        }
    }
}

extension Opener {
    /// Reads a range as a store would: only the sealed chunks that it touches.
    func plain(_ range: Range<Int>, of message: [UInt8]) throws -> [UInt8] {
        let sealed = Array(message[sealedRange(of: range)])
        var out = [UInt8](repeating: 0, count: sealed.count)
        var target = out.mutableSpan
        let first = range.lowerBound / Cobblestone.chunk
        _ = try open(sealed.span, firstChunk: first, into: &target)
        let skip = range.lowerBound - first * Cobblestone.chunk
        return Array(out[skip..<skip + range.count])
    }
}
