import CueBase
import Testing

@testable import CueCLI

@Suite("The line of status")
struct StatusLineTests {
    @Test(
        "How long ago something was is said in the largest unit that tells enough",
        arguments: [
            (0, "just now"), (1999, "just now"), (2000, "2 s ago"), (119_999, "119 s ago"), (120_000, "2 min ago"),
            (7_199_999, "119 min ago"), (7_200_000, "2 h ago"), (172_799_999, "47 h ago"), (172_800_000, "2 days ago"),
        ] as [(Int64, String)])
    func ago(milliseconds: Int64, words: String) {
        let time = Timestamp(milliseconds: 1_767_225_600_000)

        let said = StatusLine.ago(time, Timestamp(milliseconds: time.milliseconds + milliseconds))

        #expect(said == words)
    }

    @Test("A time that has not come is said as it is")
    func future() {
        let time = Timestamp(milliseconds: 1_767_225_600_000)

        let said = StatusLine.ago(time, Timestamp(milliseconds: time.milliseconds - 1000))

        #expect(said.hasPrefix("at 202"), "\(said)")
    }
}
