import CueBase
import CueEvents
import CueTestSupport
import Foundation
import Testing

@Suite("A garden of events that anybody may have written")
struct GardenHostileTests {
    private static let values: [JSON] = [
        .null, .bool(true), .integer(.min), .integer(.max), .integer(3), .number(1e308), .number(-1e308),
        .number(.leastNonzeroMagnitude), .number(2.5), .string(""), .string("branch-0-twig-0"), .string("2w"),
        .string("barren"),
        .string("s"), .string(String(repeating: "\u{1F332}", count: 300)), .string("\u{1b}[2J\u{0}\u{202e}"),
        .array([]), .object([]), .string("9999-12-31T23:59:59.999Z"), .string("0000-01-01T00:00:00Z"),
        .string("sprout_planted"), .string("e\u{301}"),
    ]

    private static let keys = [
        "sproutId", "twigId", "title", "season", "environment", "soilCost", "leafId", "bloomWither", "content",
        "prompt", "result", "capacityGained", "reflection", "soilReturned", "twigLabel", "name", "seedlingId", "notes",
        "type", "timestamp", "client_id",
    ]

    private static let types = [
        "sprout_planted", "sprout_watered", "sprout_harvested", "sprout_uprooted", "sprout_edited", "sun_shone",
        "leaf_created", "seedling_created", "seedling_edited", "seedling_deleted", "node_updated", "",
    ]

    @Test("Nothing that an event says stops the derivation", arguments: 1...40)
    func anything(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var garden = GardenReplay()
        for number in 0..<300 {
            let payload = JSON.object(
                Self.keys.compactMap { key in
                    guard Int.random(in: 0..<10, using: &random) > 0 else { return nil }
                    if ["type", "timestamp", "client_id"].contains(key), Bool.random(using: &random) { return nil }
                    return JSON.Member(key, Self.values.randomElement(using: &random) ?? .null)
                })
            let time = Timestamp(
                milliseconds: Int64.random(in: -62_167_219_200_000...253_402_300_799_999, using: &random))
            let type = Self.types.randomElement(using: &random) ?? ""
            garden.append(Event(clientID: "\(number % 250)", type: type, time: time, payload: payload, createdAt: time))
        }
        let calendar = try GardenMaterial.calendar("America/New_York")

        for now in ["0000-01-01T00:00:00Z", "2026-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z"] {
            let now = GardenMaterial.time(now)
            let bytes = Garden.derived(garden, now: now, calendar).canonical
            #expect(try JSON(parsing: bytes).canonical == bytes, "seed \(seed)")
            for range in SoilChart.Range.allCases {
                #expect(SoilChart.points(of: garden.soilHistory, range, now: now, calendar).count < 100, "seed \(seed)")
            }
        }
        #expect((0...120).contains(garden.soil.available) && (10...120).contains(garden.soil.capacity))
        #expect(garden.events.count + garden.skipped.count + garden.others == 300)
    }

    @Test("Numbers without end stay numbers")
    func hugeNumbers() {
        let time = GardenMaterial.time("2026-01-01T10:00:00Z")
        let garden = GardenReplay([
            GardenMaterial.event("a", time, GardenMaterial.planting("s", cost: 1e308)),
            GardenMaterial.event("b", time, GardenMaterial.planting("t", cost: 1e308)),
            GardenMaterial.event("c", time, .uprooted(sprout: "s", soilReturned: -1e308)),
            GardenMaterial.event("d", time, .harvested(sprout: "t", result: 5, capacityGained: 1e308, reflection: nil)),
        ])

        #expect(garden.soil.capacity == 120)
        #expect(garden.soil.available == 120)
        #expect(garden.rawSoilHistory().allSatisfy { $0.available.isFinite && $0.capacity.isFinite })
        #expect(garden.radar().allSatisfy { (0...1).contains($0.score) })
    }

    @Test("A negative cost is no planting, and a negative refund leaves no less than nothing")
    func negative() {
        let time = GardenMaterial.time("2026-01-01T10:00:00Z")
        let garden = GardenReplay([
            GardenMaterial.event("a", time, GardenMaterial.planting("s", cost: -5)),
            GardenMaterial.event("b", time, GardenMaterial.planting("t", cost: 8)),
            GardenMaterial.event("c", time, .uprooted(sprout: "t", soilReturned: -5)),
        ])

        #expect(garden.sprouts.map(\.id) == ["t"])
        #expect(garden.soil.available == 0)
    }

    @Test("Ten thousand sprouts derive, in any order of arrival")
    func many() {
        let begin = GardenMaterial.time("2026-01-01T10:00:00Z").milliseconds
        let events = (0..<10_000).map { number in
            GardenMaterial.event(
                "\(number)", Timestamp(milliseconds: begin + Int64(number)),
                GardenMaterial.planting("s\(number)", cost: 0))
        }
        var random = SeededGenerator(seed: 1)

        let garden = GardenReplay(events.shuffled(using: &random))

        #expect(garden.sprouts.count == 10_000)
        #expect(garden.sprouts.map(\.id) == (0..<10_000).map { "s\($0)" })
    }
}
