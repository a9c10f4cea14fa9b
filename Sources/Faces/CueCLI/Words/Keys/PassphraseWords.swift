import CueCrypto
import CueEngine
import CueTerminal

/// Questions and sentences about passphrases.
enum PassphraseWords {
    static let empty = "the passphrase is empty; nothing was tried"
    static let again = "The same once more: "
    static let neverTheSame = "the two passphrases were not the same, three times; nothing was made"
    static let neverTyped = "what was typed was not these words, three times; nothing was made"
    static let retry = "run the command again: it draws other words"
    static let suggestion = "`cue init --suggest` makes one of six random words, which cannot be guessed"
    static let notShown = "the passphrase cannot be shown; nothing was made"
    static let takeAllTheSame =
        "Take it all the same? [y] yes  [w] no, six random words  [n] no, ask for another one: "
    static let wasVisible = "that is none of the letters, and it was visible on the screen: use it for no passphrase"

    /// The question for the secret of a vault. `number`: which try it is, from 1.
    static func opening(_ location: VaultLocation, _ number: Int) -> String {
        number == 1
            ? "Passphrase or recovery code for \(location): "
            : "That one does not open it; capital letters count, and it may have been removed.\nOnce more (\(number) of 3): "
    }

    /// The question for the passphrase of a new vault. `mistyped`: how often the second typing was another.
    static func choosing(_ mistyped: Int) -> String {
        mistyped == 0
            ? "Choose a passphrase for the new vault (several words are best): "
            : "The two were not the same.\nChoose it once more (\(mistyped + 1) of 3): "
    }

    /// Shows the words, and asks for them.
    static func typing(_ words: RandomWords, _ number: Int) -> String {
        number == 1
            ? shown(words) + "Type it once, with the spaces: "
            : "That is not what stands above. Once more (\(number) of 3): "
    }

    /// The words of a new passphrase.
    static func shown(_ words: RandomWords) -> String {
        """
        The passphrase of the new vault, six random words:

            \(words.text)

        Write it on paper, or keep it in your password manager. cue keeps it nowhere.


        """
    }

    /// `--suggest` with a vault that is there.
    static func chosenAlready(_ location: VaultLocation) -> String {
        "the vault at \(location) is there already, and has its passphrase: --suggest is for a new one"
    }

    /// Who could guess it, and how fast.
    static func weak(_ estimate: PassphraseEstimate) -> String {
        "anyone who gets a copy of the vault, out of a cloud folder or from a lost disk, and rents a few graphics cards "
            + "can guess this passphrase \(time(estimate.seconds))"
    }

    private static func time(_ seconds: Double) -> String {
        let units: [(length: Double, name: String)] = [
            (365 * 86400, "year"), (30 * 86400, "month"), (86400, "day"), (3600, "hour"), (60, "minute"),
        ]
        guard let unit = units.first(where: { seconds >= $0.length }) else {
            return seconds < 1 ? "at once" : "within a minute"
        }
        let count = Int(seconds / unit.length)
        switch count {
        case 100... where unit.name == "year": return "within some centuries, and sooner if they know you"
        case 10... where unit.name == "year": return "within some decades"
        default: return "within about \(Style.count(count, unit.name))"
        }
    }
}
