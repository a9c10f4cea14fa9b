import CueBase
import CueLibrary
import CueSystem

/// A file or bundle that is built under a temporary name before it replaces the real one. It deletes only what it
/// created, or what `prove` confirmed to be replaceable.
struct StagedItem {
    /// Where it is built and placed.
    let folder: Folder
    /// Its temporary name.
    let name: [UInt8]
    /// Whether the item under the temporary name may be removed: it was made here, or it was replaced and `prove`
    /// confirmed it.
    private(set) var mayGo = false

    /// `isMade`: the item exists already, and was made here.
    init(_ name: [UInt8], in folder: Folder, isMade: Bool = false) {
        (self.folder, self.name, mayGo) = (folder, name, isMade)
    }

    // MARK: Make

    /// Makes an empty file, and returns it open.
    mutating func create() throws(SystemError) -> File {
        let file = try folder.create(name)
        mayGo = true
        return file
    }

    /// Makes a symbolic link.
    mutating func makeLink(to target: [UInt8]) throws(SystemError) {
        try folder.makeLink(name, to: target)
        mayGo = true
    }

    /// Removes the item, if it may go.
    mutating func remove() throws(SystemError) {
        guard mayGo else { return }
        try folder.removeAll(name)
        mayGo = false
    }

    /// Like `remove`, without an error.
    mutating func discard() { try? remove() }

    // MARK: Place

    /// Gives a file or a folder its final mode; until then only its owner can read it. `isLasting`: makes it durable as
    /// well.
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

    /// Renames it. Throws if something has that name already.
    mutating func place(at target: [UInt8]) throws(SystemError) {
        try folder.renameNew(name, to: folder, target)
        mayGo = false
    }

    /// Exchanges it with the item at `target`, and looks at that only then: what was written there meanwhile goes back.
    ///
    /// `prove` throws unless the item that is now under the temporary name may be removed. Throws `Kept` if an item
    /// could not be put back.
    mutating func replace(_ target: [UInt8], _ prove: (PathOccupant?) throws(SystemError) -> Void) throws {
        let own = try? PathOccupant(name, in: folder)
        // From here on a person's work may be under the temporary name.
        mayGo = false
        do throws(SystemError) {
            try folder.exchange(name, with: target)
            try prove(PathOccupant(name, in: folder))
            mayGo = true
        } catch {
            putBack(own, target)
            let kept = leftovers()
            guard kept.isEmpty else { throw Kept(names: kept, cause: error) }
            throw error
        }
    }

    /// Undoes the exchange, as far as that replaces nothing.
    private mutating func putBack(_ own: PathOccupant?, _ target: [UInt8]) {
        if holds(own) {
            // Nothing was exchanged.
            mayGo = true
            return
        }
        do { try folder.exchange(name, with: target) } catch {
            // Our item was taken away: the old one can go back without an exchange. It never replaces anything.
            try? folder.renameNew(name, to: folder, target)
        }
        // No longer ours if it was written to while it was in the place.
        mayGo = holds(own)
    }

    /// Whether the item under the temporary name is `own`, unchanged.
    private func holds(_ own: PathOccupant?) -> Bool {
        guard let own, let now = try? PathOccupant(name, in: folder) else { return false }
        return now.isSame(as: own)
    }

    /// Names of items that may not go: under the temporary name, or put aside from it by an exchange in steps.
    private func leftovers() -> [[UInt8]] {
        guard let names = try? folder.names() else { return mayGo ? [] : [name] }
        return names.filter { $0.starts(with: name) && ($0 != name || !mayGo) }
    }

    /// A person's change could not be put back, and stays under a temporary name.
    struct Kept: Error {
        /// The names under which it stays.
        let names: [[UInt8]]
        /// The error of the exchange.
        let cause: SystemError
    }
}
