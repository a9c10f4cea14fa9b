import CueBase
import CueTestSupport
import Testing

@Suite("Identifiers")
struct IdentifierTests {
    @Test("An id of 16 bytes is read back from its 32 digits", arguments: 1...20 as ClosedRange<UInt64>)
    func id16(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let id = ID16(high: generator.next() >> (seed * 3), low: generator.next())

        #expect(id.description.utf8.count == 32)
        #expect(ID16(id.description) == id)
    }

    @Test("A commit id is read back from its 16 digits", arguments: [0, 1, 0x0123_4567_89ab_cdef, .max] as [UInt64])
    func commitID(_ value: UInt64) {
        #expect(CommitID(value).description.utf8.count == 16)
        #expect(CommitID(CommitID(value).description) == CommitID(value))
    }

    @Test(
        "An id has one spelling: upper case, signs, spaces and other lengths are refused",
        arguments: [
            "0123456789ABCDEF", "0123456789abcdeF", "0123456789abcde", "0123456789abcdef0", "+123456789abcdef",
            " 123456789abcdef", "0x23456789abcdef", "0123456789abcdeg", "", "０１２３４５６７８９ａｂｃｄｅｆ", "0123456789abcd\u{e9}",
        ])
    func oneSpelling(_ text: String) {
        #expect(CommitID(text) == nil)
        #expect(ID16(text + "0123456789abcdef") == nil)
        #expect(ID16("0123456789abcdef" + text) == nil)
    }

    @Test("Ids are ordered as their bytes are, and are written in that order")
    func order() throws {
        var generator = SeededGenerator(seed: 5)
        let chunks = (0..<100).map { _ in
            // Equal words now and then, so that every word gets its say.
            ChunkID(
                a: generator.next() & 1, b: generator.next() & 1, c: generator.next() & 1, d: generator.next())
        }
        func bytes(_ id: ChunkID) -> [UInt8] {
            var writer = ByteWriter()
            writer.id(id)
            return writer.bytes
        }

        let sorted = chunks.sorted()

        #expect(sorted.map(bytes) == chunks.map(bytes).sorted { $0.lexicographicallyPrecedes($1) })
        for id in chunks {
            var reader = ByteReader(bytes(id))
            #expect(try reader.id32() == id)
        }
    }

    @Test("Every kind of id is read as it was written")
    func bytesRoundTrip() throws {
        let id = ID16(high: 0x0102_0304_0506_0708, low: 0x090a_0b0c_0d0e_0f10)
        let version = VersionID(commit: CommitID(0x1112_1314_1516_1718), number: 0x191a_1b1c)
        var writer = ByteWriter()
        writer.id(id)
        writer.id(version)

        var reader = ByteReader(writer.bytes)

        // Big-endian: bytes as they are (docs/format.md §1).
        #expect(writer.bytes == Array(0x01...0x1c))
        #expect(try reader.id16() == id)
        #expect(try reader.versionID() == version)
        #expect(throws: Never.self) { try reader.expectEnd() }
    }

    @Test("A version is shown by the eight digits of its commit and its number")
    func short() {
        let version = VersionID(commit: CommitID(0x7f3a_91c2_0011_2233), number: 14)

        #expect(version.description == "7f3a91c200112233-14")
        #expect(version.short == "7f3a91c2-14")
    }
}
