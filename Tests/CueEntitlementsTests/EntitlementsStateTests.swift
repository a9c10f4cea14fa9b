import CueBase
import CueEntitlements
import CueTestSupport
import Testing

@Suite("What a snapshot gives")
struct EntitlementsStateTests {
    private static let day = Duration.seconds(86_400)

    private static func facts(
        _ now: Timestamp, highest: Timestamp? = nil, device: DeviceID = Issuer.device, account: String? = nil,
        last: Timestamp? = nil
    ) -> DeviceFacts {
        DeviceFacts(now: now, highestTime: highest, device: device, account: account, lastIssuedAt: last)
    }

    private static func moments(_ time: Timestamp) -> (before: Timestamp, at: Timestamp) {
        (Timestamp(milliseconds: time.milliseconds - 1), time)
    }

    @Test("Without a snapshot a device is local, whatever its clock says")
    func local() {
        for now in [Timestamp(milliseconds: .min), Issuer.issuedAt, Timestamp(milliseconds: .max)] {
            #expect(EntitlementsState.of(nil, Self.facts(now)) == .local)
        }
    }

    @Test("Valid for the time to live, stale for seven days after, and then over: to the millisecond")
    func borders() throws {
        let snapshot = try Issuer.snapshot(ttl: 3600)
        let end = Issuer.time("2026-11-21T11:00:00Z")
        let graceEnd = Issuer.time("2026-11-28T11:00:00Z")
        func state(_ now: Timestamp) -> EntitlementsState { .of(snapshot, Self.facts(now)) }

        #expect(snapshot.end == end && snapshot.graceEnd == graceEnd)
        #expect(state(Issuer.issuedAt) == .valid(until: end))
        #expect(state(Self.moments(end).before) == .valid(until: end))
        #expect(state(end) == .stale(until: graceEnd))
        #expect(state(Self.moments(graceEnd).before) == .stale(until: graceEnd))
        #expect(state(graceEnd) == .over(since: graceEnd))
        #expect(state(Timestamp(milliseconds: .max)) == .over(since: graceEnd))
    }

    @Test("A plan that ends before its time to live ends then, with the same grace")
    func expiry() throws {
        let end = Issuer.time("2026-11-23T00:00:00Z")
        let snapshot = try Issuer.snapshot(expiresAt: end)

        #expect(EntitlementsState.of(snapshot, Self.facts(Self.moments(end).before)) == .valid(until: end))
        #expect(EntitlementsState.of(snapshot, Self.facts(end)) == .stale(until: end + Self.day * 7))
        #expect(EntitlementsState.of(snapshot, Self.facts(end + Self.day * 7)) == .over(since: end + Self.day * 7))
    }

    @Test("Issued five minutes ahead of the clock is taken, and a millisecond more is from the future")
    func future() throws {
        let snapshot = try Issuer.snapshot()
        let earliest = Timestamp(milliseconds: Issuer.issuedAt.milliseconds - 300_000)

        #expect(EntitlementsState.of(snapshot, Self.facts(earliest)) == .valid(until: snapshot.end))
        let state = EntitlementsState.of(snapshot, Self.facts(Self.moments(earliest).before))
        #expect(state == .refused(.fromTheFuture(Issuer.issuedAt)))
    }

    @Test("A clock that is set back prolongs nothing: the latest time seen counts")
    func clockSetBack() throws {
        let snapshot = try Issuer.snapshot()
        let end = snapshot.end

        for back in [Issuer.issuedAt, Issuer.time("1970-01-01T00:00:00Z"), Timestamp(milliseconds: .min)] {
            #expect(EntitlementsState.of(snapshot, Self.facts(back, highest: end)) == .stale(until: snapshot.graceEnd))
            let over = EntitlementsState.of(snapshot, Self.facts(back, highest: snapshot.graceEnd))
            #expect(over == .over(since: snapshot.graceEnd))
        }
        let ahead = EntitlementsState.of(snapshot, Self.facts(end, highest: Issuer.issuedAt))
        #expect(ahead == .stale(until: snapshot.graceEnd))
    }

    @Test("Another device, another account, or one older than one accepted before is refused")
    func binding() throws {
        let snapshot = try Issuer.snapshot()
        let now = Issuer.issuedAt
        let later = Issuer.issuedAt + .seconds(1)
        let other = DeviceID(high: 1, low: 2)

        #expect(EntitlementsState.of(snapshot, Self.facts(now, device: other)) == .refused(.otherDevice(Issuer.device)))
        let account = EntitlementsState.of(snapshot, Self.facts(now, account: "bob"))
        #expect(account == .refused(.otherAccount(Issuer.account)))
        #expect(EntitlementsState.of(snapshot, Self.facts(now, last: later)) == .refused(.older(than: later)))
        let fits = Self.facts(now, account: Issuer.account, last: Issuer.issuedAt)
        #expect(EntitlementsState.of(snapshot, fits) == .valid(until: snapshot.end))
    }

    @Test("An account in another spelling of the same letters is another account")
    func accountBytes() throws {
        let snapshot = try Issuer.snapshot(account: "re\u{301}my")

        let state = EntitlementsState.of(snapshot, Self.facts(Issuer.issuedAt, account: "r\u{e9}my"))

        #expect(state == .refused(.otherAccount("re\u{301}my")))
    }

    @Test("Of any history of clocks, what is allowed only ever ends: never does it come back")
    func property() throws {
        let snapshot = try Issuer.snapshot(ttl: 86_400)
        for seed in 1...200 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var memory = Issuer.memory()
            _ = try memory.accept(Issuer.signed(snapshot), at: Issuer.issuedAt)
            var (rank, latest) = (0, Issuer.issuedAt)
            for _ in 0..<40 {
                let offset = Int64.random(in: -20 * 86_400...12 * 86_400, using: &generator)
                let now = Issuer.issuedAt + .seconds(offset)
                latest = max(latest, now)
                let next: Int
                switch memory.look(at: now).state {
                case .valid: next = 0
                case .stale: next = 1
                case .over: next = 2
                case .local, .refused: next = -1
                }
                #expect(next >= rank, "seed \(seed)")
                #expect(next == (latest < snapshot.end ? 0 : latest < snapshot.graceEnd ? 1 : 2), "seed \(seed)")
                rank = next
                // As a restart would.
                memory = try PlanMemory(parsing: memory.bytes)
            }
        }
    }
}
