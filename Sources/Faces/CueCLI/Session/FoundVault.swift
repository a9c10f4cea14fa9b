import CueBase
import CueEngine
import CueLibrary
import CueSystem

/// The vault of a library that is away from its place, and was found at another.
struct FoundVault {
    let library: OpenLibrary
    let place: VaultLocation
    /// Whether it is only a copy, and lacks what this device has stored or seen since.
    let isOlder: Bool

    /// Looks for the vault of a library; nil if it is nowhere.
    init?(of library: OpenLibrary) {
        guard let search = VaultSearch(of: library, open: { try $0.open(writerName: $1) }),
            let found = (try? search.find()) ?? nil
        else { return nil }
        (self.library, place, isOlder) = (library, .folder(found.path), found.isOlder)
    }

    /// Where it is, and what goes on with it there.
    var hint: String { isOlder ? VaultWords.older(at: place) : VaultWords.found(at: place, of: library.path) }
    private var question: String { VaultWords.question(place, before: library.marker.vault) }

    /// Goes on with the vault at its new place, if a person says yes; else throws `error` with the way to do it. Gives
    /// the library with its new marker.
    func accepted(insteadOf error: CueError) throws -> OpenLibrary {
        var told = error
        told.hints = [hint]
        guard !isOlder, Asking.isAllowed else { throw told }
        guard let answer = Output.ask(question) else { throw NameWords.stopped ?? told }
        guard answer.isEmpty || answer.lowercased().hasPrefix("y") else { throw told }
        let setup = Initialization(
            library.path, place, device: nil, remember: true, state: library.state,
            open: { try $0.open(writerName: $1) })
        guard case .moved = try setup.look() else { throw told }
        _ = try setup.move()
        return try OpenLibrary(at: library.path, state: library.state)
    }
}
