import CueBase
import CueLibrary
import CueSystem

/// What a restore makes under a temporary name, on its way to its own. Removes only what was made here, or was proved to be free to go.
struct Draft {
    let folder: Folder
    let name: [UInt8]
    /// Whether what stands at the name may be removed: it was made here, or it was replaced and is what may be replaced.
    private(set) var mayGo = false

    init(_ name: [UInt8], in folder: Folder, isMade: Bool = false) {
        (self.folder, self.name, mayGo) = (folder, name, isMade)
    }

    // MARK: Make

    mutating func create() throws(SystemError) -> File {
        let file = try folder.create(name)
        mayGo = true
        return file
    }

    mutating func makeLink(to target: [UInt8]) throws(SystemError) {
        try folder.makeLink(name, to: target)
        mayGo = true
    }

    mutating func remove() throws(SystemError) {
        guard mayGo else { return }
        try folder.removeAll(name)
        mayGo = false
    }

    mutating func discard() { try? remove() }

    // MARK: Place

    /// Gives a file or a folder the mode that it has from now on; until then only its owner reads it. `isLasting`: as it is then, it is
    /// durable.
    func finish(mode: UInt16, isLasting: Bool) throws(SystemError) {
        guard let info = try folder.info(of: name) else { throw .notThere }
        switch info.kind {
        case .file:
            if info.mode == mode, !isLasting { return }
            let file = try folder.file(name)
            if info.mode != mode { try file.setMode(mode) }
            if isLasting { try file.synchronize() }
        case .folder:
            let inner = try folder.folder(name)
            try inner.setMode(mode)
            if isLasting { try inner.synchronize() }
        case .symlink, .other: break
        }
    }

    /// Moves it to a name at which nothing stands.
    mutating func place(at target: [UInt8]) throws(SystemError) {
        try folder.renameNew(name, to: folder, target)
        mayGo = false
    }

    /// Changes places with what stands at a name, and looks at that only then: what somebody wrote there meanwhile goes back.
    ///
    /// `prove` throws unless what stands under the temporary name now is what may go.
    mutating func replace(_ target: [UInt8], _ prove: (Standing?) throws(SystemError) -> Void) throws {
        let own = try? Standing(name, in: folder)
        // From here on it may be the work of somebody that stands under the temporary name.
        mayGo = false
        do throws(SystemError) {
            try folder.exchange(name, with: target)
            try prove(Standing(name, in: folder))
            mayGo = true
        } catch {
            putBack(own, target)
            let kept = leftovers()
            guard kept.isEmpty else { throw Kept(names: kept, cause: error) }
            throw error
        }
    }

    private mutating func putBack(_ own: Standing?, _ target: [UInt8]) {
        if holds(own) {
            // Nothing was exchanged.
            mayGo = true
            return
        }
        do { try folder.exchange(name, with: target) } catch {
            // Ours was taken away: then what was there before can go back without an exchange. It never replaces anything.
            try? folder.renameNew(name, to: folder, target)
        }
        // Not ours any more if somebody wrote to it while it stood in the place.
        mayGo = holds(own)
    }

    private func holds(_ own: Standing?) -> Bool {
        guard let own, let now = try? Standing(name, in: folder) else { return false }
        return now.isSame(as: own)
    }

    /// What stands under the temporary name, or was put aside from it by an exchange in steps, and may not go.
    private func leftovers() -> [[UInt8]] {
        guard let names = try? folder.names() else { return mayGo ? [] : [name] }
        return names.filter { $0.starts(with: name) && ($0 != name || !mayGo) }
    }

    /// What somebody wrote could not be put back to where it was, and stays under a name of ours.
    struct Kept: Error {
        let names: [[UInt8]]
        let cause: SystemError

        var reason: String {
            let why = cause == .changedMeanwhile ? "" : " (\(cause.reason))"
            return "it was changed meanwhile\(why); what somebody wrote is kept beside it as "
                + names.map { Display.text($0) }.joined(separator: " and ")
        }
    }
}

/// What stands at a name at one moment.
enum Standing {
    case single(StatKey)
    case folder(BundleListing)

    /// nil if nothing stands there.
    init?(_ name: [UInt8], in folder: Folder) throws(SystemError) {
        guard let info = try folder.info(of: name) else { return nil }
        self = info.kind == .folder ? .folder(try BundleListing(folder.folder(name))) : .single(StatKey(info))
    }

    var isBundle: Bool { if case .folder = self { true } else { false } }

    /// Whether nothing differs but for when it was renamed.
    func isSame(as other: Standing) -> Bool {
        switch (self, other) {
        case (.single(let one), .single(let other)): one.isSameContent(as: other)
        case (.folder(let one), .folder(let other)): one.hasSameContent(as: other)
        default: false
        }
    }
}
