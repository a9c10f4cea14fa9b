import CueBase
import CueEvents
import CueTestSupport
import Foundation
import Testing

@Suite("Replaying the garden")
struct GardenReplayTests {
    private let utc = GardenMaterial.utc

    private func event(_ id: String, _ day: Int, _ action: GardenEvent.Action) -> Event {
        GardenMaterial.event(id, "2026-01-\(day < 10 ? "0" : "")\(day)T10:00:00Z", action)
    }

    private func bytes(_ garden: GardenReplay) -> String {
        let now = Timestamp(milliseconds: 1_772_000_000_000)
        return String(decoding: Garden.derived(garden, now: now, utc).canonical, as: UTF8.self)
    }

    @Test("A copy of an event that comes to sort first takes the place of the one before, in the soil too")
    func copies() {
        func sun(_ id: String, _ hour: Int64) -> Event {
            GardenMaterial.event(
                id, Timestamp(milliseconds: 1_770_000_000_000 + hour * 3_600_000),
                .shone(twig: "branch-0-twig-0", label: "x", content: "y", prompt: nil))
        }
        let plant = GardenMaterial.event(
            "p", Timestamp(milliseconds: 1_770_000_000_000), GardenMaterial.planting("s", cost: 5))
        let events = [plant, sun("s", 10), sun("s", 5), sun("q", 7)]
        var garden = GardenReplay()
        for event in events { garden.append(event) }
        var sorted = GardenReplay()
        for event in events.sorted() { sorted.append(event) }

        #expect(garden.soil == sorted.soil)
        #expect(garden.soil.available == 5.7)
    }

    @Test("Waterings and suns that another clock dates into the future use nothing up today")
    func future() {
        let now = GardenMaterial.time("2026-01-21T12:00:00Z")
        var garden = GardenReplay([GardenMaterial.event("p", "2026-01-20T12:00:00Z", GardenMaterial.planting("s"))])
        garden.append(
            GardenMaterial.event("w", "2099-01-01T10:00:00Z", .watered(sprout: "s", content: "x", prompt: nil)))
        garden.append(
            GardenMaterial.event(
                "u", "2099-01-01T10:00:00Z", .shone(twig: "branch-0-twig-0", label: "x", content: "y", prompt: nil)))

        let today = garden.today(now: now, GardenMaterial.utc)

        #expect(today.water == 3 && today.sun == 1 && today.wateredToday.isEmpty)
        #expect(garden.today(now: GardenMaterial.time("2099-01-01T12:00:00Z"), GardenMaterial.utc).water == 2)
    }

    @Test("The same events in any order of arrival, one by one or at once, derive the same bytes", arguments: 1...60)
    func orderFree(_ seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let events = GardenMaterial.random(20 + seed * 3, &random)
        let expected = bytes(GardenReplay(events.sorted()))

        let shuffled = events.shuffled(using: &random)
        var oneByOne = GardenReplay()
        for event in shuffled { oneByOne.append(event) }
        var inParts = GardenReplay(shuffled.prefix(shuffled.count / 2))
        inParts.append(contentsOf: shuffled.dropFirst(shuffled.count / 2))

        #expect(bytes(oneByOne) == expected, "seed \(seed)")
        #expect(bytes(inParts) == expected, "seed \(seed)")
        #expect(bytes(GardenReplay(shuffled)) == expected, "seed \(seed)")
    }

    @Test("An event that comes twice counts once, whichever copy came first", arguments: 1...10)
    func copies(_ seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let events = GardenMaterial.random(80, &random)
        var twice = GardenReplay()
        for event in (events + events).shuffled(using: &random) { twice.append(event) }
        let once = GardenReplay(events)

        #expect(twice.soil == once.soil, "seed \(seed)")
        #expect(twice.sprouts == once.sprouts, "seed \(seed)")
        #expect(twice.suns == once.suns, "seed \(seed)")
    }

    @Test("Two waterings of one moment with ids of their own are two")
    func sameMoment() {
        let garden = GardenReplay([
            event("a", 1, GardenMaterial.planting("s")),
            event("b", 2, .watered(sprout: "s", content: "x", prompt: nil)),
            event("c", 2, .watered(sprout: "s", content: "y", prompt: nil)),
        ])

        #expect(garden.sprout("s")?.waterEntries.map(\.content) == ["x", "y"])
        #expect(garden.soil.available == 8.1)
    }

    @Test("The first harvest wins")
    func firstHarvest() {
        let garden = GardenReplay([
            event("a", 1, GardenMaterial.planting("s")),
            event("c", 3, .harvested(sprout: "s", result: 5, capacityGained: 5, reflection: "late")),
            event("b", 2, .harvested(sprout: "s", result: 2, capacityGained: 1, reflection: nil)),
        ])

        #expect(garden.soil.capacity == 11)
        #expect(garden.soil.available == 10)
        #expect(garden.sprout("s")?.result == 2)
        #expect(garden.sprout("s")?.reflection == nil)
        #expect(garden.sprout("s")?.harvestedAt == "2026-01-02T10:00:00.000Z")
    }

    @Test("What was uprooted stays uprooted, and what was harvested cannot be uprooted")
    func uprooted() {
        let end = GardenEvent.Action.harvested(sprout: "s", result: 5, capacityGained: 5, reflection: nil)
        let uprooting = GardenEvent.Action.uprooted(sprout: "s", soilReturned: 0.5)

        let first = GardenReplay([
            event("a", 1, GardenMaterial.planting("s")), event("b", 2, uprooting), event("c", 3, end),
        ])
        let second = GardenReplay([
            event("a", 1, GardenMaterial.planting("s")), event("b", 2, end), event("c", 3, uprooting),
        ])

        #expect(first.sprout("s")?.state == .uprooted)
        #expect(first.soil.capacity == 10)
        #expect(first.soil.available == 8.5)
        #expect(second.sprout("s")?.state == .completed)
        #expect(second.soil.available == 10)
    }

    @Test("A second planting of a sprout changes nothing and costs nothing")
    func replanting() {
        let garden = GardenReplay([
            event("a", 1, GardenMaterial.planting("s")),
            event("b", 2, .watered(sprout: "s", content: "x", prompt: nil)),
            event("c", 3, GardenMaterial.planting("s", title: "Again")),
        ])

        #expect(garden.sprout("s")?.planting.title == "Draft")
        #expect(garden.sprout("s")?.waterEntries.count == 1)
        #expect(garden.soil.available == 8.05)
    }

    @Test("Ids that only look alike are different")
    func ids() {
        let garden = GardenReplay([
            event("a", 1, GardenMaterial.planting("\u{e9}")), event("b", 1, GardenMaterial.planting("e\u{301}")),
        ])

        #expect(garden.sprouts.count == 2)
        #expect(garden.soil.available == 6)
    }

    @Test("What is none of the garden's is passed over, with a reason")
    func skipped() {
        let time = GardenMaterial.time("2026-01-01T10:00:00Z")
        let garden = GardenReplay([
            Event(clientID: "a", type: "document_saved", time: time, payload: .null, createdAt: time),
            Event(clientID: "b", type: "sprout_watered", time: time, payload: .fields([:]), createdAt: time),
        ])

        #expect(garden.events.isEmpty)
        #expect(garden.skipped.map(\.skip) == [.noText("sproutId")])
        #expect(garden.others == 1)
    }

    @Test("The type and time in a payload come before those of the event, and its id never does")
    func merge() throws {
        let payload = JSON.fields([
            "type": .string("leaf_created"), "timestamp": .string("2026-01-05T10:00:00Z"),
            "client_id": .string("other"), "leafId": .string("l"), "twigId": .string("t"), "name": .string("n"),
        ])
        let time = GardenMaterial.time("2026-01-01T10:00:00Z")
        let event = Event(clientID: "own", type: "sun_shone", time: time, payload: payload, createdAt: time)

        let read = try GardenEvent(event)

        #expect(read.clientID == "own")
        #expect(read.timestamp == "2026-01-05T10:00:00Z")
        #expect(read.action == .leafCreated(leaf: "l", twig: "t", name: "n"))
    }

    @Test("What an action says is read back as it was", arguments: 1...5)
    func roundTrip(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        for event in GardenMaterial.random(60, &random) {
            let action = try GardenEvent(event).action
            let bytes = action.payload.canonical

            #expect(try GardenEvent.Action(type: action.type, payload: JSON(parsing: bytes)) == action)
        }
    }
}
