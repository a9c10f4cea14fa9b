import CueBase
import CueTerminal

/// Sentences about events that several commands use.
enum EventWords {
    /// A type for a line. It may be anyone's text, so line ends in it are escaped.
    static func type(_ type: String) -> String { Display.text(type.utf8) }

    /// A number of entries that are no events.
    static func setAside(_ count: Int) -> String {
        let verbs = count == 1 ? "is no event and was" : "are no events and were"
        return "\(Style.number(count)) came that \(verbs) set aside; `cue events list --aside` shows why"
    }

    /// `a batch of events`, `3 batches of events`.
    static func batches(_ count: Int) -> String {
        count == 1 ? "a batch of events" : "\(Style.number(count)) batches of events"
    }

    /// A number of batches that the vault lost.
    static func lost(_ batches: Int) -> String {
        "the vault lost \(Self.batches(batches)) that it had; what this device knows of them was stored again"
    }
}
