import CueBase
import CueCrypto
import CueEngine

/// Sentences about the vault's key slots.
enum KeyWords {
    /// The problems that a backup or sync found, including those that it repaired.
    static func warnings(_ report: KeyWatch.Report) -> [String] { report.troubles.map(sentence) }

    private static func sentence(_ trouble: KeyTrouble) -> String {
        guard trouble.isMended else {
            return trouble.sentence
                + "; on another machine a passphrase or recovery code may open nothing. `cue check` tells more"
        }
        return trouble.sentence
            + (trouble.what == .returned ? "; it was removed again" : "; it was written again as it was")
    }

    /// A question for a passphrase was ended without an answer.
    static let notTried = "stopped; nothing was done"
    /// The same for a new vault.
    static let notMade = "stopped; nothing was made"

    /// A slot that came later, and whose maker is unknown.
    static func unproven(_ slot: String) -> String {
        "\(slot): a key slot came that this device cannot tell the maker of; if nobody with the key of the vault made one, it may go"
    }

    /// Steps for slots that a check finds damaged; empty if there are none.
    static func hints(_ report: KeyWatch.Report, _ library: OpenLibrary?) -> [String] {
        guard !report.troubles.isEmpty else { return [] }
        let folder = library.map { ShellWord.quoted("\($0.path)") } ?? "FOLDER"
        return [
            "the documents are not affected, and what remembers the key goes on; but a passphrase or recovery code may open nothing on another machine",
            "`cue backup \(folder)` writes again what this device has made or opened itself, and a slot that is missing a day after it was first missed; so does any other device that has",
            "`cue key new-code --library \(folder)` makes a new recovery code",
        ]
    }
}

extension KeyTrouble {
    /// One line, in the form of the vault's other problems.
    var sentence: String {
        switch what {
        case .changed: "\(slot): the key slot is not as this device knew it"
        case .missing: "\(slot): the key slot is missing"
        case .returned: "\(slot): the key slot is there again, though another one took its place"
        case .unusable(let error): "\(slot): \(error.words)"
        case .unlisted: "\(slot): the folder cannot be read"
        }
    }
}
