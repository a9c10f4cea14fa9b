import CueBase
import CueEngine
import CueLibrary
import Testing

@testable import CueCLI

@Suite("The texts of reminders")
struct ReminderWordsTests {
    @Test(
        "A deadline is told by its distance in days",
        arguments: [
            (0, false, "The deadline is today at 09:00."), (0, true, "The deadline was today at 09:00."),
            (1, false, "The deadline is tomorrow at 09:00."), (-1, true, "The deadline was yesterday at 09:00."),
            (-2, true, "The deadline was on 2026-01-20 at 09:00."),
        ])
    func deadline(days: Int, isPast: Bool, text: String) {
        let message = ReminderMessage.deadline(
            title: "Novel", inDays: days, isPast: isPast, day: "2026-01-20", time: "09:00")
        #expect(message.title == "Novel" && message.body == text)
    }

    @Test("A nudge after days without work begins with their number, and the same nudge has the same text")
    func nudge() {
        let message = ReminderMessage.nudge(title: "Novel", .afterInactivity, days: 7, choice: 20_000)
        #expect(message.body == "Untouched for 7 days. One sentence is enough to begin.")
    }

    @Test("Days without a backup are in the title")
    func backup() {
        #expect(ReminderMessage.backup(days: 8, last: "2026-01-10").title == "No backup for 8 days")
        #expect(ReminderMessage.backup(days: 1, last: "2026-01-10").title == "No backup for 1 day")
    }

    @Test("That words fell sharply names the version that is kept, and the command that brings it back")
    func wordsFell() {
        let version = VersionID(commit: CommitID(9), number: 3)
        let path = RelativePath(trusted: Array("Mine/Wolf's Novel.scriv".utf8))

        let body = ReminderMessage.wordsFell(title: "Novel", path: path, from: 81_000, to: 1, kept: version).body

        #expect(body.contains("1 word now") && body.contains("version \(version.short) is kept"))
        #expect(body.contains("`cue restore 'Mine/Wolf'\\''s Novel.scriv' --version \(version.short)`"), "\(body)")
    }

    @Test("Damage names the first problem and the number of others")
    func damage() {
        let one = ReminderMessage.damaged(.packsGone(1), more: 0)
        #expect(one.title == "The vault is damaged")
        #expect(one.body.hasPrefix("a pack is gone, or not whole. What is in your folder"))
        #expect(
            ReminderMessage.damaged(.packsGone(2), more: 3).body.hasPrefix(
                "2 packs are gone, or not whole (and 3 more)."))
    }

    @Test("A program that does not show a reminder is told by its way to fail")
    func failure() {
        #expect(Notifier.Failure.exited(3).words(of: .command) == "the command of [notify] failed with exit code 3")
        #expect(Notifier.Failure.signal(9).words(of: .command) == "the command of [notify] was ended by signal 9")
        #expect(
            Notifier.Failure.tookTooLong.words(of: .notifySend) == "notify-send took too long and was stopped")
    }
}
