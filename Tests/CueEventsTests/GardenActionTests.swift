import CueBase
import CueEvents
import CueTestSupport
import Foundation
import Testing

@Suite("What may be done in the garden")
struct GardenActionTests {
    private let now = GardenMaterial.time("2026-01-21T12:00:00Z")

    /// A leaf, and a sprout that was planted for 2 soil.
    private func garden(_ more: [GardenEvent.Action] = []) -> GardenReplay {
        let actions: [GardenEvent.Action] =
            [
                .leafCreated(leaf: "leaf-1", twig: "branch-0-twig-0", name: "Novel"), GardenMaterial.planting("s"),
                GardenMaterial.planting("t", cost: 3),
            ] + more
        return GardenReplay(
            actions.enumerated().map { number, action in
                GardenMaterial.event(
                    "\(number)", Timestamp(milliseconds: now.milliseconds - 3_600_000 + Int64(number)), action)
            })
    }

    private func run(_ action: GardenAction, in garden: GardenReplay) throws -> GardenEvent.Action {
        var random = SeededGenerator(seed: 1)
        return try action.event(in: garden, now: now, GardenMaterial.utc, random: &random)
    }

    private func refusal(_ action: GardenAction, in garden: GardenReplay) -> GardenRefusal? {
        do {
            _ = try run(action, in: garden)
            return nil
        } catch { return error as? GardenRefusal }
    }

    @Test("Planting names its twig, trims its title, costs by season and ground, and gets an id of its kind")
    func plant() throws {
        let leaf = GardenEvent.Action.leafCreated(leaf: "leaf-2", twig: "branch-3-twig-2", name: "Play")

        let action = try run(
            .plant(twig: "hands-2", title: "  Act one\n", .month, .firm, leaf: "leaf-2"), in: garden([leaf]))

        let planting = try #require({ if case .planted(let planting) = action { planting } else { nil } }())
        #expect(planting.twig == "branch-3-twig-2")
        #expect(planting.title == "Act one")
        #expect(planting.soilCost == 5)
        let pattern = /sprout-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/
        #expect(planting.sprout.wholeMatch(of: pattern) != nil, "\(planting.sprout)")
    }

    @Test("A title that is too long, or soil that does not suffice, has the origin's code")
    func plantLimits() {
        let long = String(repeating: "a", count: 61)
        let dear = GardenAction.plant(twig: "core-0", title: "x", .sixMonths, .fertile, leaf: "leaf-1")

        #expect(
            refusal(.plant(twig: "core-0", title: long, .month, .firm, leaf: "leaf-1"), in: garden())?.code == "VAL_001"
        )
        #expect(refusal(dear, in: garden()) == .insufficientSoil(needed: 8, available: 5))
        #expect(refusal(dear, in: garden())?.code == "VAL_002")
        #expect(
            refusal(.plant(twig: "core-0", title: "x", .month, .firm, leaf: "leaf-9"), in: garden())
                == .unknown(.leaf, id: "leaf-9"))
        #expect(
            refusal(.plant(twig: "core-8", title: "x", .month, .firm, leaf: "leaf-1"), in: garden())
                == .noTwig("core-8"))
        #expect(
            refusal(.plant(twig: "hands-2", title: "x", .month, .firm, leaf: "leaf-1"), in: garden())
                == .leafElsewhere(name: "Novel", twig: "branch-0-twig-0"))
        #expect(
            refusal(.plant(twig: "core-0", title: " ", .month, .firm, leaf: "leaf-1"), in: garden())
                == .empty(.title))
    }

    @Test("There are three waters a day, and one for a sprout")
    func water() throws {
        let once = GardenEvent.Action.watered(sprout: "s", content: "x", prompt: nil)
        let other = GardenEvent.Action.watered(sprout: "u", content: "x", prompt: nil)

        #expect(
            try run(.water(sprout: "t", text: " 300 words "), in: garden([once]))
                == .watered(sprout: "t", content: "300 words", prompt: nil))
        #expect(
            refusal(.water(sprout: "s", text: "x"), in: garden([once]))
                == .wateredToday(title: "Draft", reset: "22 Jan, 06:00"))
        let dry = refusal(.water(sprout: "t", text: "x"), in: garden([once, other, other]))
        #expect(dry == .noWater(reset: "22 Jan, 06:00"))
        #expect(dry?.code == "VAL_003")
        #expect(refusal(.water(sprout: "t", text: "\n"), in: garden()) == .empty(.content))
        #expect(refusal(.water(sprout: "x", text: "y"), in: garden()) == .unknown(.sprout, id: "x"))
    }

    @Test("The sun shines once a week")
    func shine() throws {
        let sun = GardenEvent.Action.shone(twig: "branch-0-twig-0", label: "Body", content: "x", prompt: nil)

        #expect(
            try run(.shine(twig: "feet-7", text: "Good"), in: garden())
                == .shone(twig: "branch-7-twig-7", label: "feet-7", content: "Good", prompt: nil))
        let dark = refusal(.shine(twig: "feet-7", text: "Good"), in: garden([sun]))
        #expect(dark == .noSun(reset: "26 Jan, 06:00"))
        #expect(dark?.code == "VAL_004")
    }

    @Test("A harvest brings capacity by the formula, once")
    func harvest() throws {
        let done = GardenEvent.Action.harvested(sprout: "s", result: 5, capacityGained: 1, reflection: nil)

        let action = try run(.harvest(sprout: "s", result: 4, reflection: " ", early: true), in: garden())

        let gained = GardenRules.capacityReward(.twoWeeks, .fertile, result: 4, capacity: 10)
        #expect(action == .harvested(sprout: "s", result: 4, capacityGained: gained, reflection: nil))
        #expect(refusal(.harvest(sprout: "s", result: 6), in: garden()) == .noSuchResult(6))
        #expect(
            refusal(.harvest(sprout: "s", result: 4), in: garden([done]))
                == .notGrowing(title: "Draft", state: .completed))
        #expect(
            refusal(.harvest(sprout: "s", result: 4), in: garden()) == .notReady(title: "Draft", day: "4 Feb 2026"))
        #expect(GardenRules.capacityReward(.year, .barren, result: 5, capacity: 121) == 0)
    }

    @Test("Uprooting gives a quarter back, and edits change only what they name")
    func others() throws {
        #expect(try run(.uproot(sprout: "t"), in: garden()) == .uprooted(sprout: "t", soilReturned: 0.75))
        #expect(
            try run(.edit(sprout: "t", GardenEvent.SproutEdit(title: " New ")), in: garden())
                == .edited(sprout: "t", GardenEvent.SproutEdit(title: "New")))
        #expect(refusal(.edit(sprout: "t", GardenEvent.SproutEdit()), in: garden()) == .nothingToChange)
        #expect(
            refusal(.makeLeaf(twig: "core-0", name: String(repeating: "x", count: 41)), in: garden())?.code == "VAL_001"
        )
        #expect(
            refusal(.makeSeedling(twig: "core-0", title: "x", notes: String(repeating: "x", count: 201)), in: garden())?
                .code == "VAL_001")
        #expect(refusal(.deleteSeedling("x"), in: garden()) == .unknown(.seedling, id: "x"))
    }
}
