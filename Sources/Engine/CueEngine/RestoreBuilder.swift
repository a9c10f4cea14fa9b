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
    private let state = Mutex(State())

    private struct State {
        var failures: [Scan.Skipped] = []
        var broken: Set<Int> = []
        var brokenFiles = 0
        var hasDamage = false
    }

    init(root: Folder, plan: RestorePlan, names: TemporaryNames) {
        (self.root, self.plan, self.names) = (root, plan, names)
    }

    var failures: [Scan.Skipped] { state.withLock { $0.failures } }
    var hasDamage: Bool { state.withLock { $0.hasDamage } }
    var brokenBundles: [Int] { state.withLock { $0.broken.sorted() } }
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
        var path = FolderPath(root)
        for number in plan.bundles.indices where !plan.skippedBundles.contains(number) {
            try make(place(ofBundle: number), &path)
        }
        for item in plan.items {
            do throws(SystemError) {
                if item.member.content == .folder {
                    try make(place(of: item), &path)
                } else if item.bundle == nil {
                    try make(item.path.parent ?? .root, &path)
                }
            } catch {
                guard !error.isNoSpace, !error.isReadOnly else { throw error }
                // One folder that cannot be made keeps only what is in it from coming back.
                if item.member.content == .folder {
                    fail(item, "the folder cannot be made (\(error.reason))", isDamage: false)
                }
            }
        }
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
        let place = place(of: item)
        let folder: Folder
        do { folder = try folders.openParent(of: place) } catch {
            fail(item, "its folder cannot be opened (\(error.reason))", isDamage: false)
            return false
        }
        let isDirect = item.bundle != nil
        let name = isDirect ? place.name : names.name(plan.bundles.count + number)
        do {
            try fill(name, in: folder, item, reader)
            if !isDirect { try put(name, item, in: folder) }
            return true
        } catch let error as VaultError {
            // What is damaged does not appear; everything else still comes back.
            try? folder.remove(name)
            fail(item, error.sentence, isDamage: true)
        } catch let error as SystemError where !error.isNoSpace && !error.isReadOnly {
            try? folder.remove(name)
            fail(item, "it cannot be written (\(error.reason))", isDamage: false)
        } catch {
            try? folder.remove(name)
            throw error
        }
        return false
    }

    private func fill(_ name: [UInt8], in folder: Folder, _ item: RestorePlan.Item, _ reader: ContentReader) throws {
        guard case .file(let size, let chunks) = item.member.content else { return }
        let output = BlockWriter(try folder.create(name), size: size)
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
            state.withLock {
                $0.failures.append(
                    Scan.Skipped(
                        path: item.path,
                        reason: "its attribute \(Display.text(attribute.name)) cannot be set (\(error.reason))"))
            }
        }
    }

    private func put(_ temporary: [UInt8], _ item: RestorePlan.Item, in folder: Folder) throws(SystemError) {
        guard let checked = plan.replaced[item.path] else {
            return try folder.renameNew(temporary, to: folder, item.path.name)
        }
        // Changed places, then looked at: what somebody wrote there meanwhile goes back to where it was.
        try folder.exchange(temporary, with: item.path.name)
        guard let old = try folder.info(of: temporary), StatKey(old).isSameContent(as: checked) else {
            try folder.exchange(temporary, with: item.path.name)
            throw .changedMeanwhile
        }
        try folder.remove(temporary)
    }

    func makeLinks() throws {
        var folders = FolderPath(root)
        for (number, item) in plan.items.enumerated() {
            guard case .symlink(let target) = item.member.content else { continue }
            let place = place(of: item)
            do throws(SystemError) {
                let folder = try folders.openParent(of: place)
                let name = item.bundle != nil ? place.name : names.name(plan.bundles.count + number)
                try folder.makeLink(name, to: target)
                try folder.setModified(item.member.modified, ofLink: name)
                if item.bundle == nil { try put(name, item, in: folder) }
            } catch {
                fail(item, "it cannot be written (\(error.reason))", isDamage: false)
            }
        }
    }

    // MARK: Bundles

    /// Puts whole bundles in their places: each in one step, the one that stood there only gone once the new one is.
    func placeBundles() throws {
        let broken = Set(brokenBundles)
        for (number, bundle) in plan.bundles.enumerated() where !plan.skippedBundles.contains(number) {
            var folders = FolderPath(root)
            let place = place(ofBundle: number)
            do {
                let parent = try folders.openParent(of: place)
                if broken.contains(number) {
                    try? parent.removeAll(place.name)
                    continue
                }
                try finish(bundle, place, number, &folders)
                try self.place(bundle, place.name, in: parent)
            } catch let error as SystemError where !error.isNoSpace && !error.isReadOnly {
                try? folders.openParent(of: place).removeAll(place.name)
                fail(
                    RestorePlan.Item(path: bundle.path, member: bundle.members[0], bundle: number),
                    "it cannot be put in its place (\(error.reason))", isDamage: false)
            }
        }
    }

    private func place(_ bundle: RestorePlan.Bundle, _ temporary: [UInt8], in parent: Folder) throws(SystemError) {
        let name = bundle.path.name
        guard bundle.replaces else { return try parent.renameNew(temporary, to: parent, name) }
        try parent.synchronize()
        try parent.exchange(temporary, with: name)
        if let standing = bundle.standing, try !BundleListing(parent.folder(temporary)).hasSameContent(as: standing) {
            try parent.exchange(temporary, with: name)
            throw .changedMeanwhile
        }
        try parent.synchronize()
        try parent.removeAll(temporary)
    }

    /// Modes, times and attributes of a bundle's folders, the deepest first.
    private func finish(
        _ bundle: RestorePlan.Bundle, _ place: RelativePath, _ number: Int, _ folders: inout FolderPath
    ) throws {
        for member in bundle.members.sorted(by: { $1.path < $0.path }) where member.content == .folder {
            let item = RestorePlan.Item(path: bundle.path.appending(member.path), member: member, bundle: number)
            try apply(item, to: try folders.open(place.appending(member.path)))
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
    func removeBundles() {
        var folders = FolderPath(root)
        for number in plan.bundles.indices where !plan.skippedBundles.contains(number) {
            let place = place(ofBundle: number)
            try? folders.openParent(of: place).removeAll(place.name)
        }
    }

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
