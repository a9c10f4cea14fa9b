import CueBase
import CueEvents
import CueTestSupport
import Testing

@Suite("The forms of an event")
struct EventFormTests {
    private let now = Timestamp(milliseconds: 1_800_000_000_000)

    private func event(_ text: String) throws -> Event { try Event(form: JSON(parsing: Array(text.utf8)), now: now) }

    @Test("A row, a local and a flat event say the same")
    func formsAgree() throws {
        let row = try event(
            #"{"type":"a","payload":{"x":1},"client_id":"c","client_timestamp":"2026-01-02T10:00:00Z","created_at":"2027-01-15T08:00:00.000Z"}"#
        )
        let local = try event(
            #"{"type":"a","payload":{"x":1},"clientId":"c","timestamp":"2026-01-02T10:00:00Z","synced":true}"#)
        let flat = try event(#"{"type":"a","timestamp":"2026-01-02T10:00:00Z","client_id":"c","x":1}"#)

        #expect(row == local)
        #expect(row == flat)
        #expect(try Event(form: row.row, now: Timestamp(milliseconds: 0)) == row)
    }

    @Test("An event from before there were ids is told from others by what it is about, not by its time alone")
    func legacyIDs() throws {
        let one = try event(#"{"type":"sprout_watered","timestamp":"2026-01-02T10:00:00Z","sproutId":"sprout-1"}"#)
        let other = try event(#"{"type":"sprout_watered","timestamp":"2026-01-02T10:00:00Z","sproutId":"sprout-2"}"#)

        #expect(one.clientID != other.clientID)
    }

    @Test("A payload may be any JSON", arguments: ["null", "[]", "1", "\"x\"", "{}", "true"])
    func anyPayload(_ payload: String) throws {
        let event = try event(
            #"{"type":"a","payload":\#(payload),"client_id":"c","client_timestamp":"2026-01-02T10:00:00Z"}"#)
        #expect(String(decoding: event.payload.canonical, as: UTF8.self) == payload)
    }

    @Test(
        "What cannot be an event says why",
        arguments: [
            (#"[]"#, .notAnObject), (#"{"payload":{}}"#, .missing("type")),
            (#"{"type":"a","payload":{}}"#, .missing("timestamp")),
            (#"{"type":"a","payload":{},"timestamp":"2026-01-02T10:00:00Z"}"#, .missing("client_id")),
            (#"{"type":"a","timestamp":"yesterday"}"#, .noTime),
            (#"{"type":"","timestamp":"2026-01-02T10:00:00Z"}"#, .empty(.type)),
            (
                #"{"type":"a\u0000","timestamp":"2026-01-02T10:00:00Z","client_id":"c"}"#,
                .controlCharacter(.type)
            ),
            (
                #"{"type":"a","timestamp":"2026-01-02T10:00:00Z","client_id":"x\ny"}"#,
                .controlCharacter(.id)
            ),
        ] as [(String, EventFormError)])
    func badForms(_ text: String, _ error: EventFormError) {
        #expect(throws: error) { try event(text) }
    }

    @Test("A payload has at most 64 levels, and one with as many is read back in the row that it stands in")
    func levels() throws {
        func payload(_ levels: Int) -> String {
            String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        }
        func row(_ levels: Int) -> String {
            #"{"type":"a","payload":\#(payload(levels)),"client_id":"c","client_timestamp":"2026-01-02T10:00:00Z"}"#
        }
        let deep = try event(row(64))
        #expect(try Event(form: JSON(parsing: deep.row.canonical), now: now) == deep)
        #expect(throws: EventFormError.tooDeep) { try event(row(65)) }
    }

    @Test("Of two events of one moment the id decides, byte by byte")
    func order() throws {
        func event(_ id: String, _ time: Int64) -> Event {
            Event(clientID: id, type: "a", time: Timestamp(milliseconds: time), payload: .null, createdAt: now)
        }
        #expect(
            [event("b", 2), event("a", 3), event("a", 2), event("z", 1)].sorted().map(\.clientID) == [
                "z", "a", "b", "a",
            ])
    }
}
