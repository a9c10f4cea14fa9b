import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueVault
import Synchronization

/// Carries out a restore plan, one file at a time, from any thread.
///
/// Everything is built under a temporary name, readable by its owner alone. Only `placeDrafts` makes the drafts
/// durable, notes them through the hooks, and gives them their names: a name never shows content that a power cut could
/// remove.
final class RestoreBuilder: Sendable {
    let root: Folder
    let plan: RestorePlan
    let names: TemporaryNames
    let hooks: Hooks?
    let durability: Durability
    /// Whether content that is missing in the vault may still arrive there.
    let mayArrive: Bool
    private let cancellation: Cancellation
    /// The modes of the plan's folders, which are set from the start and, with times, again at the end.
    private let ownModes: [RelativePath: UInt16]
    let state = Mutex(State())

    /// Functions that note each step before it is done.
    struct Hooks: Sendable {
        /// The file with this information and temporary name appears at that path next.
        let willPlace: @Sendable (RelativePath, FileInfo, [UInt8]) throws -> Void
        /// The replaced document of that path has this temporary name now, and is removed next.
        let willDiscard: @Sendable (RelativePath, [UInt8]) throws -> Void
        /// The document with this name is a writer's work, and belongs to that path.
        let isKept: @Sendable (RelativePath, [UInt8]) throws -> Void
        /// Waits until the notes are durable.
        let synchronize: @Sendable () throws -> Void
    }

    /// A draft that is complete under a temporary name: an item or a bundle, by its number.
    enum Piece: Hashable {
        case item(Int), bundle(Int)
    }

    /// The state that all threads share.
    struct State {
        var failures: [SkippedPath] = []
        /// Complete drafts that have no name yet.
        var waiting: Set<Piece> = []
        /// Bundles that are in place, while the replaced one is still beside them.
        var replaced: [Replaced] = []
        /// Files that were written and could not be placed.
        var unplaced = (files: 0, bytes: Int64(0))
        /// Bundles with a folder under a temporary name, which may be removed.
        var begun: Set<Int> = []
        /// Bundles of which a member failed.
        var broken: Set<Int> = []
        /// The number of single files that failed.
        var brokenFiles = 0
        var hasDamage = false
        /// Whether nothing is left under a temporary name.
        var isTidy = true
        /// Documents that have their names, by path, with their inodes.
        var placed: [RelativePath: UInt64] = [:]
        /// Replaced documents that are in no version, under the names that they have beside the new ones.
        var aside: [RelativePath] = []
    }

    /// A bundle that was put in the place of another document.
    struct Replaced {
        let number: Int
        /// The replaced document, as it was when it was allowed to go.
        let standing: PathOccupant
    }

    init(
        root: Folder, plan: RestorePlan, names: TemporaryNames, durability: Durability, hooks: Hooks?, mayArrive: Bool,
        cancellation: Cancellation
    ) {
        (self.root, self.plan, self.names, self.hooks) = (root, plan, names, hooks)
        (self.durability, self.mayArrive, self.cancellation) = (durability, mayArrive, cancellation)
        ownModes = Dictionary(
            plan.items.lazy.filter { $0.bundle == nil && $0.member.content == .folder }.map {
                ($0.path, $0.member.mode)
            }, uniquingKeysWith: { one, _ in one })
    }

    /// Files and bytes that were written and could not be placed.
    var unplaced: (files: Int, bytes: Int64) { state.withLock { $0.unplaced } }

    /// The failures so far, and the notes on documents that are restored all the same.
    var failures: [SkippedPath] { state.withLock { $0.failures } }
    var hasDamage: Bool { state.withLock { $0.hasDamage } }
    var isTidy: Bool { state.withLock { $0.isTidy } }
    /// Replaced documents that are in no version, under the names that they have now.
    var aside: [RelativePath] { state.withLock { $0.aside.sorted() } }
    /// Documents that have their names, by path, with their inodes.
    var placed: [RelativePath: UInt64] { state.withLock { $0.placed } }
    /// The number of documents that are not restored: single files that failed, and bundles with a member that failed.
    var brokenDocuments: Int { state.withLock { $0.broken.count + $0.brokenFiles } }

    /// Notes that an item failed. `isDamage`: the vault is damaged.
    func fail(_ item: RestorePlan.Item, _ reason: SkipReason, isDamage: Bool) {
        state.withLock { state in
            state.failures.append(SkippedPath(path: item.path, reason: reason))
            if let bundle = item.bundle {
                state.broken.insert(bundle)
            } else if item.member.size > 0 {
                state.brokenFiles += 1
            }
            state.hasDamage = state.hasDamage || isDamage
        }
    }

    /// Notes that a whole bundle failed.
    func fail(bundle number: Int, _ reason: SkipReason) {
        let bundle = plan.bundles[number]
        fail(RestorePlan.Item(path: bundle.path, member: bundle.members[0], bundle: number), reason, isDamage: false)
    }

    /// Notes a problem of a document that is restored all the same.
    func note(_ path: RelativePath, _ reason: SkipReason) {
        state.withLock { $0.failures.append(SkippedPath(path: path, reason: reason)) }
    }

    /// Whether the item belongs to a bundle that could not be begun. Then only the bundle is reported, and not each
    /// file.
    private func isLost(_ item: RestorePlan.Item) -> Bool {
        guard let bundle = item.bundle else { return false }
        return state.withLock { !$0.begun.contains(bundle) }
    }

    /// The path at which an item is built. For members of a bundle that is under the bundle's temporary name.
    private func place(of item: RestorePlan.Item) -> RelativePath {
        guard let number = item.bundle else { return item.path }
        return place(ofBundle: number).appending(item.member.path)
    }

    /// The temporary path of a bundle.
    func place(ofBundle number: Int) -> RelativePath {
        (plan.bundles[number].path.parent ?? .root).appending(names.name(number))
    }

    // MARK: Folders

    /// Makes all folders, writable for this user; their own modes and times are set last.
    func makeFolders() throws {
        let bundles = plan.bundles.indices.filter { !plan.skippedBundles.contains($0) }
        try inParallel(bundles) { number, path in
            do throws(SystemError) { try self.begin(number, &path) } catch {
                guard !error.isNoSpace, !error.isReadOnly else { throw error }
                self.fail(bundle: number, .bundleNotMade(error))
            }
        }
        let items = plan.items
        try inParallel(Array(items.indices)) { number, path in
            let item = items[number]
            guard !self.isLost(item) else { return }
            do throws(SystemError) {
                if item.member.content == .folder {
                    try self.makeNew(self.place(of: item), &path)
                } else if item.bundle == nil {
                    try self.make(item.path.parent ?? .root, &path)
                }
            } catch {
                guard !error.isNoSpace, !error.isReadOnly else { throw error }
                // A folder that cannot be made affects only the items in it.
                if item.member.content == .folder {
                    self.fail(item, .folderNotMade(error), isDamage: false)
                }
            }
        }
    }

    /// Runs `body` for all of `numbers` on all cores, with neighbours on one core. The first error stops it.
    func inParallel(
        _ numbers: [Int], _ body: @escaping @Sendable (Int, inout FolderPath) throws -> Void
    ) throws {
        let threads = numbers.count < 256 ? 1 : Workers.coreCount
        let paths = { @Sendable [root] in FolderPath(root) }
        try Workers.forEach(numbers.count, on: threads, batch: 64, context: paths) { [cancellation] at, path in
            try cancellation.throwIfRequested()
            try body(numbers[at], &path)
        }
    }

    /// Makes the temporary folder of a bundle.
    private func begin(_ number: Int, _ folders: inout FolderPath) throws(SystemError) {
        let place = place(ofBundle: number)
        try make(place.parent ?? .root, &folders)
        let parent = try folders.openParent(of: place)
        try parent.makeFolder(place.name)
        durability.touch(place.parent ?? .root)
        state.withLock { _ = $0.begun.insert(number) }
    }

    /// As `make`, for a folder that is probably missing while the one above it exists.
    private func makeNew(_ path: RelativePath, _ folders: inout FolderPath) throws(SystemError) {
        guard let above = path.parent, let parent = try? folders.open(above), (try? parent.makeFolder(path.name)) != nil
        else { return try make(path, &folders) }
        durability.touch(above)
        try giveMode(to: path, in: parent)
    }

    /// Sets the mode of a new folder at once, and leaves it writable while it is filled. If the run is killed before
    /// the end, the next backup would take another mode for the writer's wish.
    private func giveMode(to path: RelativePath, in parent: Folder) throws(SystemError) {
        guard let mode = ownModes[path] ?? plan.parentModes[path] else { return }
        try parent.folder(path.name).setMode(mode | 0o300)
    }

    /// Makes a folder, and the missing ones above it.
    private func make(_ path: RelativePath, _ folders: inout FolderPath) throws(SystemError) {
        durability.touch(path)
        guard let above = path.parent else { return }
        do {
            _ = try folders.open(path)
        } catch {
            guard error.isNotFound else { throw error }
            try make(above, &folders)
            do {
                let parent = try folders.open(above)
                // A folder of unknown mode gets that of a new folder.
                let isKnown = ownModes[path] != nil || plan.parentModes[path] != nil
                try parent.makeFolder(path.name, mode: isKnown ? 0o700 : 0o777)
                try giveMode(to: path, in: parent)
            } catch {
                guard error.isAlreadyThere else { throw error }
            }
        }
    }

    // MARK: Files

    /// Writes one file under a temporary name, and calls `notePiece` with the number of bytes of each piece. Returns
    /// false if it failed, which is noted. Throws errors that end the restore, such as a full disk.
    func write(
        _ number: Int, _ reader: ContentReader, _ folders: inout FolderPath, notePiece: (Int64) -> Void
    ) throws -> Bool {
        let item = plan.items[number]
        guard !isLost(item) else { return false }
        let place = place(of: item)
        let folder: Folder
        do { folder = try folders.openParent(of: place) } catch {
            fail(item, .folderNotOpened(error), isDamage: false)
            return false
        }
        var draft = StagedItem(item.bundle != nil ? place.name : temporaryName(number), in: folder)
        do {
            try fill(&draft, item, reader, notePiece)
            durability.touch(place.parent ?? .root)
            if item.bundle == nil { state.withLock { _ = $0.waiting.insert(.item(number)) } }
            return true
        } catch {
            draft.discard()
            switch error {
            // A sync service may carry the vault: a pack can arrive after the commit that names it, and piece by piece.
            case VaultError.missing(let part) where mayArrive:
                fail(item, .contentAwaited(part), isDamage: false)
            case VaultError.cut(let part, let size, let wanted) where mayArrive:
                fail(item, .contentCut(part, size: size, wanted: wanted), isDamage: false)
            // A damaged file is not restored; everything else is.
            case let error as VaultError: fail(item, .damaged(error), isDamage: true)
            case let error as SystemError where !error.isNoSpace && !error.isReadOnly:
                fail(item, .notWritten(error), isDamage: false)
            default: throw error
            }
            return false
        }
    }

    /// Writes content, attributes, time and mode of the draft.
    private func fill(
        _ draft: inout StagedItem, _ item: RestorePlan.Item, _ reader: ContentReader, _ notePiece: (Int64) -> Void
    ) throws {
        guard case .file(let size, let chunks) = item.member.content else { return }
        let output = BlockWriter(try draft.create(), size: size)
        var written: Int64 = 0
        for chunk in chunks {
            try cancellation.throwIfRequested()
            let count = try reader.withChunk(chunk) { bytes in
                try output.write(bytes)
                return Int64(bytes.count)
            }
            written += count
            notePiece(count)
            guard written <= size else { break }
        }
        guard written == size else {
            throw VaultError.damaged(.document(item.path), .pieceSum)
        }
        try output.flush()
        try output.withFile { file throws(SystemError) in
            for attribute in item.member.attributes {
                set(attribute, item) { attribute throws(SystemError) in try file.set(attribute) }
            }
            try file.setModified(item.member.modified)
            guard item.bundle != nil else { return }
            // In a bundle this is enough: the bundle's temporary folder keeps other users out.
            try file.setMode(item.member.mode)
            if durability.isEach { try file.synchronize() }
        }
    }

    /// Sets an attribute. If the file system refuses it, that is noted, and the document is still restored.
    func set(
        _ attribute: ExtendedAttribute, _ item: RestorePlan.Item,
        _ call: (ExtendedAttribute) throws(SystemError) -> Void
    ) {
        do { try call(attribute) } catch {
            note(item.path, .attributeNotSet(attribute.name, error))
        }
    }

    /// The temporary name of an item that is in no bundle.
    func temporaryName(_ number: Int) -> [UInt8] { names.name(plan.bundles.count + number) }

    /// Makes all symbolic links.
    func makeLinks() throws {
        var folders = FolderPath(root)
        for (number, item) in plan.items.enumerated() where !isLost(item) {
            guard case .symlink(let target) = item.member.content else { continue }
            let place = place(of: item)
            let folder: Folder
            do { folder = try folders.openParent(of: place) } catch {
                fail(item, .folderNotOpened(error), isDamage: false)
                continue
            }
            var draft = StagedItem(item.bundle != nil ? place.name : temporaryName(number), in: folder)
            do throws(SystemError) {
                try draft.makeLink(to: target)
                try folder.setModified(item.member.modified, ofLink: draft.name)
                if item.bundle == nil { state.withLock { _ = $0.waiting.insert(.item(number)) } }
            } catch {
                draft.discard()
                fail(item, .notWritten(error), isDamage: false)
            }
        }
    }

    /// Removes all drafts after a failure.
    func removeDrafts() {
        let (waiting, begun) = state.withLock { ($0.waiting, $0.begun.subtracting($0.replaced.map(\.number))) }
        for number in begun { discard(number) }
        var folders = FolderPath(root)
        for case .item(let number) in waiting {
            try? folders.openParent(of: plan.items[number].path).removeAll(temporaryName(number))
        }
    }

    /// Sets modes and times of folders, the deepest first. Nothing may be made in them after this.
    func finishFolders() {
        var folders = FolderPath(root)
        for item in ownItems.sorted(by: { $1.path < $0.path }) where !item.path.isRoot { finishFolder(item, &folders) }
    }

    /// The same for the target folder, if the restore made it.
    func finishRoot() {
        var folders = FolderPath(root)
        for item in ownItems where item.path.isRoot { finishFolder(item, &folders) }
    }

    private var ownItems: [RestorePlan.Item] { plan.items.filter { $0.bundle == nil && $0.member.content == .folder } }

    private func finishFolder(_ item: RestorePlan.Item, _ folders: inout FolderPath) {
        do throws(SystemError) {
            try apply(item, to: try folders.open(item.path), mode: item.member.mode)
            durability.touch(item.path)
        } catch {
            fail(item, .modeNotSet(error), isDamage: false)
        }
    }
}
