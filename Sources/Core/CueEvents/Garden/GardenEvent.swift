package import CueBase

/// An event that the garden understands (docs/garden.md, Events).
package struct GardenEvent: Hashable, Sendable {
    /// The change that an event makes; subjects are named by their ids.
    package enum Action: Hashable, Sendable {
        // Indirect, as they are two and three times as large as the others, and the rarest.
        indirect case planted(Planting)
        /// `prompt` is the question that the text answers; nil if there was none.
        case watered(sprout: String, content: String, prompt: String?)
        /// `result` is 1 to 5 and need not be whole; `capacityGained` is at least 0.
        case harvested(sprout: String, result: Double, capacityGained: Double, reflection: String?)
        /// `soilReturned` is in units.
        case uprooted(sprout: String, soilReturned: Double)
        indirect case edited(sprout: String, SproutEdit)
        /// `label` is the name of the twig as it was shown.
        case shone(twig: String, label: String, content: String, prompt: String?)
        case leafCreated(leaf: String, twig: String, name: String)
        case seedlingCreated(seedling: String, twig: String, title: String, notes: String?)
        /// Nil leaves a text as it is.
        case seedlingEdited(seedling: String, title: String?, notes: String?)
        case seedlingDeleted(seedling: String)
    }

    /// The members of a planting.
    package struct Planting: Hashable, Sendable {
        /// The ids of sprout and twig, and the title.
        package var sprout, twig, title: String
        /// The time that it is meant to take.
        package var season: SproutSeason
        /// The ground, which decides cost and reward.
        package var environment: SproutEnvironment
        /// The cost in units, at least 0.
        package var soilCost: Double
        /// The id of its leaf; nil in events from before there were leaves.
        package var leaf: String?
        /// The person's descriptions of a poor, a fair and a good end; nil where none was given.
        package var bloomWither, bloomBudding, bloomFlourish: String?
        /// The id of the project whose words may water it; cue's own addition to the event. Nil if there is none.
        package var project: String?

        /// Takes the members unchecked.
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

    /// The changes of an edit; nil leaves a field as it is, and an empty text empties it.
    package struct SproutEdit: Hashable, Sendable {
        /// The new texts; leaf and project by their ids.
        package var title, bloomWither, bloomBudding, bloomFlourish, leaf, project: String?

        /// An edit of the given fields only.
        package init(
            title: String? = nil, bloomWither: String? = nil, bloomBudding: String? = nil,
            bloomFlourish: String? = nil, leaf: String? = nil, project: String? = nil
        ) {
            (self.title, self.leaf, self.project) = (title, leaf, project)
            (self.bloomWither, self.bloomBudding, self.bloomFlourish) = (bloomWither, bloomBudding, bloomFlourish)
        }
    }

    /// The id of the event.
    package let clientID: String
    /// The text form of `time` as it was written.
    package let timestamp: String
    /// The moment at which it happened.
    package let time: Timestamp
    /// The change that it makes.
    package let action: Action

    /// Takes the parts unchecked.
    package init(clientID: String, timestamp: String, time: Timestamp, action: Action) {
        (self.clientID, self.timestamp, self.time, self.action) = (clientID, timestamp, time, action)
    }

    /// Reads an event; throws if it is not the garden's or breaks a rule.
    ///
    /// Type and timestamp are the payload's if it has them, else the event's own. A timestamp of the payload that is
    /// not RFC 3339 gives way to the event's own. The id is always the event's own.
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
        guard let text = value.string else { throw GardenSkip.noText(key) }
        return text.isEmpty ? own : text
    }

    /// The flat form: the payload's members, with type, timestamp and id of the event. Throws if it does not pass
    /// `problem(ofFlat:)`.
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

    /// Applies the origin's gate to a flat event; nil if it passes. The gate takes any text for a timestamp.
    package static func problem(ofFlat event: JSON) -> GardenSkip? {
        guard event.members != nil else { return GardenSkip.notAnObject }
        guard let type = event["type"]?.string else { return GardenSkip.missing("type") }
        guard event["timestamp"]?.string?.isEmpty == false else { return GardenSkip.missing("timestamp") }
        do throws(GardenSkip) {
            let action = try Action(type: type, payload: event)
            // The gate requires a leaf, which reading does not: the first programs planted without one, and their
            // events are still read.
            if case .planted(let planting) = action, planting.leaf == nil { throw GardenSkip.missing("leafId") }
            return nil
        } catch { return error }
    }
}

extension GardenEvent {
    /// The id of the sprout, leaf or seedling that it changes; nil for a sun.
    package var subject: String? {
        switch action {
        case .planted(let planting): planting.sprout
        case .watered(let id, _, _), .harvested(let id, _, _, _), .uprooted(let id, _), .edited(let id, _): id
        case .leafCreated(let id, _, _): id
        case .seedlingCreated(let id, _, _, _), .seedlingEdited(let id, _, _), .seedlingDeleted(let id): id
        case .shone: nil
        }
    }

    /// True for a watering.
    package var isWatering: Bool { if case .watered = action { true } else { false } }

    /// True for a sun.
    package var isSun: Bool { if case .shone = action { true } else { false } }
}

extension Event {
    /// The reason why the garden skips this event; nil if it reads it, and nil for other types.
    package var gardenSkip: GardenSkip? {
        do throws(GardenSkip) {
            _ = try GardenEvent(self)
            return nil
        } catch { return error == .otherType ? nil : error }
    }
}
