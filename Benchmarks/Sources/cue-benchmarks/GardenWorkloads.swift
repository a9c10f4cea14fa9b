import CueBase
import CueEvents
import Foundation

/// The garden of a log of 100,000 events, as ten years of several writers would make it.
extension Workload {
    static let garden = [gardenReplay, gardenReading, gardenToday, gardenNext, gardenMiddle]

    private static let calendar = GardenCalendar(TimeZone(identifier: "Europe/Lisbon") ?? .gmt)

    private static let gardenReplay = Workload(name: "garden", unit: "event") { scale in
        let events = Material.gardenEvents(scale.events)
        return Job(units: events.count) { GardenReplay(events) }
    }

    /// With the payloads still in bytes, as a log keeps them.
    private static let gardenReading = Workload(name: "garden, from bytes", unit: "event") { scale in
        let stored = Material.gardenEvents(scale.events).map { ($0, $0.payload.canonical) }
        return Job(units: stored.count) {
            GardenReplay(
                try stored.map { event, payload in
                    Event(
                        clientID: event.clientID, type: event.type, time: event.time,
                        clientTimestamp: event.clientTimestamp, payload: try JSON(parsing: payload),
                        createdAt: event.createdAt)
                })
        }
    }

    private static let gardenToday = Workload(name: "garden, today", unit: "event") { scale in
        let garden = GardenReplay(Material.gardenEvents(scale.events))
        return Job(units: scale.events) { garden.today(now: Material.gardenEnd, calendar) }
    }

    /// A new event, and what is shown after it.
    private static func more(_ name: String, _ place: @escaping @Sendable ([Event]) -> [Event]) -> Workload {
        Workload(name: name, unit: "event") { scale in
            let all = Material.gardenEvents(scale.events)
            let more = place(all)
            let ids = Set(more.map(\.clientID))
            let garden = GardenReplay(all.filter { !ids.contains($0.clientID) })
            return Job(units: more.count) {
                var garden = garden
                for event in more {
                    garden.append(event)
                    _ = garden.today(now: Material.gardenEnd, calendar)
                }
                return garden.soil
            }
        }
    }

    private static let gardenNext = more("garden, next event") { $0.suffix(50) }

    private static let gardenMiddle = more("garden, earlier event") { all in
        stride(from: all.count / 100, to: all.count, by: all.count / 50).map { all[$0] }
    }
}

extension Material {
    static let gardenEnd = Timestamp(milliseconds: 1_800_000_000_000)

    /// Plantings, many waterings of what grows, suns, harvests, uprootings; 40 minutes apart.
    static func gardenEvents(_ count: Int) -> [Event] {
        var random = SplitMix(state: 4)
        var growing: [String] = []
        let begin = gardenEnd.milliseconds - Int64(count) * 2_400_000
        return (0..<count).map { number in
            let time = Timestamp(milliseconds: begin + Int64(number) * 2_400_000)
            let action: GardenEvent.Action
            switch Int.random(in: 0..<100, using: &random) {
            case _ where growing.count < 3, 0..<8:
                let id = "sprout-\(hex(&random))-4000-8000-\(hex(&random))"
                growing.append(id)
                action = .planted(
                    GardenEvent.Planting(
                        sprout: id, twig: "branch-\(number % 8)-twig-\(number % 7)", title: "Chapter \(number)",
                        season: .twoWeeks, environment: .fertile, soilCost: 2, leaf: "leaf-1",
                        bloomFlourish: "All of it in one draft"))
            case 8..<14:
                action = .harvested(
                    sprout: growing.removeFirst(), result: Double(1 + number % 5), capacityGained: 0.01,
                    reflection: "It went as it should have gone, mostly.")
            case 14..<16: action = .uprooted(sprout: growing.removeFirst(), soilReturned: 0.5)
            case 16..<20:
                action = .shone(
                    twig: "branch-\(number % 8)-twig-0", label: "Movement", content: "A week of walking.", prompt: nil)
            default:
                action = .watered(
                    sprout: growing[Int.random(in: 0..<growing.count, using: &random)],
                    content: "Five hundred words on the bridge, and two pages thrown away.",
                    prompt: "What did you work on?")
            }
            return Event(
                clientID: "\(time.iso8601)-\(hex(&random))", type: action.type, time: time, payload: action.payload,
                createdAt: time)
        }
    }

    private static func hex(_ random: inout SplitMix) -> String {
        let digits = String(UInt32(truncatingIfNeeded: random.next()), radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
