import CueBase
import CueEngine
import CueEvents
import CueLibrary
import CueSystem
import CueVault

/// The names that this device knows without a vault. Whatever cannot be read is left out: a person is typing.
struct LocalNames {
    /// What may stand at the end of a line.
    struct Candidate: Equatable {
        var text: String
        /// For shells that show more than the text.
        var about = ""
    }

    private let library: OpenLibrary?

    /// `library`: the value of `--library`; without it the library around the current folder. `isElsewhere`: another
    /// vault is named, of which nothing is known here.
    init(library typed: String?, isElsewhere: Bool) {
        guard !isElsewhere, let state = try? StateFolder.standard() else {
            library = nil
            return
        }
        var folder = typed
        if let typed, typed.hasPrefix("~/"), let home = Environment["HOME"] { folder = home + typed.dropFirst() }
        library = try? Session.openLibrary(folder, state)
    }

    /// Documents and folders that begin with `begun`: one step deeper at a time, as shells show files; and documents
    /// anywhere whose own name begins so, as a name may be the end of a path. nil if the library or what it holds is
    /// not known.
    func paths(_ begun: String) -> [String]? {
        let end = begun.lastIndex(of: "/").map { begun.index(after: $0) } ?? begun.startIndex
        let (folder, start) = (String(begun[..<end]), Display.bytes(String(begun[end...])))
        return try? library?.store.read { transaction in
            guard try !transaction.entries(of: .root).isEmpty else { return nil }
            let place =
                folder.isEmpty ? RelativePath.root : RelativePath(trusted: Display.bytes(String(folder.dropLast())))
            let here = try transaction.entries(of: place).filter { $0.name.starts(with: start) }
            var found = here.map { folder + Display.text($0.name) + ($0.kind == .folder ? "/" : "") }
            guard folder.isEmpty, !start.isEmpty else { return found }
            for (path, entries) in try transaction.folders() where path?.isRoot == false {
                for entry in try entries.entries() where entry.kind.isDocument && entry.name.starts(with: start) {
                    found.append(Display.text(entry.name))
                }
            }
            // Of more a person types another letter.
            return Array(Set(found)).sorted().prefix(Self.pathsAtMost).map(\.self)
        }
    }

    private static let pathsAtMost = 500

    /// Documents that were in conflict when this device last synced; by their own names where `begun` is no path.
    func conflicts(_ begun: String) -> [Candidate] {
        let paths = (try? library?.store.read { try $0.value(.conflicts) }) ?? []
        return paths.map { path in
            let name = path.split(separator: "/").last.map(String.init) ?? path
            return Candidate(text: path.hasPrefix(begun) || !name.hasPrefix(begun) ? path : name)
        }
    }

    /// The last snapshots that changed something, the newest first, as the log of events has them; and words for times.
    func snapshots() -> [Candidate] {
        let type = OwnEvent.typesOfSaves.0
        let events = (try? library?.store.read { try $0.lastEvents(30, type: type) }) ?? []
        let saved = events.reversed().compactMap { event -> Candidate? in
            // Events come from other devices too.
            guard let snapshot = event.payload["snapshot"]?.string, snapshot.utf8.count == 16,
                snapshot.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
            else { return nil }
            return Candidate(text: String(snapshot.prefix(8)), about: event.time.shown)
        }
        return saved + ["latest", "yesterday", "today"].map { Candidate(text: $0) }
    }

    func eventTypes() -> [Candidate] {
        ((try? library?.store.read { try $0.eventTypes() }) ?? []).map {
            Candidate(text: EventWords.type($0.type))
        }
    }

    private var garden: GardenReplay? {
        guard let library else { return nil }
        var log = LibraryGardenLog(of: library)
        return try? log.garden()
    }

    /// Sprouts that grow.
    func sprouts() -> [Candidate] {
        (garden?.sprouts ?? []).filter { $0.state == .active }.map {
            Candidate(
                text: GardenText.shown($0.planting.title), about: GardenRules.shownTwig($0.planting.twig))
        }
    }

    func leaves() -> [Candidate] {
        (garden?.leaves ?? []).map {
            Candidate(text: GardenText.shown($0.name), about: GardenRules.shownTwig($0.twig))
        }
    }

    func seedlings() -> [Candidate] {
        (garden?.seedlings ?? []).map {
            Candidate(text: GardenText.shown($0.title), about: GardenRules.shownTwig($0.twig))
        }
    }

    /// All twigs.
    static let twigs = GardenRules.branches.flatMap { branch in
        (0..<GardenRules.twigsPerBranch).map { Candidate(text: "\(branch.lowercased())-\($0)") }
    }
}
