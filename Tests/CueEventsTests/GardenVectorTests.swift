import CueBase
import CueEvents
import CueTestSupport
import Foundation
import Testing

@Suite("The garden's published vectors", .withGardenVectors)
struct GardenVectorTests {
    /// What a recommendation in words, which the vectors cannot compute, makes of the state.
    private static let decided: Set<String> = [
        "soilCapacity", "soilAvailable", "sprouts", "counts", "activeSproutIdsByTwig", "leafProgress", "waterLog",
    ]

    @Test("Events derive what is expected, or what is recommended instead", arguments: GardenVectors.cases("derive"))
    func derive(_ vector: GardenVectors.Case) throws {
        let garden = try GardenVectors.garden(try #require(vector["events"]?.array))

        let derived = Garden.derived(garden, now: try vector.time("now"), try vector.calendar, log: .arrival)

        let recommended = vector["recommended"]
        let passedOver = recommended?["note"] == nil ? [] : Self.decided
        for member in try #require(vector["expected"]?.members) {
            let wanted = recommended?[member.key]
            if wanted == nil && passedOver.contains(member.key) { continue }
            let differences = GardenVectors.differences(derived[member.key], wanted ?? member.value, at: member.key)
            #expect(differences == [], "\(vector)")
        }
        #expect(try JSON(parsing: derived.canonical).canonical == derived.canonical)
    }

    @Test("Planting costs what the table says", arguments: GardenVectors.cases("soilCost"))
    func soilCost(_ vector: GardenVectors.Case) throws {
        let season = try #require(SproutSeason(rawValue: vector.text("season")))
        let environment = try #require(SproutEnvironment(rawValue: vector.text("environment")))

        #expect(season.soilCost(in: environment) == (try vector.number("cost")))
    }

    @Test("A harvest brings the capacity of the formula", arguments: GardenVectors.cases("capacityReward"))
    func capacityReward(_ vector: GardenVectors.Case) throws {
        let season = try #require(SproutSeason(rawValue: vector.text("season")))
        let environment = try #require(SproutEnvironment(rawValue: vector.text("environment")))

        let reward = GardenRules.capacityReward(
            season, environment, result: try vector.number("result"), capacity: try vector.number("currentCapacity"))

        #expect(abs(reward - (vector["reward"]?.double ?? 0)) < 1e-9)
    }

    @Test("An uprooted sprout gives a quarter back", arguments: GardenVectors.cases("uprootRefund"))
    func uprootRefund(_ vector: GardenVectors.Case) throws {
        #expect(
            GardenRules.uprootRefund(soilCost: try vector.number("soilCost")) == (try vector.number("soilReturned")))
    }

    @Test("Days and weeks begin at 06:00 local, whatever the clocks do", arguments: GardenVectors.cases("resetTimes"))
    func resetTimes(_ vector: GardenVectors.Case) throws {
        let (now, calendar) = (try vector.time("now"), try vector.calendar)

        #expect(calendar.dailyReset(now).iso8601 == (try vector.text("todayReset")))
        #expect(calendar.weeklyReset(now).iso8601 == (try vector.text("weekReset")))
        #expect(calendar.nextWaterReset(now).iso8601 == (try vector.text("nextWaterReset")))
        #expect(calendar.nextSunReset(now).iso8601 == (try vector.text("nextSunReset")))
        #expect(calendar.dayKey(now) == (try vector.text("dayKey")))
        #expect(calendar.resetText(calendar.nextWaterReset(now)) == (try vector.text("text")))
    }

    @Test(
        "A sprout is ready at 09:00 of its last day, or exactly a season later",
        arguments: GardenVectors.cases("endDates"))
    func endDates(_ vector: GardenVectors.Case) throws {
        let season = try #require(SproutSeason(rawValue: vector.text("season")))
        let planted = try vector.time("plantedAt")

        #expect(try vector.calendar.endDate(planted: planted, season).iso8601 == (try vector.text("endDate")))
        #expect(
            Timestamp(milliseconds: planted.milliseconds + season.duration).iso8601
                == (try vector.text("readyByDuration")))
    }

    @Test("The gate lets through what it should", arguments: GardenVectors.cases("validate"))
    func validate(_ vector: GardenVectors.Case) throws {
        let problem = GardenEvent.problem(ofFlat: vector["event"] ?? .null)

        #expect((problem == nil) == (vector["valid"]?.bool), "\(String(describing: problem))")
    }

    @Test("A row becomes an event with what its payload says of itself", arguments: GardenVectors.cases("rowToEvent"))
    func rowToEvent(_ vector: GardenVectors.Case) throws {
        let event = try Event(form: try #require(vector["row"]), now: Timestamp(milliseconds: 0))

        let merged = try? GardenEvent.merged(event)

        let expected = vector["event"].flatMap { $0 == .null ? nil : $0 }
        #expect(GardenVectors.differences(merged, expected, at: "event") == [])
    }

    @Test("The standard form of a timestamp has three digits and a Z")
    func timestamps() throws {
        for file in GardenVectors.files {
            let table = file.value["timestamps"]
            for text in try #require(table?["validTimestamps"]?.array).compactMap(\.string) {
                #expect(Timestamp(iso8601: text)?.iso8601 == text)
            }
            for text in try #require(table?["invalidTimestamps"]?.array).compactMap(\.string) {
                #expect(Timestamp(iso8601: text)?.iso8601 != text)
            }
        }
    }

    @Test("The chart has the points of its range", arguments: GardenVectors.cases("soilChart"))
    func soilChart(_ vector: GardenVectors.Case) throws {
        let garden = try GardenVectors.garden(try #require(vector["events"]?.array))
        let range = try #require(SoilChart.Range(rawValue: vector.text("range")))

        let points = SoilChart.points(of: garden.soilHistory, range, now: try vector.time("now"), try vector.calendar)

        let json = JSON.array(
            points.map {
                .fields([
                    "timestamp": .string($0.time.iso8601), "capacity": .number($0.capacity),
                    "available": .number($0.available),
                ])
            })
        #expect(GardenVectors.differences(json, vector["points"], at: "points") == [])
    }

    @Test("The constants are those of the vectors")
    func constants() throws {
        for file in GardenVectors.files {
            let constants = try #require(file.value["constants"])
            let soil = constants["soil"]
            #expect(soil?["startingCapacity"]?.double == GardenRules.startingCapacity)
            #expect(soil?["maxCapacity"]?.double == GardenRules.maxCapacity)
            #expect(soil?["recoveryRates"]?["waterUse"]?.double == GardenRules.recoveryPerWater)
            #expect(soil?["recoveryRates"]?["sunUse"]?.double == GardenRules.recoveryPerSun)
            #expect(soil?["uprootRefundRate"]?.double == GardenRules.uprootRefundRate)
            for season in SproutSeason.allCases {
                let wanted = constants["seasons"]?[season.rawValue]
                #expect(wanted?["durationMs"]?.integer == season.duration)
                #expect(wanted?["baseReward"]?.double == season.baseReward)
            }
        }
    }
}
