import CueBase
import Testing

@Suite("Moments as text")
struct ISO8601Tests {
    @Test(
        "Every form that a phone, a browser or a database writes is read",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2026-01-02T10:00:00.123Z", 1_767_348_000_123),
            ("2026-01-02 10:00:00.123456+00", 1_767_348_000_123), ("2026-01-02T12:00:00.1+02:00", 1_767_348_000_100),
            ("2026-01-02T04:30:00-0530", 1_767_348_000_000), ("2024-02-29T23:59:59.999Z", 1_709_251_199_999),
            ("1969-12-31T23:59:59.999Z", -1), ("0000-03-01T00:00:00Z", -62_162_035_200_000),
            ("2016-12-31T23:59:60Z", 1_483_228_800_000),
        ] as [(String, Int64)])
    func formsAreRead(_ text: String, _ milliseconds: Int64) {
        #expect(Timestamp(iso8601: text)?.milliseconds == milliseconds)
    }

    @Test(
        "A time that the calendar does not have, or that names no zone, is refused",
        arguments: [
            "", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z",
            "2026-01-01T00:00:00", "2026-01-01", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00.1234567890Z",
            "2026-1-1T00:00:00Z", "+026-01-01T00:00:00Z", "2026-01-01T00:00:00Z ", "2026-01-01T00:00:00+24:00",
        ])
    func badTextIsRefused(_ text: String) {
        #expect(Timestamp(iso8601: text) == nil)
    }

    @Test("What is written is read back, on every seventh day of 1,600 years")
    func writtenIsRead() {
        for day in stride(from: Int64(-292_194), to: 292_194, by: 7) {
            let time = Timestamp(milliseconds: day * 86_400_000 + 45_296_789)
            #expect(Timestamp(iso8601: time.iso8601) == time)
        }
    }
}
