import CueBase
import CueTestSupport
import Testing

@testable import CueEngine

/// The watcher's decisions, with times that a test makes up.
@Suite("What a watcher does next")
struct WatchMachineTests {
    private static let page = RelativePath(trusted: Array("Page.md".utf8))

    private static func machine() -> WatchMachine { WatchMachine(WatchOptions(), at: 0) }

    private static func news(_ change: (inout LibraryWatch.News) -> Void) -> LibraryWatch.News {
        var news = LibraryWatch.News()
        change(&news)
        return news
    }

    private static let written = news { $0.documents = [page] }

    private static func hear(
        _ news: LibraryWatch.News, _ machine: inout WatchMachine, at now: Double, inError: Bool = false,
        mounts: Bool = false
    ) -> WatchMachine.Heard {
        machine.hear(news, mountsChanged: mounts, isInError: inError, at: now)
    }

    @Test("A document is saved half a minute after it was last touched, and after five minutes at the latest")
    func debounce() {
        var machine = Self.machine()
        machine.saved(since: 0, everything: true, hearsAll: true, at: 0)
        #expect(Self.hear(Self.written, &machine, at: 10).newDocuments == 1)
        #expect(Self.hear(Self.written, &machine, at: 25).newDocuments == 0)

        #expect(machine.due(at: 25, isReading: false, reminder: .infinity) == 55)
        #expect(machine.action(at: 54) == .wait && machine.action(at: 55) == .sync)

        for time in stride(from: 30.0, to: 400, by: 10) { _ = Self.hear(Self.written, &machine, at: time) }
        #expect(machine.schedule.next == 310)
    }

    @Test("Between two looks at the folder only the vault is looked at, once a minute, or a second after it changed")
    func polls() {
        var machine = Self.machine()

        #expect(machine.action(at: 59) == .wait && machine.action(at: 60) == .lookAtVault)
        #expect(machine.action(at: 61) == .wait)
        _ = Self.hear(Self.news { $0.vaultChanged = true }, &machine, at: 70)
        #expect(machine.action(at: 70.5) == .wait && machine.action(at: 71) == .lookAtVault)
        #expect(machine.action(at: 600) == .sync)
    }

    @Test("What fails and may heal is tried again soon and then ever later, and nothing else is done meanwhile")
    func backOff() {
        var machine = Self.machine()
        var generator = SeededGenerator(seed: 1)
        var now = 100.0
        for most in [1.0, 2, 4, 8, 16, 32, 60, 60] {
            let wait = machine.failed(mayHeal: true, at: now, using: &generator)
            #expect(wait <= most && wait >= most / 2)
            _ = Self.hear(Self.written, &machine, at: now)
            #expect(machine.action(at: now + wait - 0.01) == .wait && machine.action(at: now + wait) == .sync)
            now += wait
        }
        machine.saved(since: now, everything: false, hearsAll: true, at: now)
        #expect(!machine.isFailing && machine.failures == 0)
    }

    @Test(
        "What does not heal waits for the next look at everything, or for somebody who writes, but not for each keystroke"
    )
    func noHealing() {
        var machine = Self.machine()
        var generator = SeededGenerator(seed: 1)
        #expect(machine.failed(mayHeal: false, at: 1000, using: &generator) == 600)

        let heard = Self.hear(Self.written, &machine, at: 1010, inError: true)

        #expect(heard.nextTry == 20)
        #expect(Self.hear(Self.written, &machine, at: 1011, inError: true).nextTry == nil)
        #expect(machine.action(at: 1029) == .wait && machine.action(at: 1030) == .sync)
    }

    @Test("A disk that comes or goes is a reason to try at once")
    func mounts() {
        var machine = Self.machine()
        var generator = SeededGenerator(seed: 1)
        for _ in 1...6 { _ = machine.failed(mayHeal: true, at: 100, using: &generator) }

        _ = Self.hear(LibraryWatch.News(), &machine, at: 101, mounts: true)

        #expect(machine.action(at: 101.1) == .wait && machine.action(at: 101.2) == .sync)
        #expect(machine.failures == 0)
    }

    @Test("What the system did not tell is found by a look at everything, and each reason is given")
    func rescans() {
        for (news, wait, reason) in [
            (Self.news { $0.rootIsGone = true }, 0.0, RescanReason.folderReplaced),
            (Self.news { $0.settingsChanged = true }, 1, .settingsChanged),
            (Self.news { ($0.isIncomplete, $0.lostEvents) = (true, true) }, 30, .lostEvents),
            (Self.news { $0.isIncomplete = true }, 30, .newFolders),
        ] {
            var machine = Self.machine()
            #expect(Self.hear(news, &machine, at: 5).rescans == [reason])
            #expect(machine.due(at: 5, isReading: false, reminder: .infinity) == 5 + wait)
            #expect(machine.action(at: 5 + wait) == .sync)
        }
        var machine = Self.machine()
        machine.woke(at: 7)
        #expect(machine.action(at: 7) == .sync)
    }

    @Test("Where the system does not tell of everything, everything is looked at as often as the vault")
    func limitation() {
        var machine = Self.machine()
        machine.losesEvents(at: 5)
        #expect(machine.action(at: 65) == .sync)
        machine.saved(since: 65, everything: false, hearsAll: false, at: 66)
        #expect(machine.action(at: 126) == .sync)
    }

    @Test("What a sync wrote itself is no edit, and what was touched before it is")
    func own() {
        var machine = Self.machine()
        _ = Self.hear(Self.written, &machine, at: 10)
        machine.forget([Self.page], since: 9)
        #expect(machine.schedule.isEmpty)
        _ = Self.hear(Self.written, &machine, at: 10)
        machine.forget([Self.page], since: 11)
        #expect(!machine.schedule.isEmpty)
    }

    @Test(
        "While the vault is read back nothing is waited for; a try that failed comes first, a busy library is no failure"
    )
    func reading() {
        var machine = Self.machine()
        #expect(machine.due(at: 3, isReading: true, reminder: 50) == 3)
        #expect(machine.due(at: 3, isReading: false, reminder: 50) == 50)
        machine.wasBusy(since: 3)
        #expect(machine.due(at: 3, isReading: true, reminder: 50) == 4 && machine.failures == 0)
    }
}
