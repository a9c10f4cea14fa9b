import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueVault
import Synchronization

/// Makes what a restore plan says, one file at a time, from any thread.
final class RestoreBuilder: Sendable {
    let root: Folder
    private let plan: RestorePlan
    private let names: TemporaryNames
    private let hooks: Hooks?
    private let state = Mutex(State())

    /// What a sync writes down before it happens.
    struct Hooks: Sendable {
        /// What has this inode and temporary name appears at that path next.
        let willPlace: @Sendable (RelativePath, UInt64, [UInt8]) throws -> Void
        /// What was replaced there has this name now, and is removed next.
        let willDiscard: @Sendable (RelativePath, [UInt8]) throws -> Void
    }

    private struct State {
        var failures: [Scan.Skipped] = []
        /// Bundles of which a folder under a temporary name is there that may be removed.
        var begun: Set<Int> = []
        /// Single files where a bundle shall be, as they were before anything was written.
        var obstacles: [Int: Standing] = [:]
        var broken: Set<Int> = []
        var brokenFiles = 0
        var hasDamage = false
    }

    init(root: Folder, plan: RestorePlan, names: TemporaryNames, hooks: Hooks? = nil) {
        (self.root, self.plan, self.names, self.hooks) = (root, plan, names, hooks)
    }

    var failures: [Scan.Skipped] { state.withLock { $0.failures } }
    var hasDamage: Bool { state.withLock { $0.hasDamage } }
    /// Documents that do not come back: single files that failed, and bundles with a member that did.
    var brokenDocuments: Int { state.withLock { $0.broken.count + $0.brokenFiles } }

    private func fail(_ item: RestorePlan.Item, _ reason: String, isDamage: Bool) {
        state.withLock { state in
            state.failures.append(Scan.Skipped(path: item.path, reason: reason))
            if let bundle = item.bundle {
                state.broken.insert(bundle)
            } else if item.member.size > 0 {
                state.brokenFiles += 1
            }
            state.hasDamage = state.hasDamage || isDamage
        }
    }

    private func fail(bundle number: Int, _ reason: String) {
        let bundle = plan.bundles[number]
        fail(RestorePlan.Item(path: bundle.path, member: bundle.members[0], bundle: number), reason, isDamage: false)
    }

    /// Says something of a document that comes back all the same.
    private func note(_ path: RelativePath, _ reason: String) {
        state.withLock { $0.failures.append(Scan.Skipped(path: path, reason: reason)) }
    }

    /// Whether it belongs to a bundle that was not even begun, and is said to fail as a whole.
    private func isLost(_ item: RestorePlan.Item) -> Bool {
        guard let bundle = item.bundle else { return false }
        return state.withLock { !$0.begun.contains(bundle) }
    }

    /// Where a path is built: bundles under a temporary name until they are whole.
    private func place(of item: RestorePlan.Item) -> RelativePath {
        guard let number = item.bundle else { return item.path }
        return place(ofBundle: number).appending(item.member.path)
    }

    private func place(ofBundle number: Int) -> RelativePath {
        (plan.bundles[number].path.parent ?? .root).appending(names.name(number))
    }

    // MARK: Folders

    /// Makes all folders, open to us; their own modes and times come last.
    func makeFolders() throws {
        let bundles = plan.bundles.indices.filter { !plan.skippedBundles.contains($0) }
        try inParallel(bundles) { number, path in
            do throws(SystemError) { try self.begin(number, &path) } catch {
                guard !error.isNoSpace, !error.isReadOnly else { throw error }
                self.fail(bundle: number, "its folder cannot be made (\(error.reason))")
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
                // One folder that cannot be made keeps only what is in it from coming back.
                if item.member.content == .folder {
                    self.fail(item, "the folder cannot be made (\(error.reason))", isDamage: false)
                }
            }
        }
    }

    /// Runs `body` for all of `numbers` on all cores, neighbours on one of them. The first error stops it.
    private func inParallel(
        _ numbers: [Int], _ body: @escaping @Sendable (Int, inout FolderPath) throws -> Void
    ) throws {
        let next = Mutex(0)
        let root = root
        try Workers.run(numbers.count < 256 ? 1 : Workers.coreCount) { _ in
            var path = FolderPath(root)
            while true {
                let start = next.withLock { next in
                    defer { next += 64 }
                    return next
                }
                guard start < numbers.count else { return }
                do {
                    try Interruption.throwIfRequested()
                    for number in numbers[start..<min(numbers.count, start + 64)] { try body(number, &path) }
                } catch {
                    next.withLock { $0 = numbers.count }
                    throw error
                }
            }
        }
    }

    private func begin(_ number: Int, _ folders: inout FolderPath) throws(SystemError) {
        let place = place(ofBundle: number)
        try make(place.parent ?? .root, &folders)
        let parent = try folders.openParent(of: place)
        let bundle = plan.bundles[number]
        let isInTheWay = bundle.replaces && bundle.standing == nil
        let obstacle = isInTheWay ? try Standing(bundle.path.name, in: parent) : nil
        try parent.makeFolder(place.name)
        state.withLock { state in
            state.begun.insert(number)
            if case .single? = obstacle { state.obstacles[number] = obstacle }
        }
    }

    /// As `make`, for a folder that is probably not there while the one above it is.
    private func makeNew(_ path: RelativePath, _ folders: inout FolderPath) throws(SystemError) {
        guard !path.isRoot, let parent = try? folders.openParent(of: path), (try? parent.makeFolder(path.name)) != nil
        else { return try make(path, &folders) }
    }

    private func make(_ path: RelativePath, _ folders: inout FolderPath) throws(SystemError) {
        guard let parent = path.parent else { return }
        do {
            _ = try folders.open(path)
        } catch {
            guard error.isNotFound else { throw error }
            try make(parent, &folders)
            do { try folders.open(parent).makeFolder(path.name) } catch {
                guard error.isAlreadyThere else { throw error }
            }
        }
    }

    // MARK: Files

    /// Writes one file beside its place, and then puts it there. False if it failed, which is noted.
    func write(_ number: Int, _ reader: ContentReader, _ folders: inout FolderPath) throws -> Bool {
        let item = plan.items[number]
        guard !isLost(item) else { return false }
        let place = place(of: item)
        let folder: Folder
        do { folder = try folders.openParent(of: place) } catch {
            fail(item, "its folder cannot be opened (\(error.reason))", isDamage: false)
            return false
        }
        var draft = Draft(item.bundle != nil ? place.name : names.name(plan.bundles.count + number), in: folder)
        do {
            try fill(&draft, item, reader)
            if item.bundle == nil { try put(&draft, item) }
            return true
        } catch {
            draft.discard()
            switch error {
            // The vault may be carried by a sync service: what a commit names can come after it, and piece by piece.
            case VaultError.missing(let object) where hooks != nil:
                fail(
                    item, "its content has not arrived in the vault yet (\(object)); what is here stays",
                    isDamage: false)
            case VaultError.cut(let object, let size, let wanted) where hooks != nil:
                fail(
                    item,
                    "its content has not arrived whole in the vault yet (\(object): \(size) of \(wanted) bytes); what is here stays",
                    isDamage: false)
            // What is damaged does not appear; everything else still comes back.
            case let error as VaultError: fail(item, error.sentence, isDamage: true)
            case let error as Draft.Kept: fail(item, error.reason, isDamage: false)
            case let error as SystemError where !error.isNoSpace && !error.isReadOnly:
                fail(item, "it cannot be written (\(error.reason))", isDamage: false)
            default: throw error
            }
            return false
        }
    }

    private func fill(_ draft: inout Draft, _ item: RestorePlan.Item, _ reader: ContentReader) throws {
        guard case .file(let size, let chunks) = item.member.content else { return }
        let output = BlockWriter(try draft.create(), size: size)
        var written: Int64 = 0
        for chunk in chunks {
            try Interruption.throwIfRequested()
            written += try reader.withChunk(chunk) { bytes in
                try output.write(bytes)
                return Int64(bytes.count)
            }
            guard written <= size else { break }
        }
        guard written == size else {
            throw VaultError.damaged(object: Display.text(item.path), reason: "its pieces do not add up to its size")
        }
        try output.flush()
        // Whoever replaces a document must not lose both in a power cut.
        let mustLast = plan.replaced[item.path] != nil || item.bundle.map { plan.bundles[$0].replaces } ?? false
        try output.withFile { file throws(SystemError) in
            for attribute in item.member.attributes {
                set(attribute, item) { attribute throws(SystemError) in try file.set(attribute) }
            }
            try file.setMode(item.member.mode)
            if mustLast { try file.synchronize() }
            try file.setModified(item.member.modified)
        }
    }

    /// Attributes that the file system does not take are said, and no reason to keep a document back.
    private func set(
        _ attribute: ExtendedAttribute, _ item: RestorePlan.Item,
        _ call: (ExtendedAttribute) throws(SystemError) -> Void
    ) {
        do { try call(attribute) } catch {
            note(item.path, "its attribute \(Display.text(attribute.name)) cannot be set (\(error.reason))")
        }
    }

    private func put(_ draft: inout Draft, _ item: RestorePlan.Item) throws {
        try announce(draft, at: item.path)
        guard let checked = plan.replaced[item.path] else { return try draft.place(at: item.path.name) }
        try draft.replace(item.path.name) { old throws(SystemError) in
            guard let old, old.isSame(as: .single(checked)) else { throw .changedMeanwhile }
        }
        removeReplaced(&draft, item.path)
    }

    private func announce(_ draft: Draft, at path: RelativePath) throws {
        guard let hooks, let info = try draft.folder.info(of: draft.name) else { return }
        try hooks.willPlace(path, info.inode, draft.name)
    }

    /// Removes what stood in the place before. The new one is there, whatever becomes of this.
    private func removeReplaced(_ draft: inout Draft, _ path: RelativePath) {
        do {
            try hooks?.willDiscard(path, draft.name)
            try draft.remove()
        } catch {
            let reason = (error as? SystemError)?.reason ?? "\(error)"
            note(
                path,
                "it is back; what it replaced cannot be removed (\(reason)), and is beside it as "
                    + Display.text(draft.name))
        }
    }

    func makeLinks() throws {
        var folders = FolderPath(root)
        for (number, item) in plan.items.enumerated() where !isLost(item) {
            guard case .symlink(let target) = item.member.content else { continue }
            let place = place(of: item)
            let folder: Folder
            do { folder = try folders.openParent(of: place) } catch {
                fail(item, "its folder cannot be opened (\(error.reason))", isDamage: false)
                continue
            }
            var draft = Draft(item.bundle != nil ? place.name : names.name(plan.bundles.count + number), in: folder)
            do {
                try draft.makeLink(to: target)
                try folder.setModified(item.member.modified, ofLink: draft.name)
                if item.bundle == nil { try put(&draft, item) }
            } catch {
                draft.discard()
                switch error {
                case let error as Draft.Kept: fail(item, error.reason, isDamage: false)
                case let error as SystemError:
                    fail(item, "it cannot be written (\(error.reason))", isDamage: false)
                default: throw error
                }
            }
        }
    }

    // MARK: Bundles

    /// Puts whole bundles in their places: each in one step, the one that stood there only gone once the new one is.
    func placeBundles() throws {
        let (begun, broken) = state.withLock { ($0.begun.sorted(), $0.broken) }
        try inParallel(begun) { number, path in
            guard !broken.contains(number) else { return self.discard(number) }
            do { try self.placeBundle(number, &path) } catch {
                self.discard(number)
                switch error {
                case let error as Draft.Kept: self.fail(bundle: number, error.reason)
                case let error as SystemError where !error.isNoSpace && !error.isReadOnly:
                    self.fail(bundle: number, "it cannot be put in its place (\(error.reason))")
                default: throw error
                }
            }
        }
    }

    private func placeBundle(_ number: Int, _ folders: inout FolderPath) throws {
        let (bundle, place) = (plan.bundles[number], place(ofBundle: number))
        // What is open in the last bundle has another name by now.
        folders.reset()
        try finish(bundle, place, number, &folders)
        var draft = Draft(place.name, in: try folders.openParent(of: place), isMade: true)
        // What is not ours any more is not removed after a failure either.
        defer { if !draft.mayGo { state.withLock { _ = $0.begun.remove(number) } } }
        try put(&draft, bundle, bundle.standing.map(Standing.folder) ?? state.withLock { $0.obstacles[number] })
    }

    private func put(_ draft: inout Draft, _ bundle: RestorePlan.Bundle, _ checked: Standing?) throws {
        try announce(draft, at: bundle.path)
        guard bundle.replaces else { return try draft.place(at: bundle.path.name) }
        let folder = draft.folder
        try folder.synchronize()
        try draft.replace(bundle.path.name) { old throws(SystemError) in
            guard let old, let checked, old.isSame(as: checked) else { throw .changedMeanwhile }
            try folder.synchronize()
        }
        removeReplaced(&draft, bundle.path)
    }

    private func discard(_ number: Int) {
        guard state.withLock({ $0.begun.remove(number) }) != nil else { return }
        var folders = FolderPath(root)
        let place = place(ofBundle: number)
        try? folders.openParent(of: place).removeAll(place.name)
    }

    /// Modes, times and attributes of a bundle's folders, the deepest first.
    private func finish(
        _ bundle: RestorePlan.Bundle, _ place: RelativePath, _ number: Int, _ folders: inout FolderPath
    ) throws {
        for member in bundle.members.sorted(by: { $1.path < $0.path }) where member.content == .folder {
            let item = RestorePlan.Item(path: bundle.path.appending(member.path), member: member, bundle: number)
            let folder = try folders.open(place.appending(member.path))
            try apply(item, to: folder)
            // What it replaces goes next: then all of this must last.
            if bundle.replaces { try folder.synchronize() }
        }
    }

    private func apply(_ item: RestorePlan.Item, to folder: Folder) throws(SystemError) {
        for attribute in item.member.attributes {
            set(attribute, item) { attribute throws(SystemError) in try folder.set(attribute) }
        }
        try folder.setMode(item.member.mode)
        try folder.setModified(item.member.modified)
    }

    /// After a failure: nothing half stays behind.
    func removeBundles() { for number in state.withLock({ $0.begun }) { discard(number) } }

    /// Gives folders their own modes and times, the deepest first, when nothing is made in them any more.
    func finishFolders(madeRoot: Bool) throws {
        var folders = FolderPath(root)
        let own = plan.items.filter { $0.bundle == nil && $0.member.content == .folder }
        for item in own.sorted(by: { $1.path < $0.path }) where madeRoot || !item.path.isRoot {
            do { try apply(item, to: try folders.open(item.path)) } catch {
                fail(item, "its mode and time cannot be set (\(error.reason))", isDamage: false)
            }
        }
    }
}
