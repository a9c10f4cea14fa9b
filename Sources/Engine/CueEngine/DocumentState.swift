package import CueBase
import CueLibrary

/// How one document stands. All that are not, or not only, what the vault has of them are told; those that are synced when asked for.
package struct DocumentState: Sendable, Equatable {
    package enum State: String, Sendable, CaseIterable {
        case conflict
        /// It cannot be stored, or nothing can, for a reason that does not go away by itself.
        case error
        /// It kept changing while it was read; stored is what was there then.
        case unsettled
        /// The vault cannot be reached.
        case offline
        case syncing, waiting
        case synced
    }

    package enum Change: String, Sendable { case new, changed, gone }

    /// As it is shown.
    package let path: String
    package let state: State
    /// nil where this device has nothing new of it.
    package let change: Change?
    package var reason: String?
    /// When this device and the vault last came to have the same of it; nil where they never had, or nobody knows.
    package var synced: Timestamp?
}

/// A path as it is shown. Two that differ only in how they spell an é are two; for `String` they are one.
package struct ShownPath: Hashable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }
    init(_ path: RelativePath) { text = Display.text(path) }

    package static func == (one: ShownPath, other: ShownPath) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }
    package func hash(into hasher: inout Hasher) { for byte in text.utf8 { hasher.combine(byte) } }
}

/// What the last sync left undone, as the local store keeps it for `cue status`.
package struct LeftUndone: Sendable, Equatable {
    /// Documents that are gone from the folder, so many that their deletion waits for a word.
    package var heldBack: Set<ShownPath> = []
    /// How many documents other devices deleted, so many that they stay here until somebody says so.
    package var removals = 0
    package var unsettled: Set<ShownPath> = []
    /// Documents of which the vault has something newer that could not be put here, and why.
    package var waiting: [ShownPath: String] = [:]
    package var conflicts: [String] = []
    /// What else it could not do, a line each.
    package var pending: [String] = []
}

extension LocalStore.Transaction {
    func leftUndone() throws -> LeftUndone {
        func lines(_ key: String) throws -> [String] { try text(key)?.split(separator: "\n").map(String.init) ?? [] }
        var left = LeftUndone()
        left.heldBack = Set(try lines("held back").map { ShownPath($0) })
        left.removals = try text("removals held back").flatMap { Int($0) } ?? 0
        left.unsettled = Set(try lines("unsettled").map { ShownPath($0) })
        left.conflicts = try lines("conflicts")
        left.pending = try lines("pending")
        for line in try lines("waiting") {
            let parts = line.split(separator: "\t", maxSplits: 1).map(String.init)
            if parts.count == 2 { left.waiting[ShownPath(parts[0])] = parts[1] }
        }
        return left
    }

    /// What a backup leaves.
    func setLeftUndone(heldBack: [RelativePath], unsettled: [RelativePath]) throws {
        try set("held back", heldBack.map { Display.text($0) }.joined(separator: "\n"))
        try set("unsettled", unsettled.map { Display.text($0) }.joined(separator: "\n"))
    }

    /// What a sync leaves beyond that.
    func setLeftUndone(conflicts: [RelativePath], waiting: [Scan.Skipped], removals: Int) throws {
        try set("conflicts", conflicts.map { Display.text($0) }.joined(separator: "\n"))
        let documents = waiting.filter { !$0.path.isRoot }
        try set("waiting", documents.map { "\(Display.text($0.path))\t\($0.reason)" }.joined(separator: "\n"))
        try set("pending", waiting.filter(\.path.isRoot).map(\.reason).joined(separator: "\n"))
        try set("removals held back", String(removals))
    }
}

extension LibraryStatus {
    /// All documents that are not simply synced, those that need somebody first; then those that are, if they were asked for.
    package var states: [DocumentState] {
        var states = unsynced
        for number in states.indices { states[number].synced = synced[ShownPath(states[number].path)] ?? nil }
        guard isOfAll else { return states }
        let named = Set(states.map { ShownPath($0.path) })
        return states
            + synced.filter { !named.contains($0.key) }.sorted { $0.key.text < $1.key.text }.map { path, time in
                DocumentState(path: path.text, state: .synced, change: nil, synced: time)
            }
    }

    var unsynced: [DocumentState] {
        var states: [DocumentState] = []
        let open = Set(conflicts.map { ShownPath($0) })
        let written = Set((watcher?.waiting ?? []).map { ShownPath($0) })
        for (change, paths) in [(DocumentState.Change.new, new), (.changed, changed), (.gone, gone)] {
            for path in paths.map({ ShownPath($0) }) {
                let (state, reason) = state(
                    of: path, isConflict: open.contains(path), isWritten: written.contains(path))
                states.append(DocumentState(path: path.text, state: state, change: change, reason: reason))
            }
        }
        let named = Set(states.map { ShownPath($0.path) })
        for path in conflicts where !named.contains(ShownPath(path)) {
            states.append(DocumentState(path: path, state: .conflict, change: nil))
        }
        for (path, reason) in left.waiting where !named.contains(path) && !open.contains(path) {
            states.append(DocumentState(path: path.text, state: .waiting, change: nil, reason: reason))
        }
        for skipped in skipped where !named.contains(ShownPath(skipped.path)) {
            states.append(
                DocumentState(path: Display.text(skipped.path), state: .error, change: nil, reason: skipped.reason))
        }
        for path in damaged {
            states.append(DocumentState(path: Display.text(path), state: .error, change: nil, reason: Self.isCutShort))
        }
        let order = Dictionary(uniqueKeysWithValues: zip(DocumentState.State.allCases, 0...))
        return states.sorted { (order[$0.state] ?? 0, $0.path) < (order[$1.state] ?? 0, $1.path) }
    }

    private static let isCutShort = "cut short on this disk, and by no writer; `cue sync` brings it again"

    private func state(of path: ShownPath, isConflict: Bool, isWritten: Bool) -> (DocumentState.State, String?) {
        if isConflict { return (.conflict, nil) }
        if left.heldBack.contains(path) { return (.waiting, "its deletion waits for your word") }
        if left.unsettled.contains(path) { return (.unsettled, "it kept changing while it was read") }
        switch watcher?.phase {
        case .error?: return (.error, watcher?.message)
        case .offline?: return (.offline, nil)
        case _ where isWritten: return (.waiting, "being written")
        case .syncing?, .starting?: return (.syncing, nil)
        default: return (isVaultThere ? .waiting : .offline, left.waiting[path])
        }
    }

    /// Documents that are gone, and whose deletion waits for a word.
    package var heldBack: [RelativePath] { gone.filter { left.heldBack.contains(ShownPath($0)) } }
}
