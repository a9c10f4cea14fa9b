/// What the value of an argument or option is, for a shell that completes it.
enum CompletedValue: Equatable {
    /// A document or a folder of the library.
    case document
    /// A document in conflict; with `--undo` any.
    case conflict
    /// A snapshot, or a word for a time.
    case snapshot
    /// A file or folder of this machine, which shells complete themselves.
    case file, folder
    /// One of these words, and perhaps others.
    case words([String])
    case sprout, leaf, seedling, twig
    case eventType
    /// Anything: a text, a number, an id that only the vault knows.
    case text

    /// The value of an argument that the help of a command shows; nil if the tables have none.
    /// `command`: its path without `cue`.
    static func of(_ argument: CommandInfo.Argument, _ command: [String]) -> CompletedValue? {
        if let values = argument.allValues { return .words(values) }
        let name = argument.key
        return inCommand[(command + [name]).joined(separator: " ")] ?? byName[name]
    }

    /// By the name of the argument, or the long name of the option.
    private static let byName: [String: CompletedValue] = [
        "folder": .folder, "vault": .folder, "library": .folder, "to": .folder,
        "passphrase-file": .file, "new-passphrase-file": .file, "output": .file, "key": .file, "svg": .file,
        "events": .file, "file": .file,
        "name": .document, "names": .document, "snooze": .document, "project": .document,
        "old": .snapshot, "new": .snapshot, "snapshot": .snapshot, "at": .snapshot,
        "object-lock": .words(["30d", "90d", "365d"]),
        "debounce": .words(["10s", "30s", "1m", "5m"]), "poll": .words(["30s", "60s", "5m"]),
        "verify-days": .words(["0", "7", "30", "90"]), "nudge": .words(["daily", "afterInactivity", "off"]),
        "deadline": .words(["none", "tomorrow"]), "inactivity-hours": .words(["24", "48", "168"]),
        "duration": .words(["30m", "1h", "2h", "tomorrow"]), "result": .words(["1", "2", "3", "4", "5"]),
        "sprout": .sprout, "leaf": .leaf, "seedling": .seedling, "twig": .twig, "on": .twig, "type": .eventType,
        "limit-up": .words(["500K", "2M"]), "limit-down": .words(["500K", "2M"]),
        "version": .text, "limit": .text, "last": .text, "words": .text, "payload": .text, "feature": .text,
        "title": .text, "text": .text, "prompt": .text, "reflection": .text, "label": .text, "notes": .text,
        "wither": .text, "budding": .text, "flourish": .text, "now": .text, "zone": .text, "plan": .text,
        "account": .text, "device": .text, "ttl": .text, "expires": .text, "issued": .text, "remove": .text,
        "slot": .text, "state": .text, "since": .words(["yesterday", "now"]),
    ]

    /// Where a command means something else by a name.
    private static let inCommand: [String: CompletedValue] = [
        "init name": .text, "resolve name": .conflict, "garden leaf name": .text, "device shut-out name": .text,
        "restore file": .text, "copy from": .folder, "copy to": .folder,
        "vault add place": .folder, "vault remove place": .folder,
        "events add at": .words(["yesterday", "now"]), "project set at": .words(["9:00", "21:00"]),
    ]
}
