import CueBase
import CueEvents
import CueTestSupport
import Foundation
import Testing

/// Gardens for tests.
enum GardenMaterial {
    static let utc = GardenCalendar(.gmt)

    static func calendar(_ zone: String) throws -> GardenCalendar {
        GardenCalendar(try #require(TimeZone(identifier: zone), "no zone \(zone)"))
    }

    static func time(_ text: String) -> Timestamp { Timestamp(iso8601: text) ?? Timestamp(milliseconds: 0) }

    static func event(_ id: String, _ time: Timestamp, _ action: GardenEvent.Action) -> Event {
        Event(clientID: id, type: action.type, time: time, payload: action.payload, createdAt: time)
    }

    static func event(_ id: String, _ time: String, _ action: GardenEvent.Action) -> Event {
        event(id, Self.time(time), action)
    }

    static func planting(_ sprout: String, cost: Double = 2, title: String = "Draft") -> GardenEvent.Action {
        .planted(
            GardenEvent.Planting(
                sprout: sprout, twig: "branch-0-twig-0", title: title, season: .twoWeeks, environment: .fertile,
                soilCost: cost, leaf: "leaf-1"))
    }

    /// Events about few things at few moments, so that many of them meet.
    static func random(_ count: Int, _ random: inout SeededGenerator) -> [Event] {
        (0..<count).map { number in
            let hours = Int64.random(in: 0..<1_000, using: &random)
            let time = Timestamp(milliseconds: 1_770_000_000_000 + hours * 3_600_000)
            let sprout = "sprout-\(Int.random(in: 0..<6, using: &random))"
            let thing = Int.random(in: 0..<3, using: &random)
            let twig = "branch-\(Int.random(in: 0..<9, using: &random))-twig-0"
            let action: GardenEvent.Action
            switch Int.random(in: 0..<12, using: &random) {
            case 0, 1:
                action = .planted(
                    GardenEvent.Planting(
                        sprout: sprout, twig: twig, title: "Title \(number)", season: .month, environment: .firm,
                        soilCost: Double(Int.random(in: 0..<6, using: &random)), leaf: "leaf-\(thing)"))
            case 2: action = .harvested(sprout: sprout, result: 3, capacityGained: 0.123, reflection: "R \(number)")
            case 3: action = .uprooted(sprout: sprout, soilReturned: 1.25)
            case 4: action = .edited(sprout: sprout, GardenEvent.SproutEdit(title: "Edit \(number)"))
            case 5: action = .shone(twig: twig, label: "Label", content: "Sun \(number)", prompt: nil)
            case 6: action = .leafCreated(leaf: "leaf-\(thing)", twig: twig, name: "Leaf \(number)")
            case 7:
                action = .seedlingCreated(
                    seedling: "seedling-\(thing)", twig: twig, title: "Idea \(number)", notes: nil)
            case 8: action = .seedlingEdited(seedling: "seedling-\(thing)", title: nil, notes: "Note \(number)")
            case 9: action = .seedlingDeleted(seedling: "seedling-\(thing)")
            default: action = .watered(sprout: sprout, content: "Water \(number)", prompt: nil)
            }
            return event("id-\(number)", time, action)
        }
    }
}
