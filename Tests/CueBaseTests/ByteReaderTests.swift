import CueBase
import CueTestSupport
import Testing

@Suite("Bytes")
struct ByteReaderTests {
    @Test("What is written is read back, at every border of a varint")
    func varintsRoundTrip() throws {
        let values: [UInt64] = [0, 1, 127, 128, 16_383, 16_384, 1 << 32, .max - 1, .max]
        var writer = ByteWriter()
        for value in values { writer.varint(value) }

        var reader = ByteReader(writer.bytes)

        for value in values { #expect(try reader.varint() == value) }
        #expect(reader.isAtEnd)
    }

    @Test(
        "A number has one spelling: longer ones, and ones over 64 bits, are refused",
        arguments: [
            [0x80, 0x00], [0xff, 0x00], [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02],
            [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
        ] as [[UInt8]])
    func badVarintsAreRefused(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        #expect(throws: FormatError.outOfRange) { try reader.varint() }
    }

    @Test("A length that reaches past the end is refused before anything is read")
    func lengthsAreBounded() {
        var writer = ByteWriter()
        writer.varint(UInt64.max)
        var reader = ByteReader(writer.bytes)
        #expect(throws: FormatError.self) { try reader.lengthAndBytes() }
    }
}
