import CueSystem
import CueTestSupport
import Foundation
import Testing

@Suite("Files written in blocks")
struct BlockWriterTests {
    private static let mebibyte = 1 << 20

    @Test(
        "What is written is what stands in the file, whatever the sizes of file and pieces",
        arguments: [
            0, 1, 4095, mebibyte - 1, mebibyte, mebibyte + 1, 4 * mebibyte, 5 * mebibyte + 4096, 6 * mebibyte + 7,
        ],
        [1000, 65_536, 3 * mebibyte + 1])
    func written(size: Int, piece: Int) throws {
        let folder = TemporaryFolder()
        var generator = SeededGenerator(seed: UInt64(size + piece))
        let content = generator.bytes(size)
        // A size that is told, right or wrong, and one that is not, only choose how the bytes travel.
        for told in Set([Int64(size), 0, .max]) {
            let name = "file \(told)"
            let writer = BlockWriter(try Folder.open(folder.bytes).create(Array(name.utf8)), size: told)
            var start = 0
            while start < size {
                let end = min(size, start + piece)
                try writer.write(content.span.extracting(start..<end))
                start = end
            }
            try writer.finish()

            #expect(try Data(contentsOf: URL(fileURLWithPath: folder.appending(name))) == Data(content), "\(told)")
        }
    }

    @Test("A writer that is given up in the middle ends its thread and leaves what it wrote")
    func givenUp() throws {
        let folder = TemporaryFolder()
        for _ in 0..<20 {
            let writer = BlockWriter(try Folder.open(folder.bytes).openOrCreate(Array("file".utf8)))
            try writer.write([UInt8](repeating: 1, count: 3 * Self.mebibyte).span)
        }
        #expect(folder.exists("file"))
    }

    #if os(Linux)
        @Test("A disk that is full in the middle is said, at once or at the end, and again when asked again")
        func full() throws {
            let writer = BlockWriter(try Folder.open(FilePathBytes("/dev")).openOrCreate(Array("full".utf8)))
            let bytes = [UInt8](repeating: 1, count: Self.mebibyte)

            let error = #expect(throws: SystemError.self) {
                for _ in 0..<8 { try writer.write(bytes.span) }
                try writer.finish()
            }

            #expect(error?.isNoSpace == true)
            #expect(throws: SystemError.self) { try writer.finish() }
        }
    #endif
}
