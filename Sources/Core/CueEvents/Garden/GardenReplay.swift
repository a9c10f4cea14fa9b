package import CueBase

/// The garden, derived from events by replaying them in the order of the log, whatever the order of arrival
/// (docs/garden.md, Replay).
///
/// A sprout, leaf or seedling depends on its own events alone, and so does the effect of an event on the soil. Each
/// event therefore keeps its `Soil.Step`. An event that sorts in the middle replays the events of its subject, and the
/// steps are added up anew.
///
/// Cost: the last event in order is O(1); one in the middle moves 4-byte numbers and sums all steps.
package struct GardenReplay: Sendable {
    /// The events in the order of arrival, with copies.
    package private(set) var events: [GardenEvent] = []
    /// The events of the garden's types that could not be read, in the order of arrival.
    package private(set) var skipped: [(clientID: String, type: String, skip: GardenSkip)] = []
    /// The number of events of other types.
    package private(set) var others = 0
    /// The soil after all events.
    package private(set) var soil = Soil()

    /// Indices of `events` in the order of the log.
    private(set) var order: [Int32] = []
    /// The parts of events that loops over all of them need, as an event is large to copy.
    private(set) var times: [Int64] = []
    private(set) var kinds: [Kind] = []
    private var steps: [Soil.Step] = []
    /// By id: the index of the one event that counts, which is the first in order.
    private var byID: [GardenID: Int32] = [:]

    private var sproutNumbers: [GardenID: Int] = [:]
    private var leafNumbers: [GardenID: Int] = [:]
    private var seedlingNumbers: [GardenID: Int] = [:]
    private(set) var sproutPlots: [Plot<Sprout>] = []
    private(set) var leafPlots: [Plot<Leaf>] = []
    private(set) var seedlingPlots: [Plot<Seedling>] = []

    enum Kind: UInt8 { case watering, sun, other }

    /// A subject with its events.
    struct Plot<Value: Sendable>: Sendable {
        /// Indices of events in the order of the log.
        var events: [Int32] = []
        /// Nil before the event that makes the subject, and after one that removes it.
        var value: Value?
        /// The index of the event that made it, which decides its place in lists.
        var origin: Int32 = 0
    }

    /// An empty garden.
    package init() {}

    /// The garden of all these events.
    package init(_ events: some Sequence<Event>) { append(contentsOf: events) }

    /// Takes an event that arrived now, at its place in the order. An event that cannot be read goes to `skipped` or
    /// `others`.
    package mutating func append(_ event: Event) {
        if let read = read(event) { append(read) }
    }

    /// Takes many events: sorts once, and does not move the rest for each.
    package mutating func append(contentsOf more: some Sequence<Event>) {
        guard more.underestimatedCount > 16 else { return more.forEach { append($0) } }
        let count = events.count + more.underestimatedCount
        events.reserveCapacity(count)
        steps.reserveCapacity(count)
        times.reserveCapacity(count)
        kinds.reserveCapacity(count)
        for event in more { if let event = read(event) { store(event) } }
        rebuild()
    }

    private mutating func read(_ event: Event) -> GardenEvent? {
        do { return try GardenEvent(event) } catch {
            if error == .otherType { others += 1 } else { skipped.append((event.clientID, event.type, error)) }
            return nil
        }
    }

    /// Takes an event that was read already.
    package mutating func append(_ event: GardenEvent) {
        let number = Int32(events.count)
        store(event)
        guard let last = order.last, isBefore(number, last) else {
            order.append(number)
            replayLast(number)
            return
        }
        let place = order.partitioningIndex { isBefore(number, $0) }
        order.insert(number, at: place)
        if let known = byID[GardenID(event.clientID)] {
            // A copy of an earlier arrival. If the copy sorts first, it is the one that counts.
            if isBefore(number, known) { rebuild() }
            return
        }
        byID[GardenID(event.clientID)] = number
        insert(number)
        addUp()
    }

    private mutating func store(_ event: GardenEvent) {
        events.append(event)
        steps.append(.nothing)
        times.append(event.time.milliseconds)
        kinds.append(event.isWatering ? .watering : event.isSun ? .sun : .other)
    }

    /// True if an event sorts before another: by time, then by id, and copies of one event by arrival.
    func isBefore(_ x: Int32, _ y: Int32) -> Bool {
        let (a, b) = (times[Int(x)], times[Int(y)])
        if a != b { return a < b }
        if events[Int(x)].clientID.hasBytes(of: events[Int(y)].clientID) { return x < y }
        return events[Int(x)].clientID.utf8.lexicographicallyPrecedes(events[Int(y)].clientID.utf8)
    }

    private mutating func rebuild() {
        order = (0..<Int32(events.count)).map { $0 }
        let isSorted = zip(order, order.dropFirst()).allSatisfy { isBefore($0, $1) }
        if !isSorted {
            let garden = self
            order.sort { garden.isBefore($0, $1) }
        }
        soil = Soil()
        // A copy that counted until now may not count any more.
        steps = [Soil.Step](repeating: .nothing, count: events.count)
        byID = Dictionary(minimumCapacity: events.count)
        (sproutNumbers, leafNumbers, seedlingNumbers) = ([:], [:], [:])
        (sproutPlots, leafPlots, seedlingPlots) = ([], [], [])
        for number in order { replayLast(number) }
    }

    private mutating func addUp() {
        var soil = Soil()
        for number in order { soil.apply(steps[Int(number)]) }
        self.soil = soil
    }
}

// MARK: One event

extension GardenReplay {
    /// Replays an event that sorts behind all replayed ones.
    private mutating func replayLast(_ number: Int32) {
        let index = Int(number)
        guard Self.claimed(&byID[GardenID(events[index].clientID), default: number]) == number else { return }
        var step = Soil.Step.nothing
        switch events[index].action {
        case .planted, .watered, .harvested, .uprooted, .edited:
            let plot = Self.number(of: events[index].subject ?? "", in: &sproutNumbers, &sproutPlots)
            sproutPlots[plot].events.append(number)
            step = sproutPlots[plot].replay(events[index], number)
        case .shone: step = .gain(GardenRules.recoveryPerSun)
        case .leafCreated(let id, _, _):
            let plot = Self.number(of: id, in: &leafNumbers, &leafPlots)
            leafPlots[plot].events.append(number)
            leafPlots[plot].replay(events[index], number)
        case .seedlingCreated, .seedlingEdited, .seedlingDeleted:
            let plot = Self.number(of: events[index].subject ?? "", in: &seedlingNumbers, &seedlingPlots)
            seedlingPlots[plot].events.append(number)
            seedlingPlots[plot].replay(events[index], number)
        }
        steps[Int(number)] = step
        soil.apply(step)
    }

    /// Reads a place in a dictionary and claims it, hashing the key only once.
    private static func claimed(_ place: inout Int32) -> Int32 { place }

    /// Inserts an event among those of its subject, and replays them.
    private mutating func insert(_ number: Int32) {
        let event = events[Int(number)]
        func place(in numbers: [Int32]) -> Int { numbers.partitioningIndex { isBefore(number, $0) } }
        switch event.action {
        case .planted, .watered, .harvested, .uprooted, .edited:
            let plot = Self.number(of: event.subject ?? "", in: &sproutNumbers, &sproutPlots)
            sproutPlots[plot].events.insert(number, at: place(in: sproutPlots[plot].events))
            sproutPlots[plot].value = nil
            for number in sproutPlots[plot].events {
                steps[Int(number)] = sproutPlots[plot].replay(events[Int(number)], number)
            }
        case .shone: steps[Int(number)] = .gain(GardenRules.recoveryPerSun)
        case .leafCreated(let id, _, _):
            let plot = Self.number(of: id, in: &leafNumbers, &leafPlots)
            leafPlots[plot].events.insert(number, at: place(in: leafPlots[plot].events))
            leafPlots[plot].value = nil
            for number in leafPlots[plot].events { leafPlots[plot].replay(events[Int(number)], number) }
        case .seedlingCreated, .seedlingEdited, .seedlingDeleted:
            let plot = Self.number(of: event.subject ?? "", in: &seedlingNumbers, &seedlingPlots)
            seedlingPlots[plot].events.insert(number, at: place(in: seedlingPlots[plot].events))
            seedlingPlots[plot].value = nil
            for number in seedlingPlots[plot].events { seedlingPlots[plot].replay(events[Int(number)], number) }
        }
    }

    private static func number<Value>(
        of id: String, in numbers: inout [GardenID: Int], _ plots: inout [Plot<Value>]
    ) -> Int {
        let key = GardenID(id)
        if let known = numbers[key] { return known }
        numbers[key] = plots.count
        plots.append(Plot())
        return plots.count - 1
    }

    /// The time of the last event of the subject of `action`, and of the leaf that a planting or edit names.
    ///
    /// Nil if there is none; always for a sun and a new leaf.
    package func newestTime(of action: GardenEvent.Action) -> Timestamp? {
        func last(_ numbers: [Int32]?) -> Int64? { numbers?.last.map { times[Int($0)] } }
        func sprout(_ id: String) -> Int64? { sproutNumbers[GardenID(id)].flatMap { last(sproutPlots[$0].events) } }
        func leaf(_ id: String?) -> Int64? {
            id.flatMap { leafNumbers[GardenID($0)] }.flatMap { last(leafPlots[$0].events) }
        }
        func seedling(_ id: String) -> Int64? {
            seedlingNumbers[GardenID(id)].flatMap { last(seedlingPlots[$0].events) }
        }
        let newest: Int64? =
            switch action {
            case .planted(let planting): leaf(planting.leaf)
            case .watered(let id, _, _), .harvested(let id, _, _, _), .uprooted(let id, _): sprout(id)
            case .edited(let id, let edit): [sprout(id), leaf(edit.leaf)].compactMap(\.self).max()
            case .seedlingCreated(let id, _, _, _), .seedlingEdited(let id, _, _), .seedlingDeleted(let id):
                seedling(id)
            case .shone, .leafCreated: nil
            }
        return newest.map { Timestamp(milliseconds: $0) }
    }

    func step(of number: Int32) -> Soil.Step { steps[Int(number)] }

    /// True if the event is the one of its id that counts.
    func counts(_ number: Int32) -> Bool { byID[GardenID(events[Int(number)].clientID)] == number }

    /// The sprout of an id, also an ended one; nil if it was never planted.
    package func sprout(_ id: String) -> Sprout? { sproutNumbers[GardenID(id)].flatMap { sproutPlots[$0].value } }

    /// The leaf of an id; nil if it was never made.
    package func leaf(_ id: String) -> Leaf? { leafNumbers[GardenID(id)].flatMap { leafPlots[$0].value } }

    /// The seedling of an id; nil if it was never made, or was deleted.
    package func seedling(_ id: String) -> Seedling? {
        seedlingNumbers[GardenID(id)].flatMap { seedlingPlots[$0].value }
    }
}

extension Array {
    /// The index of the first element for which `isBehind` holds, given that it holds for all later ones; `endIndex` if
    /// there is none.
    fileprivate func partitioningIndex(_ isBehind: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
