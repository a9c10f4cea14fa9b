package import CueBase

/// The ten types as a log has them: `type` and `payload` (docs/garden.md, Events).
extension GardenEvent.Action {
    /// The `type` in the log.
    package var type: String {
        switch self {
        case .planted: "sprout_planted"
        case .watered: "sprout_watered"
        case .harvested: "sprout_harvested"
        case .uprooted: "sprout_uprooted"
        case .edited: "sprout_edited"
        case .shone: "sun_shone"
        case .leafCreated: "leaf_created"
        case .seedlingCreated: "seedling_created"
        case .seedlingEdited: "seedling_edited"
        case .seedlingDeleted: "seedling_deleted"
        }
    }

    /// Reads the form in a log: known types, required members, enumerations and limits.
    ///
    /// Unknown members are ignored, and so is an optional member that is not a text. `GardenEvent.problem(ofFlat:)` is
    /// stricter. Throws `.otherType` for a type that is not the garden's, else the reason.
    package init(type: String, payload: JSON) throws(GardenSkip) {
        let members = PayloadMembers(payload)
        switch type {
        case "sprout_planted": self = .planted(try .init(members))
        case "sprout_watered":
            self = .watered(
                sprout: try members.text("sproutId"), content: try members.text("content"),
                prompt: members.optional("prompt"))
        case "sprout_harvested":
            let result = try members.number("result")
            guard (1...5).contains(result) else { throw GardenSkip.result }
            self = .harvested(
                sprout: try members.text("sproutId"), result: result,
                capacityGained: try members.amount("capacityGained"), reflection: members.optional("reflection"))
        case "sprout_uprooted":
            self = .uprooted(sprout: try members.text("sproutId"), soilReturned: try members.number("soilReturned"))
        case "sprout_edited": self = .edited(sprout: try members.text("sproutId"), .init(members))
        case "sun_shone":
            self = .shone(
                twig: try members.text("twigId"), label: try members.text("twigLabel"),
                content: try members.text("content"), prompt: members.optional("prompt"))
        case "leaf_created":
            self = .leafCreated(
                leaf: try members.text("leafId"), twig: try members.text("twigId"), name: try members.text("name"))
        case "seedling_created":
            self = .seedlingCreated(
                seedling: try members.text("seedlingId"), twig: try members.text("twigId"),
                title: try members.text("title", atMost: GardenRules.titleLimit), notes: members.optional("notes"))
        case "seedling_edited":
            self = .seedlingEdited(
                seedling: try members.text("seedlingId"),
                title: try members.edit("title", atMost: GardenRules.titleLimit),
                notes: try members.edit("notes", atMost: GardenRules.notesLimit))
        case "seedling_deleted": self = .seedlingDeleted(seedling: try members.text("seedlingId"))
        default: throw .otherType
        }
    }

    /// The `payload` in the log, which `init` reads back.
    package var payload: JSON {
        func text(_ text: String?) -> JSON? { text.map { .string($0) } }
        return switch self {
        case .planted(let planting): planting.payload
        case .watered(let sprout, let content, let prompt):
            .fields(["sproutId": .string(sprout), "content": .string(content), "prompt": text(prompt)])
        case .harvested(let sprout, let result, let gained, let reflection):
            .fields([
                "sproutId": .string(sprout), "result": .number(result), "capacityGained": .number(gained),
                "reflection": text(reflection),
            ])
        case .uprooted(let sprout, let returned):
            .fields(["sproutId": .string(sprout), "soilReturned": .number(returned)])
        case .edited(let sprout, let edit):
            .fields([
                "sproutId": .string(sprout), "title": text(edit.title), "bloomWither": text(edit.bloomWither),
                "bloomBudding": text(edit.bloomBudding), "bloomFlourish": text(edit.bloomFlourish),
                "leafId": text(edit.leaf), "project": text(edit.project),
            ])
        case .shone(let twig, let label, let content, let prompt):
            .fields([
                "twigId": .string(twig), "twigLabel": .string(label), "content": .string(content),
                "prompt": text(prompt),
            ])
        case .leafCreated(let leaf, let twig, let name):
            .fields(["leafId": .string(leaf), "twigId": .string(twig), "name": .string(name)])
        case .seedlingCreated(let seedling, let twig, let title, let notes):
            .fields([
                "seedlingId": .string(seedling), "twigId": .string(twig), "title": .string(title), "notes": text(notes),
            ])
        case .seedlingEdited(let seedling, let title, let notes):
            .fields(["seedlingId": .string(seedling), "title": text(title), "notes": text(notes)])
        case .seedlingDeleted(let seedling): .fields(["seedlingId": .string(seedling)])
        }
    }
}

extension GardenEvent.Planting {
    fileprivate init(_ members: PayloadMembers) throws(GardenSkip) {
        (sprout, twig) = (try members.text("sproutId"), try members.text("twigId"))
        title = try members.text("title")
        guard let season = SproutSeason(rawValue: try members.text("season")) else {
            throw GardenSkip.season
        }
        guard let environment = SproutEnvironment(rawValue: try members.text("environment")) else {
            throw GardenSkip.environment
        }
        (self.season, self.environment) = (season, environment)
        soilCost = try members.amount("soilCost")
        leaf = try members.edit("leafId", atMost: .max)
        bloomWither = members.optional("bloomWither")
        bloomBudding = members.optional("bloomBudding")
        bloomFlourish = members.optional("bloomFlourish")
        project = members.optional("project")
    }

    fileprivate var payload: JSON {
        func text(_ text: String?) -> JSON? { text.map { .string($0) } }
        return .fields([
            "sproutId": .string(sprout), "twigId": .string(twig), "title": .string(title),
            "season": .string(season.rawValue), "environment": .string(environment.rawValue),
            "soilCost": .number(soilCost), "leafId": text(leaf), "bloomWither": text(bloomWither),
            "bloomBudding": text(bloomBudding), "bloomFlourish": text(bloomFlourish), "project": text(project),
        ])
    }
}

extension GardenEvent.SproutEdit {
    fileprivate init(_ members: PayloadMembers) {
        title = members.optional("title")
        bloomWither = members.optional("bloomWither")
        bloomBudding = members.optional("bloomBudding")
        bloomFlourish = members.optional("bloomFlourish")
        project = members.optional("project")
        leaf = members.optional("leafId")
    }
}
