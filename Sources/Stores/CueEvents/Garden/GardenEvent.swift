package import CueBase

/// Why an event is none of the garden's; it stays in the log and derivation passes over it.
package struct GardenSkip: Error, Equatable, Sendable {
    /// A short phrase: `soilCost is no number`.
    package let reason: String

    /// What others wrote into the log, and what later versions of the garden may understand.
    package static let otherType = GardenSkip(reason: "another type")
}

/// An event that the garden understands.
package struct GardenEvent: Hashable, Sendable {
    package enum Action: Hashable, Sendable {
        // Apart, as they are two and three times as large as the others, and the rarest.
        indirect case planted(Planting)
        case watered(sprout: String, content: String, prompt: String?)
        /// `result` is 1 to 5 and need not be whole; `capacityGained` is at least 0.
        case harvested(sprout: String, result: Double, capacityGained: Double, reflection: String?)
        case uprooted(sprout: String, soilReturned: Double)
        indirect case edited(sprout: String, SproutEdit)
        case shone(twig: String, label: String, content: String, prompt: String?)
        case leafCreated(leaf: String, twig: String, name: String)
        case seedlingCreated(seedling: String, twig: String, title: String, notes: String?)
        case seedlingEdited(seedling: String, title: String?, notes: String?)
        case seedlingDeleted(seedling: String)
    }

    package struct Planting: Hashable, Sendable {
        package var sprout, twig, title: String
        package var season: SproutSeason
        package var environment: SproutEnvironment
        /// At least 0.
        package var soilCost: Double
        /// Nil in events from before there were leaves.
        package var leaf: String?
        package var bloomWither, bloomBudding, bloomFlourish: String?
        /// The project whose words may water it, by its id; cue's own addition to the event.
        package var project: String?

        package init(
            sprout: String, twig: String, title: String, season: SproutSeason, environment: SproutEnvironment,
            soilCost: Double, leaf: String?, bloomWither: String? = nil, bloomBudding: String? = nil,
            bloomFlourish: String? = nil, project: String? = nil
        ) {
            self.project = project
            (self.sprout, self.twig, self.title) = (sprout, twig, title)
            (self.season, self.environment, self.soilCost, self.leaf) = (season, environment, soilCost, leaf)
            (self.bloomWither, self.bloomBudding, self.bloomFlourish) = (bloomWither, bloomBudding, bloomFlourish)
        }
    }

    /// What an edit changes; nil leaves a field as it is, and an empty text empties it.
    package struct SproutEdit: Hashable, Sendable {
        package var title, bloomWither, bloomBudding, bloomFlourish, leaf, project: String?

        package init(
            title: String? = nil, bloomWither: String? = nil, bloomBudding: String? = nil,
            bloomFlourish: String? = nil, leaf: String? = nil, project: String? = nil
        ) {
            (self.title, self.leaf, self.project) = (title, leaf, project)
            (self.bloomWither, self.bloomBudding, self.bloomFlourish) = (bloomWither, bloomBudding, bloomFlourish)
        }
    }

    package let clientID: String
    /// As it was written.
    package let timestamp: String
    package let time: Timestamp
    package let action: Action

    package init(clientID: String, timestamp: String, time: Timestamp, action: Action) {
        (self.clientID, self.timestamp, self.time, self.action) = (clientID, timestamp, time, action)
    }

    /// Reads an event. Its type and timestamp are the payload's where that has them, else the event's own; its id is always
    /// the event's own. A payload's timestamp that nobody can read gives way to the event's own.
    package init(_ event: Event) throws(GardenSkip) {
        let members = PayloadMembers(event.payload)
        let type = try Self.text(members, "type", else: event.type)
        let written = try Self.text(members, "timestamp", else: event.clientTimestamp)
        action = try Action(type: type, payload: event.payload)
        clientID = event.clientID
        if written.hasBytes(of: event.clientTimestamp) {
            (timestamp, time) = (written, event.time)
        } else if let own = Timestamp(iso8601: written) {
            (timestamp, time) = (written, own)
        } else {
            (timestamp, time) = (event.clientTimestamp, event.time)
        }
    }

    private static func text(
        _ members: PayloadMembers, _ key: String, else own: String
    ) throws(GardenSkip) -> String {
        guard let value = members[key], value != .null else { return own }
        guard let text = value.string else { throw GardenSkip(reason: "\(key) is no text") }
        return text.isEmpty ? own : text
    }

    /// The flat form after the merge: the payload's members, and what the event's own columns add; for what passes the gate.
    package static func merged(_ event: Event) throws(GardenSkip) -> JSON {
        let read = try GardenEvent(event)
        let rest = event.payload.members?.filter { !["type", "timestamp", "client_id"].contains($0.key) } ?? []
        let flat = JSON.object(
            rest + [
                JSON.Member("type", .string(read.action.type)), JSON.Member("timestamp", .string(read.timestamp)),
                JSON.Member("client_id", .string(read.clientID)),
            ])
        if let problem = problem(ofFlat: flat) { throw problem }
        return flat
    }

    /// The origin's gate: what is wrong with a flat event; nil where nothing is. Any text is a timestamp to it.
    package static func problem(ofFlat event: JSON) -> GardenSkip? {
        guard event.members != nil else { return GardenSkip(reason: "not an object") }
        guard let type = event["type"]?.string else { return GardenSkip(reason: "no type") }
        guard event["timestamp"]?.string?.isEmpty == false else { return GardenSkip(reason: "no timestamp") }
        do throws(GardenSkip) {
            let action = try Action(type: type, payload: event)
            // The first programs planted without one, and what they wrote is still read.
            if case .planted(let planting) = action, planting.leaf == nil { throw GardenSkip(reason: "no leafId") }
            return nil
        } catch { return error }
    }
}

extension GardenEvent {
    /// The sprout, leaf or seedling that it is about; nil for a sun.
    package var subject: String? {
        switch action {
        case .planted(let planting): planting.sprout
        case .watered(let id, _, _), .harvested(let id, _, _, _), .uprooted(let id, _), .edited(let id, _): id
        case .leafCreated(let id, _, _): id
        case .seedlingCreated(let id, _, _, _), .seedlingEdited(let id, _, _), .seedlingDeleted(let id): id
        case .shone: nil
        }
    }

    package var isWatering: Bool { if case .watered = action { true } else { false } }

    package var isSun: Bool { if case .shone = action { true } else { false } }
}

extension Event {
    /// Why the garden passes over it and says so; nil where it reads it, and where it is of another type.
    package var gardenSkip: GardenSkip? {
        do throws(GardenSkip) {
            _ = try GardenEvent(self)
            return nil
        } catch { return error == .otherType ? nil : error }
    }
}
