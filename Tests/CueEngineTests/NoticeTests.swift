import CueStorage
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
    private static let full = Failure(StorageError.noSpace, vault: "v")
    private static let readOnly = Failure(StorageError.readOnly, vault: "v")

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

    @Test("A trouble is said once, however often it comes; when it was over, once more")
    func once() {
        var notices = Notices(test.library.store, test.library.clock)

        for failure in [Self.full, Self.full, Self.readOnly] {
            notices.failed(failure)
            _ = notices.deliver(through: notifier)
        }
        #expect(said == ["error"])
        notices.saved([])
        notices.failed(Self.full)
        _ = notices.deliver(through: notifier)

        #expect(said == ["error", "error"])
    }

    @Test("A watcher that starts anew does not say again what one before it said")
    func restarted() {
        var first = Notices(test.library.store, test.library.clock)
        first.failed(Self.full)
        first.verified([Self.problem])
        _ = first.deliver(through: notifier)

        var second = Notices(test.library.store, test.library.clock)
        second.failed(Self.full)
        second.verified([Self.problem])
        _ = second.deliver(through: notifier)

        #expect(said.sorted() == ["damage", "error"])
    }

    @Test("Another trouble after a restart is said")
    func another() {
        for failure in [Self.full, Self.readOnly] {
            var notices = Notices(test.library.store, test.library.clock)
            notices.failed(failure)
            _ = notices.deliver(through: notifier)
        }

        #expect(said == ["error", "error"])
    }

    @Test("A fact is an error with its data and the vault, but for seconds that pass and names of calls")
    func facts() {
        func fact(_ error: any Error, _ vault: String = "v") -> FailureFact { FailureFact(error, vault: vault) }

        #expect(fact(StorageError.busy("s", seconds: 3)) == fact(StorageError.busy("s", seconds: 2)))
        #expect(
            fact(SystemError(code: 5, call: "read", subject: "a"))
                == fact(SystemError(code: 5, call: "open", subject: "a"))
        )
        #expect(fact(SystemError(code: 5, call: "read")) != fact(SystemError(code: 13, call: "read")))
        #expect(fact(StorageError.noPermission("a")) != fact(StorageError.noPermission("b")))
        #expect(
            fact(StorageError.system("packs/a", code: 5)) == fact(StorageError.system("packs/b", code: 5)),
            "each try has another pack")
        #expect(fact(StorageError.noSpace) != fact(StorageError.noSpace, "w"))
        #expect(fact(EngineError.vaultNotInFolder("a")) == fact(StorageError.unreachable("a")))
        // The local store keeps it: the same in every run.
        #expect(fact(StorageError.noSpace).name == "efbe03d3f0161f9f")
    }

    @Test("What could not be shown is tried again, and complained about once; what is over meanwhile is not said")
    func failing() {
        var notices = Notices(test.library.store, test.library.clock)
        notices.verified([Self.problem])

        #expect(notices.hasNew && notices.deliver(through: broken).count == 1)
        #expect(!notices.hasNew && notices.deliver(through: broken).isEmpty)
        #expect(notices.deliver(through: notifier).count == 1)
        #expect(said == ["damage"] && notices.isEmpty)

        notices.failed(Self.full)
        notices.saved([])
        #expect(notices.deliver(through: notifier).isEmpty)
    }
}
