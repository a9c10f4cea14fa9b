package import CueBase
package import CueSystem
package import CueVault
import Synchronization

/// What a look at the library found, against what the local store remembers. No document is opened for it.
package struct Scan: Sendable {
    /// A document, folder or symlink that is new or may have changed.
    package struct Candidate: Sendable {
        package let path: RelativePath
        package let kind: ProjectKind
        package let stat: StatKey
        /// What the store remembers at this path, of the same kind.
        package var old: Entry? { remembered?.entry }
        /// What the scan saw in a bundle, where it looked inside.
        package var listing: BundleListing? { remembered?.listing }
        fileprivate let remembered: Remembered?
    }

    /// One reference instead of a copy of the entry: a first backup has as many candidates as there are files.
    fileprivate final class Remembered: Sendable {
        let entry: Entry
        let listing: BundleListing?
        init(_ entry: Entry, _ listing: BundleListing? = nil) { (self.entry, self.listing) = (entry, listing) }
    }

    /// What was left out, and why; the reason completes "NAME: …".
    package struct Skipped: Sendable {
        package let path: RelativePath
        package let reason: String

        package init(path: RelativePath, reason: String) { (self.path, self.reason) = (path, reason) }
    }

    /// In the order of paths, so that neighbours are packed together.
    package fileprivate(set) var candidates: [Candidate] = []
    package fileprivate(set) var unchangedDocuments = 0
    /// Entries whose file is gone, from folders that could be read to the end.
    package fileprivate(set) var missing: [(path: RelativePath, entry: Entry)] = []
    package fileprivate(set) var skipped: [Skipped] = []
    /// Files that are no longer as they were, although nobody has written to them (`StatKey.isDamaged`): no edits.
    package fileprivate(set) var damaged: [(path: RelativePath, entry: Entry)] = []
}

/// Walks a library: its folders one after the other, and then the bundles that seem unchanged, on all cores.
package struct Scanner {
    private let bundles: BundleRules
    private let keys: [ProjectID: BundleKey]
    private var remembered: [RelativePath?: [UInt8]]
    private var scan = Scan()
    private var unproved: [UnprovedBundle] = []
    private let checkInterruption: @Sendable () throws -> Void

    package init(
        bundles: BundleRules, transaction: LocalStore.Transaction,
        checkInterruption: @escaping @Sendable () throws -> Void
    ) throws {
        (self.bundles, self.checkInterruption) = (bundles, checkInterruption)
        (remembered, keys) = (try transaction.folders(), try transaction.bundleKeys())
    }

    /// Looks at everything below `root`.
    package mutating func run(_ root: Folder) throws -> Scan {
        let info = try root.info()
        let old = try takeEntries(nil).first
        note(.root, .folder, StatKey(info), old)
        let all = remembered
        // Folders that are remembered and not met are gone, or below one that is gone or could not be read.
        try walk(root, .root, IgnoreStack(defaults: Self.defaultRules))
        try loseOrphans(of: all)
        try proveBundles(in: root)
        return scan
    }

    fileprivate static let defaultRules = IgnoreRules(
        parsing: Array(".DS_Store\n._*\n~$*\n.~lock.*\n*.tmp\n*.swp\n".utf8), base: [])
    private static let ignoreFile = Array(".cueignore".utf8)

    private mutating func takeEntries(_ path: RelativePath?) throws -> [Entry] {
        let entries = try remembered.removeValue(forKey: path)?.entries() ?? []
        return entries.isSortedByName ? entries : entries.sorted { $0.name.precedes($1.name) }
    }

    private mutating func walk(_ folder: Folder, _ path: RelativePath, _ outer: IgnoreStack) throws {
        try checkInterruption()
        let names: [[UInt8]]
        do {
            names = try folder.names().sorted { $0.precedes($1) }
        } catch {
            // Nothing below is known to be gone: what cannot be read is not deleted.
            scan.skipped.append(Scan.Skipped(path: path, reason: "the folder cannot be read (\(error.reason))"))
            return
        }
        let rules = names.contains(Self.ignoreFile) ? rules(in: folder, path, outer) : outer
        // Both are sorted: one pass finds what is new, what is known and what is gone.
        let entries = try takeEntries(path)
        var (next, lost) = (0, [Entry]())
        var previous: [UInt8] = []
        // Some file systems name an entry twice while the folder changes.
        for name in names where name != previous {
            previous = name
            while next < entries.count, entries[next].name.precedes(name) {
                lost.append(entries[next])
                next += 1
            }
            var old: Entry?
            if next < entries.count, entries[next].name == name {
                old = entries[next]
                next += 1
            }
            if path.isRoot && name == LibraryMarker.folder || DraftName.isDraft(name) { continue }
            if try !visit(name, in: folder, path, rules, old), let old { lost.append(old) }
        }
        for entry in lost + entries[next...] { try lose(entry, in: path) }
    }

    private mutating func rules(in folder: Folder, _ path: RelativePath, _ outer: IgnoreStack) -> IgnoreStack {
        do {
            guard let text = try folder.contents(of: ".cueignore", upTo: 1 << 20) else { return outer }
            return outer.adding(IgnoreRules(parsing: text, base: path.bytes))
        } catch {
            // A link or a folder of that name: what it says is not followed, and nothing is left out because of it.
            let name = path.appending(Self.ignoreFile)
            scan.skipped.append(Scan.Skipped(path: name, reason: "its rules cannot be read (\(error.reason))"))
            return outer
        }
    }

    /// Looks at one name. False: what the store remembers there is gone.
    private mutating func visit(
        _ name: [UInt8], in folder: Folder, _ parent: RelativePath, _ rules: IgnoreStack, _ old: Entry?
    ) throws -> Bool {
        let path = parent.appending(name)
        let found: FileInfo?
        do { found = try folder.info(of: name) } catch {
            // A folder that was opened before it lost its rights still names what is in it, and shows nothing of it.
            let unreadable = Scan.Skipped(path: parent, reason: "the folder cannot be read (\(error.reason))")
            if scan.skipped.last?.path != parent { scan.skipped.append(unreadable) }
            return true
        }
        // It went while we looked: the next backup sees it as gone.
        guard let info = found else { return true }
        // A rule that comes to cover a stored document is no deletion: other devices go on having it.
        if rules.ignores(path: path.bytes, isFolder: info.kind == .folder) { return true }
        guard let kind = kind(of: info, name) else {
            if case .other(let what) = info.kind {
                scan.skipped.append(Scan.Skipped(path: path, reason: "it is \(what)"))
            }
            return true
        }
        guard name.count <= Limits.name else {
            // File systems that count characters allow longer names than a vault does.
            scan.skipped.append(Scan.Skipped(path: path, reason: "its name is over \(Limits.name) bytes"))
            return true
        }
        guard path.bytes.count <= Limits.path else {
            scan.skipped.append(Scan.Skipped(path: path, reason: "its path is over \(Limits.path) bytes"))
            return false
        }
        // Another kind of thing at the same name is another project; the old one is gone.
        let isOther = old.map { $0.kind != kind } ?? false
        take(path, kind, StatKey(info), isOther ? nil : old)
        if kind == .folder { try enter(name, path, folder, rules) }
        return !isOther
    }

    private mutating func enter(_ name: [UInt8], _ path: RelativePath, _ folder: Folder, _ rules: IgnoreStack) throws {
        do {
            let inner = try folder.folder(name)
            try walk(inner, path, rules)
        } catch let error as SystemError {
            scan.skipped.append(Scan.Skipped(path: path, reason: "the folder cannot be read (\(error.reason))"))
        }
    }

    private func kind(of info: FileInfo, _ name: [UInt8]) -> ProjectKind? {
        switch info.kind {
        case .file: .file
        case .folder: bundles.isBundle(name) ? .bundle : .folder
        case .symlink: .symlink
        case .other: nil
        }
    }

    private mutating func take(
        _ path: RelativePath, _ kind: ProjectKind, _ stat: StatKey, _ old: Entry?
    ) {
        let isSame = old?.stat == stat
        if kind == .bundle {
            if isSame, let old, let key = keys[old.project] {
                unproved.append(UnprovedBundle(path: path, stat: stat, entry: old, key: key, at: scan.candidates.count))
                return
            }
        } else if isSame {
            if kind.isDocument { scan.unchangedDocuments += 1 }
            return
        } else if kind == .file, let old, old.stat.isDamaged(stat) {
            return scan.damaged.append((path, old))
        }
        note(path, kind, stat, old)
    }

    private mutating func note(_ path: RelativePath, _ kind: ProjectKind, _ stat: StatKey, _ old: Entry?) {
        if path.isRoot && old?.stat == stat { return }
        scan.candidates.append(
            Scan.Candidate(path: path, kind: kind, stat: stat, remembered: old.map { Scan.Remembered($0) }))
    }

    // MARK: Bundles

    /// A bundle whose own folder is as it was; whether all that is in it is too is looked at later.
    private struct UnprovedBundle {
        let path: RelativePath
        let stat: StatKey
        let entry: Entry
        let key: BundleKey
        /// Where it stands among the candidates, if it is one.
        let at: Int
    }

    private mutating func proveBundles(in root: Folder) throws {
        guard !unproved.isEmpty else { return }
        let (unproved, check) = (unproved, checkInterruption)
        let work = Mutex((next: 0, looks: [Look](repeating: .changed(nil), count: unproved.count)))
        try Workers.run(unproved.count < 16 ? 1 : Workers.coreCount) { _ in
            var folders = FolderPath(root)
            while let number = work.withLock({ Self.next(&$0.next, of: unproved.count) }) {
                if number % 64 == 0 { try check() }
                let bundle = unproved[number]
                let listing = try? BundleListing(folders.open(bundle.path))
                let isSame = listing.map { BundleKey($0) == bundle.key } ?? false
                work.withLock { $0.looks[number] = isSame ? .same(listing?.others ?? []) : .changed(listing) }
            }
        }
        let looks = work.withLock { $0.looks }
        var merged: [Scan.Candidate] = []
        var done = 0
        for (bundle, look) in zip(unproved, looks) {
            switch look {
            case .same(let others):
                scan.skipped += others.map { $0.skipped(in: bundle.path) }
                scan.unchangedDocuments += 1
            case .changed(let listing):
                merged += scan.candidates[done..<bundle.at]
                done = bundle.at
                let remembered = Scan.Remembered(bundle.entry, listing)
                merged.append(
                    Scan.Candidate(path: bundle.path, kind: .bundle, stat: bundle.stat, remembered: remembered))
            }
        }
        scan.candidates = merged + scan.candidates[done...]
    }

    private enum Look: Sendable {
        case same([BundleListing.Other])
        /// nil where it could not be read.
        case changed(BundleListing?)
    }

    private static func next(_ next: inout Int, of count: Int) -> Int? {
        guard next < count else { return nil }
        defer { next += 1 }
        return next
    }

    /// Notes as gone what is remembered in folders that are not remembered themselves, and are not there: a sync that was cut off had
    /// put documents into a new folder, and somebody moved that away before anything looked.
    private mutating func loseOrphans(of all: [RelativePath?: [UInt8]]) throws {
        for path in remembered.keys.compactMap(\.self).sorted() where try !Self.isRemembered(path, in: all) {
            for entry in try takeEntries(path) { try lose(entry, in: path) }
        }
    }

    private static func isRemembered(_ folder: RelativePath, in all: [RelativePath?: [UInt8]]) throws -> Bool {
        guard let parent = folder.parent else { return true }
        let entries = try all[parent]?.entries() ?? []
        return try entries.contains { $0.name == folder.name && $0.kind == .folder } && isRemembered(parent, in: all)
    }

    /// Notes an entry as gone, and everything below it.
    private mutating func lose(_ entry: Entry, in parent: RelativePath) throws {
        let path = parent.appending(entry.name)
        scan.missing.append((path, entry))
        guard entry.kind == .folder else { return }
        for child in try takeEntries(path) { try lose(child, in: path) }
    }
}

extension [Entry] {
    fileprivate var isSortedByName: Bool {
        zip(self, dropFirst()).allSatisfy { $0.name.precedes($1.name) }
    }
}

/// Tells for single paths what a scan would leave out.
package struct IgnoreLookup {
    private var folders: FolderPath
    private var stacks: [RelativePath: IgnoreStack] = [:]

    package init(in root: Folder) { folders = FolderPath(root) }

    /// Whether a rule covers it, or a folder that it is in.
    package mutating func ignores(_ path: RelativePath, isFolder: Bool) -> Bool {
        guard let parent = path.parent else { return false }
        return ignores(parent, isFolder: true) || rules(in: parent).ignores(path: path.bytes, isFolder: isFolder)
    }

    private mutating func rules(in path: RelativePath) -> IgnoreStack {
        if let known = stacks[path] { return known }
        var stack = path.parent.map { rules(in: $0) } ?? IgnoreStack(defaults: Scanner.defaultRules)
        if let folder = try? folders.open(path),
            let text = (try? folder.contents(of: ".cueignore", upTo: 1 << 20)) ?? nil
        {
            stack = stack.adding(IgnoreRules(parsing: text, base: path.bytes))
        }
        stacks[path] = stack
        return stack
    }
}
