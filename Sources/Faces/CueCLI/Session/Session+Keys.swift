import CueEngine
import CueLibrary
import CueVault

extension Session {
    /// Opens the vault and changes its keys, and remembers the new ones where this device remembered the old. Throws
    /// `CueError`.
    static func changingKeys<Result>(
        _ options: VaultOptions, _ body: (VaultContext, OpenLibrary?) throws -> Result
    ) throws -> Result {
        try open(options).changingKeys(body)
    }

    /// The same for a vault that is open.
    func changingKeys<Result>(_ body: (VaultContext, OpenLibrary?) throws -> Result) throws -> Result {
        if isOwnVault { try prepareToStore() }
        return try run { session in
            let result = try body(session.context(), session.isOwnVault ? session.library : nil)
            let state = try StateFolder.standard()
            if try state.keyRing(of: session.vault.id) != nil { try state.remember(session.vault.keyRing) }
            // A removed passphrase must open the vault at no place.
            if session.isOwnVault { try session.keepPlaces(PlaceWords.oldKeys) }
            return result
        }
    }
}
