package import CueBase
package import CueEvents
import CueLibrary
import CueSystem

/// The log of a library. The next backup, sync or watcher brings new events to the vault.
package struct LibraryGardenLog: GardenLog {
    private let library: OpenLibrary
    /// How far `garden` has read.
    private var mark: Int64 = 0

    /// The log as the local store has it.
    package init(of library: OpenLibrary) { self.library = library }

    /// Empty: a library's log has events only.
    package var refused: [EventFile.Refused] { [] }

    /// Replays all events of the library.
    package mutating func garden() throws -> GardenReplay {
        let (garden, mark) = try library.store.read { transaction in
            var garden = GardenReplay()
            try transaction.forEachEvent { garden.append($0) }
            return (garden, try transaction.newestMark())
        }
        self.mark = mark
        return garden
    }

    /// Adds an event in the transaction in which it is decided on, after those that came since `garden` was read.
    package mutating func append(
        to garden: inout GardenReplay, at time: Timestamp, _ make: (GardenReplay) throws -> GardenEvent.Action
    ) throws -> Event {
        let now = library.clock.now
        return try library.store.write { transaction in
            var new = try transaction.events(knownAfter: mark)
            while !new.events.isEmpty {
                for event in new.events { garden.append(event) }
                mark = new.mark
                new = try transaction.events(knownAfter: mark)
            }
            let event = try garden.event(of: try make(garden), at: time, now: now)
            _ = try transaction.add(event)
            garden.append(event)
            mark = try transaction.newestMark()
            return event
        }
    }
}
