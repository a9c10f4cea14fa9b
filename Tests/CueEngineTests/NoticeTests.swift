import CueSystem
import CueTestSupport
import Foundation
import Testing

@testable import CueEngine

@Suite("What a watcher found wrong is said once")
struct NoticeTests {
    private let test: TestLibrary
    private let notifier: Notifier
    private let broken = Notifier(.command("exit 3"), NoticeTests.words)
    private static let problem = VaultProblem.packsGone(1)

    init() throws {
        test = try TestLibrary()
        notifier = Notifier(.command("echo \"$CUE_TITLE\" >> '\(test.folder.appending("said"))'"), Self.words)
    }

    @Sendable private static func words(_ reminder: Reminder) -> Notifier.Text {
        Notifier.Text(title: reminder.kind.rawValue, body: "text")
    }

    private var said: [String] {
        ((try? test.folder.read("said")) ?? "").split(separator: "\n").map(String.init)
    }

    @Test("A trouble is said once, however often and with whatever words it comes; when it was over, once more")
    func once() {
        var notices = Notices(test.library.store, test.library.clock)

        for message in ["the vault is full", "the vault is full", "the vault is read-only"] {
            notices.failed(message)
            _ = notices.deliver(through: notifier)
        }
        #expect(said == ["error"])
        notices.saved([])
        notices.failed("the vault is full")
        _ = notices.deliver(through: notifier)

        #expect(said == ["error", "error"])
    }

    @Test("A watcher that starts anew does not say again what one before it said")
    func restarted() {
        var first = Notices(test.library.store, test.library.clock)
        first.failed("the vault is full")
        first.verified([Self.problem])
        _ = first.deliver(through: notifier)

        var second = Notices(test.library.store, test.library.clock)
        second.failed("the vault is full")
        second.verified([Self.problem])
        _ = second.deliver(through: notifier)

        #expect(said.sorted() == ["damage", "error"])
    }

    @Test("What could not be shown is tried again, and complained about once; what is over meanwhile is not said")
    func failing() {
        var notices = Notices(test.library.store, test.library.clock)
        notices.verified([Self.problem])

        #expect(notices.hasNew && notices.deliver(through: broken).count == 1)
        #expect(!notices.hasNew && notices.deliver(through: broken).isEmpty)
        #expect(notices.deliver(through: notifier).count == 1)
        #expect(said == ["damage"] && notices.isEmpty)

        notices.failed("the vault is full")
        notices.saved([])
        #expect(notices.deliver(through: notifier).isEmpty)
    }
}
