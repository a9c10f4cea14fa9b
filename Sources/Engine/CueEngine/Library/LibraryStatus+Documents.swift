package import CueBase
import CueLibrary
import CueVault

extension LibraryStatus {
    /// All documents that are not synced, the most urgent state first; then the synced ones, if the status is of all.
    package var states: [DocumentStatus] {
        var states = unsynced
        for number in states.indices { states[number].synced = synced[ShownPath(states[number].path)] ?? nil }
        guard isOfAll else { return states }
        let named = Set(states.map { ShownPath($0.path) })
        return states
            + synced.filter { !named.contains($0.key) }.sorted { $0.key.text < $1.key.text }.map { path, time in
                DocumentStatus(path: path.text, state: .synced, change: nil, synced: time)
            }
    }

    /// All documents in a state other than `synced`, without the time of their last sync.
    var unsynced: [DocumentStatus] {
        var states: [DocumentStatus] = []
        let open = Set(conflicts.map { ShownPath($0) })
        let written = Set((watcher?.waiting ?? []).map { ShownPath($0) })
        for (change, paths) in [(DocumentStatus.Change.new, new), (.changed, changed), (.gone, gone)] {
            for path in paths.map({ ShownPath($0) }) {
                let (state, reason) = state(
                    of: path, isConflict: open.contains(path), isWritten: written.contains(path))
                states.append(DocumentStatus(path: path.text, state: state, change: change, reason: reason))
            }
        }
        let named = Set(states.map { ShownPath($0.path) })
        for path in conflicts where !named.contains(ShownPath(path)) {
            states.append(DocumentStatus(path: path, state: .conflict, change: nil))
        }
        for (path, reason) in left.waiting where !named.contains(path) && !open.contains(path) {
            states.append(DocumentStatus(path: path.text, state: .waiting, change: nil, reason: .skipped(reason)))
        }
        for skipped in skipped {
            let path = ShownPath(skipped.path ?? .root)
            guard !named.contains(path) else { continue }
            states.append(
                DocumentStatus(path: path.text, state: .error, change: nil, reason: .skipped(skipped.reason)))
        }
        for path in damaged {
            states.append(DocumentStatus(path: Display.text(path), state: .error, change: nil, reason: .cutShort))
        }
        let order = Dictionary(uniqueKeysWithValues: zip(DocumentStatus.State.allCases, 0...))
        return states.sorted { (order[$0.state] ?? 0, $0.path) < (order[$1.state] ?? 0, $1.path) }
    }

    /// The state of a document that is new, changed or gone here.
    private func state(
        of path: ShownPath, isConflict: Bool, isWritten: Bool
    ) -> (DocumentStatus.State, DocumentStatus.Reason?) {
        if isConflict { return (.conflict, nil) }
        if left.heldBack.contains(path) { return (.waiting, .deletionHeldBack) }
        if left.unsettled.contains(path) { return (.unsettled, .keptChanging) }
        switch watcher?.phase {
        case .error?: return (.error, .watcherFails)
        case .offline?: return (.offline, nil)
        case _ where isWritten: return (.waiting, .beingWritten)
        case .syncing?, .starting?: return (.syncing, nil)
        default: return (isVaultThere ? .waiting : .offline, left.waiting[path].map { .skipped($0) })
        }
    }

    /// Documents that are gone from the folder, and whose deletion waits for a person's consent.
    package var heldBack: [RelativePath] { gone.filter { left.heldBack.contains(ShownPath($0)) } }

    /// Forgets what does not concern a folder or document. `known`: what this folder had at the last backup or sync.
    mutating func keep(_ below: RelativePath, of known: [LocalProject]) {
        self.below = below
        let isHere = { (path: RelativePath) in path.concerns(below) }
        let (folder, inside) = (Display.text(below), Display.text(below) + "/")
        let isShownHere = { (path: String) in path == folder || path.hasPrefix(inside) }
        (new, changed, gone) = (new.filter(isHere), changed.filter(isHere), gone.filter(isHere))
        renamed.removeAll { !isHere($0.from) && !isHere($0.to) }
        skipped.removeAll { !($0.path ?? .root).concerns(below) }
        (damaged, drafts) = (damaged.filter(isHere), drafts.filter(isHere))
        left.waiting = left.waiting.filter { isShownHere($0.key.text) }
        left.conflicts.removeAll { !isShownHere($0) }
        synced = synced.filter { isShownHere($0.key.text) }
        documents = known.count { $0.kind.isDocument && isHere($0.path) } - gone.count + new.count
    }
}

extension RelativePath {
    /// Whether it is `place`, in it, or around it; also if `place` is nil, the library.
    func concerns(_ place: RelativePath?) -> Bool {
        guard let place else { return true }
        return self == place || isInside(place) || place.isInside(self)
    }
}
