import CueBase
import CueEngine
import CueTerminal
import Testing

@testable import CueCLI

@Suite("Progress")
struct ProgressTests {
    private static func content(speed: Double?, files: Int = 2) -> ProgressLine.Content {
        var progress = WorkProgress(.storing)
        (progress.files, progress.totalFiles) = (1, files)
        (progress.bytes, progress.totalBytes) = (512 << 20, 858 << 20)
        progress.path = RelativePath(trusted: Array("Music/The storm.wav".utf8))
        return ProgressLine.Content(
            verb: ProgressWords.verb(progress.phase), done: progress.bytes, total: progress.totalBytes,
            parts: ProgressWords.parts(progress, speed: speed))
    }

    @Test("It tells how much is done, the time that is left, the speed and the document")
    func whole() {
        let line = Self.content(speed: 120 * 1_048_576).line(132)

        #expect(
            line
                == "backing up [###########         ]  59 %  512 MiB of 858 MiB  3.0 s left  120 MiB/s  1 of 2 files  The storm.wav"
        )
        #expect(!Self.content(speed: nil).line(132).contains("left"))
        #expect(!Self.content(speed: nil, files: 1).line(132).contains("file"))
    }

    @Test(
        "In a narrow window the least important goes first, and nothing is cut in the middle", arguments: [20, 40, 79])
    func narrow(width: Int) {
        let content = Self.content(speed: 120 * 1_048_576)

        let line = content.line(width)

        #expect(line.columns <= width)
        #expect(content.line(200).contains(line.split(separator: "  ").last ?? "nothing"))
        #expect(line.hasPrefix("backing up"))
    }

    @Test("Work without bytes counts files, and what is done beyond the total is no time left")
    func files() {
        var progress = WorkProgress(.reading)
        (progress.files, progress.totalFiles) = (12, 10)

        #expect(ProgressWords.parts(progress, speed: 3) == ["12 of 10 versions"])
    }
}
