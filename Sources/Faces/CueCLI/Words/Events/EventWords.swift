import CueBase
import CueEvents
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

    /// An event in words: what a writer looks for comes first. Nil for a type that cue does not write, and for a payload
    /// that it did not write so.
    static func told(_ event: Event) -> String? {
        let payload = event.payload
        func text(_ key: String) -> String? { payload[key]?.string }
        func count(_ key: String) -> Int64 { payload[key]?.integer ?? 0 }
        switch event.type {
        case "words_written":
            guard let document = text("document") else { return nil }
            let words = count("words")
            // It is noted once the day is over.
            let day = text("day").map { " on \(GardenText.shown($0))" } ?? ""
            return "\(title(document))  \(words < 0 ? "" : "+")\(Style.count(Int(words), "word"))\(day)"
        case "library_saved":
            let counts = ["new", "changed", "renamed", "removed"].filter { count($0) != 0 }
                .map { "\(Style.number(Int(count($0)))) \($0)" }
            guard let snapshot = text("snapshot"), !counts.isEmpty else { return nil }
            return
                "stored  \(counts.joined(separator: ", "))  (snapshot \(GardenText.shown(String(snapshot.prefix(8)))))"
        case "library_restored":
            let from = text("from").map { " as of \(GardenText.shown($0))" } ?? ""
            return "restored  \(Style.count(Int(count("documents")), "document"))\(from)"
        case "conflict_found": return text("document").map { "conflict  \(title($0))" }
        case "conflict_resolved":
            guard let document = text("document"), let keep = text("keep") else { return nil }
            return "conflict answered  \(title(document)), kept \(GardenText.shown(keep))"
        default: return nil
        }
    }

    /// A document by the name that its writer calls it: without folders and ending.
    private static func title(_ document: String) -> String {
        let name = GardenText.shown(document.split(separator: "/").last.map(String.init) ?? document)
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return name }
        return String(name[..<dot])
    }
}
