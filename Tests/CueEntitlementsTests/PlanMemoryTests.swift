import CueBase
import CueEntitlements
import CueTestSupport
import Foundation
import Testing

@Suite("What a device keeps of plans")
struct PlanMemoryTests {
    private static let hour = Duration.seconds(3600)

    private static func refusal(_ memory: PlanMemory, _ file: [UInt8], at now: Timestamp) -> SnapshotRefusal? {
        var memory = memory
        do throws(SnapshotRefusal) {
            _ = try memory.accept(file, at: now)
            return nil
        } catch { return error }
    }

    @Test("What is kept is read back the same, from a new device to one with everything")
    func roundTrip() throws {
        var memory = PlanMemory(device: Issuer.device)
        #expect(try PlanMemory(parsing: memory.bytes) == memory)

        memory.trust(Issuer.secret.publicKey)
        memory.trust(Issuer.secret(1).publicKey)
        _ = try memory.accept(Issuer.signed(Issuer.snapshot()), at: Issuer.issuedAt)
        _ = memory.look(at: Issuer.issuedAt + Self.hour)
        #expect(try PlanMemory(parsing: memory.bytes) == memory)
        #expect(memory.importedAt == Issuer.issuedAt && memory.checkedAt == Issuer.issuedAt + Self.hour)
        #expect(memory.highestTime == Issuer.issuedAt + Self.hour && memory.account == Issuer.account)
    }

    @Test(
        "An older snapshot never takes the place of a newer one, also after it was forgotten; the same one may come again"
    )
    func replay() throws {
        let older = Issuer.signed(try Issuer.snapshot(plan: "pro"))
        let newer = Issuer.signed(
            try Issuer.snapshot(plan: "free", features: [], issuedAt: Issuer.issuedAt + Self.hour))
        let now = Issuer.issuedAt + Self.hour
        var memory = Issuer.memory()
        _ = try memory.accept(older, at: now)
        _ = try memory.accept(newer, at: now)

        #expect(Self.refusal(memory, older, at: now) == .older(than: now))
        #expect(Self.refusal(memory, newer, at: now) == nil)
        memory.forget()
        let state = memory.look(at: now).state
        #expect(state == .local)
        memory = try PlanMemory(parsing: memory.bytes)
        #expect(Self.refusal(memory, older, at: now) == .older(than: now))
        #expect(Self.refusal(memory, newer, at: now) == nil)
    }

    @Test("A device has one account until it forgets it; what it knows of the first stays known")
    func accounts() throws {
        let now = Issuer.issuedAt
        let ada = Issuer.signed(try Issuer.snapshot())
        let bob = Issuer.signed(try Issuer.snapshot(issuedAt: now + .seconds(-3600), account: "bob"))
        var memory = Issuer.memory()
        _ = try memory.accept(ada, at: now)

        #expect(Self.refusal(memory, bob, at: now) == .otherAccount("bob"))
        memory.forget()
        // Issued before ada's: each account has an order of its own.
        _ = try memory.accept(bob, at: now)
        #expect(memory.accepted == [Issuer.account: now, "bob": now + .seconds(-3600)])
        #expect(Self.refusal(memory, ada, at: now) == .otherAccount(Issuer.account))
    }

    @Test("What is refused changes nothing")
    func refusedChangesNothing() throws {
        var memory = Issuer.memory()
        _ = try memory.accept(Issuer.signed(Issuer.snapshot()), at: Issuer.issuedAt)
        let before = memory
        let over = Issuer.signed(try Issuer.snapshot(issuedAt: Issuer.issuedAt + Self.hour, ttl: 1))

        #expect(throws: SnapshotRefusal.self) { try memory.accept(over, at: Issuer.issuedAt + Self.hour * 200) }
        #expect(throws: SnapshotRefusal.self) { try memory.accept([0x7b], at: Issuer.issuedAt) }
        #expect(memory == before)
    }

    @Test("Under a key that is trusted no more the stored plan gives nothing; trusted again, it does")
    func distrust() throws {
        var memory = Issuer.memory()
        _ = try memory.accept(Issuer.signed(Issuer.snapshot()), at: Issuer.issuedAt)
        let id = Issuer.secret.publicKey.id

        let (first, second) = (memory.distrust(id), memory.distrust(id))
        let without = memory.look(at: Issuer.issuedAt)
        memory.trust(Issuer.secret.publicKey)
        let again = memory.look(at: Issuer.issuedAt)

        #expect(first && !second)
        #expect(without.state == .refused(.unknownKey(id)) && without.entitlements.plan == .free)
        #expect(again.entitlements.plan == Plan("pro"))
    }

    @Test("A new memory is another device: no snapshot of the old one fits it")
    func deleted() throws {
        let file = Issuer.signed(try Issuer.snapshot())
        let fresh = Issuer.memory(DeviceID(high: 3, low: 4))

        #expect(Self.refusal(fresh, file, at: Issuer.issuedAt) == .otherDevice(Issuer.device))
    }

    @Test("A stored snapshot that somebody edited is refused at the next look")
    func edited() throws {
        var memory = Issuer.memory()
        _ = try memory.accept(Issuer.signed(Issuer.snapshot(plan: "free", features: [])), at: Issuer.issuedAt)
        let text = String(decoding: memory.bytes, as: UTF8.self).replacingOccurrences(
            of: #""plan":"free""#, with: #""plan":"pro""#)
        var changed = try PlanMemory(parsing: Array(text.utf8))

        let report = changed.look(at: Issuer.issuedAt)

        #expect(report.state == .refused(.wrongSignature) && report.entitlements.plan == .free)
    }

    @Test("A memory that is cut, or of another format, is damaged rather than empty")
    func damaged() throws {
        var memory = Issuer.memory()
        _ = try memory.accept(Issuer.signed(Issuer.snapshot()), at: Issuer.issuedAt)
        let bytes = memory.bytes

        for length in stride(from: 0, to: bytes.count - 1, by: 7) {
            #expect(throws: SnapshotRefusal.self) { try PlanMemory(parsing: Array(bytes[..<length])) }
        }
        let newer = String(decoding: bytes, as: UTF8.self).replacingOccurrences(
            of: #""format":1,"highest"#, with: #""format":2,"highest"#)
        #expect(throws: SnapshotRefusal.newerFormat(2)) { try PlanMemory(parsing: Array(newer.utf8)) }
    }
}

@Suite("Providers of entitlements")
struct EntitlementsProvidingTests {
    /// A provider whose answers a test sets, and which counts the questions.
    private struct Double: EntitlementsProviding {
        let plan: Plan
        var features: Set<Feature> = []

        func has(_ feature: Feature) -> Bool { features.contains(feature) }
    }

    @Test("Without an account everything that works locally is allowed, and nothing of a service is among it")
    func local() throws {
        let local = LocalEntitlements()

        #expect(local.plan == .local)
        for name in ["backup", "restore", "check", "sync", "history"] {
            let feature = try #require(Feature(name))
            #expect(local.has(feature))
        }
        for feature in Feature.ofService { #expect(!local.has(feature)) }
    }

    @Test("A snapshot gives its features while it is valid or stale, and nothing else")
    func snapshot() throws {
        let snapshot = try Issuer.snapshot()
        let other = try #require(Feature("other"))
        func provider(_ state: EntitlementsState) -> SnapshotEntitlements { SnapshotEntitlements(snapshot, state) }

        for state in [EntitlementsState.valid(until: snapshot.end), .stale(until: snapshot.graceEnd)] {
            #expect(provider(state).has(.cloudStorage) && !provider(state).has(other))
            #expect(provider(state).plan == Plan("pro"))
        }
        for state in [EntitlementsState.over(since: snapshot.graceEnd), .refused(.wrongSignature)] {
            #expect(!provider(state).has(.cloudStorage) && provider(state).plan == .free)
        }
        #expect(SnapshotEntitlements(nil, .local).plan == .local)
    }

    @Test("Together they have what one has; the plan is that of the account")
    func composite() throws {
        let paid = Double(plan: try #require(Plan("pro")), features: [.cloudStorage])
        let both = CompositeEntitlements([LocalEntitlements(), paid])
        let over = CompositeEntitlements([LocalEntitlements(), Double(plan: .free)])

        #expect(both.plan == Plan("pro") && both.has(.cloudStorage))
        let restore = try #require(Feature("restore"))
        #expect(both.has(restore) && over.has(restore))
        #expect(over.plan == .free && !over.has(.cloudStorage))
        #expect(CompositeEntitlements([LocalEntitlements()]).plan == .local)
    }

    @Test("A cached answer is made once, and again when it is old or the clock went back")
    func cached() {
        final class World: @unchecked Sendable {
            // One test, one thread.
            var now = Issuer.issuedAt
            var made = 0
        }
        let world = World()
        let cached = CachedEntitlements(for: .seconds(60), clock: { world.now }) {
            world.made += 1
            return Double(plan: .free, features: [.cloudStorage])
        }

        #expect(cached.has(.cloudStorage) && cached.plan == .free && world.made == 1)
        world.now = Issuer.issuedAt + .seconds(59)
        #expect(cached.has(.cloudStorage) && world.made == 1)
        world.now = Issuer.issuedAt + .seconds(60)
        #expect(cached.has(.cloudStorage) && world.made == 2)
        world.now = Issuer.issuedAt
        #expect(cached.plan == .free && world.made == 3)
    }

    @Test("Out of a vault a device takes what was issued after all that it accepted, and nothing that it forgot")
    func outOfAVault() throws {
        let now = Issuer.time("2026-11-22T10:00:00Z")
        var memory = Issuer.memory()
        _ = try memory.accept(Issuer.signed(try Issuer.snapshot()), at: now)
        let later = Issuer.time("2026-11-22T09:00:00Z")
        let refused = [
            Issuer.signed(try Issuer.snapshot()),
            Issuer.signed(try Issuer.snapshot(issuedAt: Issuer.time("2026-11-20T10:00:00Z"))),
            Issuer.signed(try Issuer.snapshot(issuedAt: later), by: Issuer.secret(1)),
            Issuer.signed(try Issuer.snapshot(issuedAt: later, account: "bob")),
            Issuer.signed(try Issuer.snapshot(issuedAt: later, device: DeviceID(high: 1, low: 1))),
            Array("nonsense".utf8),
        ]

        let before = memory
        for file in refused { memory.take(file, at: now) }
        #expect(memory == before)
        memory.forget()
        memory.take(refused[0], at: now)
        #expect(memory.look(at: now).state == .local)
        memory.take(Issuer.signed(try Issuer.snapshot(issuedAt: later)), at: now)
        #expect(memory.look(at: now).state == .valid(until: later + .seconds(604_800)))
    }
}
