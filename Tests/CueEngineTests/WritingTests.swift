import CueBase
import Testing

@testable import CueEngine

@Suite("Writing")
struct WritingTests {
    private let path = RelativePath.root.appending(Array("a".utf8))

    @Test("Words fell sharply when more than half are gone, and two hundred at least")
    func fell() {
        #expect(WordTracking.fell(from: 1000, to: 499) && WordTracking.fell(from: 201, to: 0))
        #expect(
            !WordTracking.fell(from: 1000, to: 500) && !WordTracking.fell(from: 199, to: 0)
                && !WordTracking.fell(from: 10, to: 900))
    }

    @Test("A session goes on while somebody comes back within five minutes, and what a sync wrote is none")
    func sessions() {
        var sessions = EditSessions()
        for time in [0.0, 100, 350] { sessions.note(path, at: time) }
        #expect(sessions.lengths(at: 360) == [path: 350])

        sessions.note(path, at: 700)
        #expect(sessions.lengths(at: 700) == [path: 0], "a new one")
        sessions.forget([path])
        #expect(sessions.lengths(at: 700).isEmpty)

        sessions.note(path, at: 800)
        #expect(sessions.lengths(at: 2000) == [path: 0] && sessions.lengths(at: 2000).isEmpty, "and it is left out")
    }
}
