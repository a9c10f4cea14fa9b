package import CueBase

/// The whole derived state as one JSON value.
///
/// Source: the `expected` values of the vectors. A missing value is absent, never null; `canonical` makes the bytes.
package enum Garden {
    /// Derives everything at `now`. It builds every list of the garden, so it serves people and tests, not each event.
    package static func derived(
        _ garden: GardenReplay, now: Timestamp, _ calendar: GardenCalendar, log: GardenReplay.LogOrder = .time
    ) -> JSON {
        let (sprouts, leaves, seedlings, suns) = (garden.sprouts, garden.leaves, garden.seedlings, garden.suns)
        let today = garden.today(now: now, calendar)
        func ids<Value>(_ values: [Value], by key: (Value) -> String?, _ id: (Value) -> String) -> JSON {
            .object(
                GardenReplay.grouped(values, by: key).map {
                    JSON.Member($0.key, .array($0.values.map { .string(id($0)) }))
                })
        }
        return .fields([
            "soilCapacity": .number(garden.soil.capacity), "soilAvailable": .number(garden.soil.available),
            "sprouts": .object(sprouts.map { JSON.Member($0.id, json($0, calendar)) }),
            "leaves": .object(leaves.map { JSON.Member($0.id, json($0)) }),
            "seedlings": .object(seedlings.map { JSON.Member($0.id, json($0)) }),
            "sunEntries": .array(suns.map { json($0) }),
            "counts": counts(sprouts, leaves: leaves.count, seedlings: seedlings.count, suns: suns.count),
            "sproutIdsByTwig": ids(sprouts, by: \.planting.twig, \.id),
            "activeSproutIdsByTwig": ids(sprouts.filter { $0.state == .active }, by: \.planting.twig, \.id),
            "sproutIdsByLeaf": ids(sprouts, by: \.planting.leaf, \.id),
            "leafIdsByTwig": ids(leaves, by: \.twig, \.id),
            "seedlingIdsByTwig": ids(seedlings, by: \.twig, \.id),
            "leafProgress": .object(garden.leafProgress.map { JSON.Member($0.leaf, json($0.progress)) }),
            "waterAvailable": number(today.water), "sunAvailable": number(today.sun),
            "wateredTodayIds": texts(garden.watered(since: calendar.dailyReset(now), in: log)),
            "wateredThisWeekIds": texts(garden.watered(since: calendar.weeklyReset(now), in: log)),
            "shoneThisWeek": .bool(today.shoneThisWeek),
            "streak": .fields(["current": number(today.streak), "longest": number(today.longestStreak)]),
            "radar": .array(garden.radar(in: log).map { json($0) }),
            "soilLog": .array(garden.soilLog(in: log).map { json($0) }),
            "soilHistory": .array(garden.rawSoilHistory(in: log).map { json($0) }),
            "waterLog": .array(garden.waterLog.map { json($0.entry, $0.sprout) }),
        ])
    }

    private static func number(_ number: Int) -> JSON { .integer(Int64(number)) }

    private static func texts(_ texts: [String]) -> JSON { .array(texts.map { .string($0) }) }

    private static func text(_ text: String?) -> JSON? { text.map { .string($0) } }

    private static func counts(_ sprouts: [Sprout], leaves: Int, seedlings: Int, suns: Int) -> JSON {
        func count(_ state: Sprout.State) -> JSON { number(sprouts.count { $0.state == state }) }
        return .fields([
            "sprouts": number(sprouts.count), "active": count(.active), "completed": count(.completed),
            "uprooted": count(.uprooted), "leaves": number(leaves), "seedlings": number(seedlings),
            "sun": number(suns),
        ])
    }

    private static func json(_ sprout: Sprout, _ calendar: GardenCalendar) -> JSON {
        let planting = sprout.planting
        return .fields([
            "id": .string(sprout.id), "twigId": .string(planting.twig), "title": .string(planting.title),
            "season": .string(planting.season.rawValue), "environment": .string(planting.environment.rawValue),
            "soilCost": .number(planting.soilCost), "leafId": text(planting.leaf),
            "bloomWither": text(planting.bloomWither), "bloomBudding": text(planting.bloomBudding),
            "bloomFlourish": text(planting.bloomFlourish), "project": text(planting.project),
            "state": .string(sprout.state.rawValue),
            "plantedAt": .string(sprout.plantedAt), "harvestedAt": text(sprout.harvestedAt),
            "result": sprout.result.map { .number($0) }, "reflection": text(sprout.reflection),
            "uprootedAt": text(sprout.uprootedAt), "waterEntries": .array(sprout.waterEntries.map { json($0) }),
            "endDate": .string(calendar.endDate(planted: sprout.plantedTime, planting.season).iso8601),
        ])
    }

    private static func json(_ entry: WaterEntry) -> JSON {
        .fields([
            "timestamp": .string(entry.timestamp), "content": .string(entry.content), "prompt": text(entry.prompt),
        ])
    }

    private static func json(_ entry: WaterEntry, _ sprout: Sprout) -> JSON {
        .fields([
            "timestamp": .string(entry.timestamp), "content": .string(entry.content), "prompt": text(entry.prompt),
            "sproutId": .string(sprout.id), "sproutTitle": .string(sprout.planting.title),
            "twigId": .string(sprout.planting.twig),
        ])
    }

    private static func json(_ leaf: Leaf) -> JSON {
        .fields([
            "id": .string(leaf.id), "twigId": .string(leaf.twig), "name": .string(leaf.name),
            "createdAt": .string(leaf.createdAt),
        ])
    }

    private static func json(_ seedling: Seedling) -> JSON {
        .fields([
            "id": .string(seedling.id), "twigId": .string(seedling.twig), "title": .string(seedling.title),
            "notes": text(seedling.notes), "createdAt": .string(seedling.createdAt),
        ])
    }

    private static func json(_ sun: SunEntry) -> JSON {
        .fields([
            "timestamp": .string(sun.timestamp), "content": .string(sun.content), "prompt": text(sun.prompt),
            "twigId": .string(sun.twig), "twigLabel": .string(sun.twigLabel),
        ])
    }

    private static func json(_ progress: GardenReplay.LeafProgress) -> JSON {
        .fields(["done": number(progress.done), "growing": number(progress.growing), "total": number(progress.total)])
    }

    private static func json(_ branch: GardenReplay.BranchScore) -> JSON {
        .fields([
            "score": .number(branch.score), "planted": number(branch.planted), "watered": number(branch.watered),
            "sun": number(branch.sun), "harvested": number(branch.harvested),
        ])
    }

    private static func json(_ entry: GardenReplay.SoilLogEntry) -> JSON {
        .fields([
            "timestamp": .string(entry.timestamp), "amount": .number(entry.amount), "reason": .string(entry.reason),
            "context": text(entry.context),
        ])
    }

    private static func json(_ point: GardenReplay.SoilPoint) -> JSON {
        .fields([
            "timestamp": .string(point.time.iso8601), "capacity": .number(point.capacity),
            "available": .number(point.available),
        ])
    }
}
