import CueBase
import CueTestSupport
import Foundation
import Testing

@Suite("Words for a shell")
struct ShellWordTests {
    @Test(
        "A name is one word to a shell, also where a sign of the shell is joined to a letter",
        arguments: [
            "02 Salt.md", "-draft.md", "it's", "$(touch x)", "`touch x`", "a;b", "a\nb", "Ärger – spät.md", "日本語.txt",
            "q'\u{d4e}';touch pwned;\u{d4e}'.txt", "a\u{d4e};touch\u{d4e} pwned", "\u{d4e}$HOME", "\u{d4e}`id\u{d4e}`",
        ])
    func words(name: String) throws {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "printf '%s|' \(ShellWord.quoted(name))"]
        process.standardOutput = output
        try Program.start(process)
        let shown = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()

        let meant = name.hasPrefix("-") ? "./" + name : name
        #expect(Array(shown) == Array((meant + "|").utf8))
    }
}
