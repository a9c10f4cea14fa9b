import CueBase
import CueCrypto
import CueSodium
import CueTestSupport
import Testing

/// What the tests of sealing share: a vault, a key, a place, and content that differs from chunk to chunk.
enum Sample {
    static let vault = VaultID(high: 0x1111_1111_1111_1111, low: 0x1111_1111_1111_1111)
    static let other = VaultID(high: 0x1111_1111_1111_1111, low: 0x1111_1111_1111_1112)
    static let key = SecretBytes(copying: Array(0..<32).span)
    static let context = SealContext(vault: vault, kind: .pack, name: Array("packs/ab/abcd".utf8))

    static func content(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 131 &+ $0 >> 9) }
    }
}

@Suite("Sealing")
struct SealingTests {
    static let sizes = [0, 1, 15, 16, 16_383, 16_384, 16_385, 32_767, 32_768, 32_769, 300_000]
    static let ciphers = PublishedVectorTests.ciphers

    private func opens(_ message: [UInt8]) -> Result<[UInt8], SealError> {
        do { return .success(try Message.open(message, key: Sample.key, context: Sample.context)) } catch {
            return .failure(error)
        }
    }

    // MARK: What was sealed

    @Test("What was sealed opens, with either cipher on either side", arguments: sizes)
    func roundTrip(_ size: Int) throws {
        let plain = Sample.content(size)

        for (writer, reader) in Self.ciphers.flatMap({ writer in Self.ciphers.map { (writer, $0) } }) {
            let message = Message.seal(plain, key: Sample.key, context: Sample.context, choice: writer)
            let opened = try Message.open(message, key: Sample.key, context: Sample.context, choice: reader)
            #expect(opened == plain, "\(writer) to \(reader)")
            #expect(message.count == Cobblestone.sealedSize(size))
        }
    }

    @Test("The same content is sealed to other bytes each time")
    func saltsDiffer() {
        let messages = (0..<20).map { _ in Message.seal([1, 2, 3], key: Sample.key, context: Sample.context) }

        #expect(Set(messages).count == 20)
    }

    @Test(
        "A stream in pieces of any size gives the message that one piece gives",
        arguments: 1...30 as ClosedRange<UInt64>)
    func streaming(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let plain = Sample.content(Int.random(in: 0...400_000, using: &generator))
        let longest = [1_000, 16_384, 20_000, 300_000].randomElement(using: &generator) ?? 1
        let salt = generator.bytes(Cobblestone.salt)

        var sealer = Sealer(key: Sample.key, context: Sample.context, salt: salt)
        var message = sealer.header
        var at = 0
        while at < plain.count {
            let end = min(plain.count, at + Int.random(in: 0...longest, using: &generator))
            sealer.update(plain.span.extracting(at..<end)) { message += $0.array }
            at = end
        }
        sealer.finish { message += $0.array }
        var whole = Sealer(key: Sample.key, context: Sample.context, salt: salt)
        var expected = whole.header
        whole.update(plain.span) { expected += $0.array }
        whole.finish { expected += $0.array }

        #expect(message == expected)
        #expect(try Message.open(message, key: Sample.key, context: Sample.context) == plain)
    }

    @Test("Any range, opened alone, is that range of the whole", arguments: sizes.filter { $0 > 0 })
    func randomAccess(_ size: Int) throws {
        let plain = Sample.content(size)
        let message = Message.seal(plain, key: Sample.key, context: Sample.context)
        let opener = try Opener(
            header: Array(message[..<Cobblestone.header]), sealedSize: message.count, key: Sample.key,
            context: Sample.context)
        let borders = [0, 1, 16_383, 16_384, 16_385, 32_768, size - 1, size].filter { (0...size).contains($0) }

        for lower in borders {
            for upper in borders where upper >= lower {
                #expect(
                    try opener.plain(lower..<upper, of: message) == Array(plain[lower..<upper]), "\(lower)..<\(upper)")
            }
        }
    }

    // MARK: Sizes

    @Test("The sealed size tells the size of the content, and no message has another size")
    func sizesAreInverse() {
        let counts = Array(0...40) + Self.sizes + (1...20).flatMap { [$0 * 16_384 - 1, $0 * 16_384, $0 * 16_384 + 1] }
        for count in counts { #expect(Cobblestone.plainSize(Cobblestone.sealedSize(count)) == count) }

        let possible = Set((0...35_000).map(Cobblestone.sealedSize))

        for size in 0...33_000 where !possible.contains(size) {
            #expect(Cobblestone.plainSize(size) == nil, "\(size)")
        }
    }

    @Test("The sizes that docs/format.md names as no message's are none", arguments: [984_064, 4_132_864])
    func impossibleSizes(_ size: Int) { #expect(Cobblestone.plainSize(size) == nil) }

    @Test("A header of another length, or a size that no message has, is refused")
    func headerLength() {
        for (header, size) in [(55, 72), (57, 72), (0, 72), (56, 71), (56, 0), (56, 56 + 16_400)] {
            #expect(throws: SealError.wrongLength, "\(header), \(size)") {
                try Opener(
                    header: [UInt8](repeating: 0, count: header), sealedSize: size, key: Sample.key,
                    context: Sample.context)
            }
        }
    }

    // MARK: Damage

    @Test("Every flipped byte of the header of a message is found before anything is opened")
    func headerFlips() {
        var message = Message.seal(Sample.content(2 * 16_384 + 5), key: Sample.key, context: Sample.context)

        for at in 0..<Cobblestone.header {
            message[at] ^= 1 << UInt8(at % 8)
            #expect(opens(message) == .failure(.notForThisPlace), "byte \(at)")
            message[at] ^= 1 << UInt8(at % 8)
        }

        #expect(throws: Never.self) { try opens(message).get() }
    }

    @Test("Every flipped byte of the three chunks of a message is found")
    func bodyFlips() throws {
        let message = Message.seal(Sample.content(2 * 16_384 + 5), key: Sample.key, context: Sample.context)
        // One opener for all: the keys depend on the header alone, and deriving them anew each time takes longest.
        let opener = try Opener(
            header: Array(message[..<Cobblestone.header]), sealedSize: message.count, key: Sample.key,
            context: Sample.context)
        var body = Array(message[Cobblestone.header...])
        var out = [UInt8](repeating: 0, count: opener.plainSize)
        var opened: [Int] = []

        for at in body.indices {
            body[at] ^= 1 << UInt8(at % 8)
            var target = out.mutableSpan
            if (try? opener.open(body.span, firstChunk: 0, into: &target)) != nil { opened.append(at) }
            body[at] ^= 1 << UInt8(at % 8)
        }

        #expect(opened == [])
        var target = out.mutableSpan
        #expect(try opener.open(body.span, firstChunk: 0, into: &target) == opener.plainSize)
    }

    @Test("Every truncation of a message of three chunks is found")
    func truncations() {
        let message = Message.seal(Sample.content(2 * 16_384 + 5), key: Sample.key, context: Sample.context)

        let opened = message.indices.filter { count in
            switch opens(Array(message[..<count])) {
            case .failure(.wrongLength), .failure(.damaged): false
            default: true
            }
        }

        #expect(opened == [])
    }

    @Test(
        "A message with more behind it is refused", arguments: [1, 15, 16, 17, 1_000, 16_379, 16_395, 16_400, 40_000])
    func extensions(_ count: Int) {
        let message = Message.seal(Sample.content(2 * 16_384 + 5), key: Sample.key, context: Sample.context)

        #expect(throws: SealError.self) { try opens(message + [UInt8](repeating: 0, count: count)).get() }
        #expect(throws: SealError.self) { try opens(message + message.suffix(count)).get() }
    }

    @Test(
        "Chunks that are swapped, repeated or left out are refused",
        arguments: [[1, 0, 2], [0, 0, 2], [1, 1, 2], [0, 2], [1, 2], [0], [2], [0, 1]])
    func reordering(_ order: [Int]) {
        let message = Message.seal(Sample.content(2 * 16_384 + 5), key: Sample.key, context: Sample.context)
        let body = Array(message[Cobblestone.header...])
        let chunks = stride(from: 0, to: body.count, by: Cobblestone.sealedChunk).map {
            Array(body[$0..<min($0 + Cobblestone.sealedChunk, body.count)])
        }

        let other = message[..<Cobblestone.header] + order.flatMap { chunks[$0] }

        #expect(throws: SealError.self) { try opens(Array(other)).get() }
    }

    @Test("A chunk of another message under the same key is refused")
    func splicing() {
        let size = 2 * 16_384 + 5
        let one = Message.seal(Sample.content(size), key: Sample.key, context: Sample.context)
        let two = Message.seal(Sample.content(size), key: Sample.key, context: Sample.context)
        let border = Cobblestone.header + Cobblestone.sealedChunk

        #expect(opens(Array(one[..<border] + two[border...])) == .failure(.damaged))
        #expect(opens(Array(one[..<Cobblestone.header] + two[Cobblestone.header...])) == .failure(.damaged))
    }

    // MARK: Another place

    @Test(
        "A message opens only in its vault, as its kind, under its name and with its key",
        arguments: [
            ("another vault", SealContext(vault: Sample.other, kind: .pack, name: Array("packs/ab/abcd".utf8))),
            ("another kind", SealContext(vault: Sample.vault, kind: .commit, name: Array("packs/ab/abcd".utf8))),
            ("another name", SealContext(vault: Sample.vault, kind: .pack, name: Array("packs/ab/abce".utf8))),
            ("a longer name", SealContext(vault: Sample.vault, kind: .pack, name: Array("packs/ab/abcdd".utf8))),
            (
                "extra bytes",
                SealContext(vault: Sample.vault, kind: .pack, name: Array("packs/ab/abcd".utf8), extra: [0])
            ),
            (
                "a part of the name as extra",
                SealContext(
                    vault: Sample.vault, kind: .pack, name: Array("packs/ab/abc".utf8), extra: Array("d".utf8))
            ),
        ])
    func otherPlaces(_ what: String, _ context: SealContext) {
        let message = Message.seal(Sample.content(100), key: Sample.key, context: Sample.context)

        #expect(throws: SealError.notForThisPlace) {
            try Message.open(message, key: Sample.key, context: context)
        }
    }

    @Test("A message does not open with another key")
    func otherKey() {
        let message = Message.seal(Sample.content(100), key: Sample.key, context: Sample.context)

        #expect(throws: SealError.notForThisPlace) {
            try Message.open(message, key: .random(32), context: Sample.context)
        }
    }
}
