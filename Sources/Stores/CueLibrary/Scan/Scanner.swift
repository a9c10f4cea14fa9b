package import CueBase
package import CueSystem
import CueVault
import Synchronization

/// Walks a library: first the folders, one after the other, then on all cores the bundles that seem unchanged.
package struct Scanner {
    private let bundles: BundleRules
    private let keys: [ProjectID: BundleKey]
    private let again: Set<ProjectID>
    private var remembered: [RelativePath?: [UInt8]]
    private var scan = Scan()
    private var unproved: [UnprovedBundle] = []
    private let checkInterruption: @Sendable () throws -> Void

    /// `again`: documents that are candidates even if they are unchanged. `checkInterruption` is called for every
    /// folder and every 64 bundles; its error ends the scan.
    package init(
        bundles: BundleRules, known: KnownTree, again: Set<ProjectID> = [],
        checkInterruption: @escaping @Sendable () throws -> Void
    ) {
        self.again = again
        (self.bundles, self.checkInterruption) = (bundles, checkInterruption)
        (remembered, keys) = (known.folders, known.bundleKeys)
    }

    /// Scans everything below `root`. Throws if `root` itself cannot be read; folders below it are skipped instead.
    package mutating func run(_ root: Folder) throws -> Scan {
        let info = try root.info()
        let old = try takeEntries(nil).first
        note(.root, .folder, StatKey(info), old)
        let all = remembered
        // Remembered folders that the walk does not meet are gone, or below one that is gone or unreadable.
        try walk(root, .root, IgnoreStack(defaults: Self.defaultRules))
        try loseOrphans(of: all)
        try proveBundles(in: root)
        return scan
    }

    /// The rules that hold in every library.
    static let defaultRules = IgnoreRules(parsing: SystemLitter.rules, base: [])
    private static let ignoreFile = Array(".cueignore".utf8)

    /// The remembered entries of a folder, sorted by name; each folder gives them once.
    private mutating func takeEntries(_ path: RelativePath?) throws -> [ScanEntry] {
        let entries = try remembered.removeValue(forKey: path)?.entries() ?? []
        return entries.isSortedByName ? entries : entries.sorted { $0.name.precedes($1.name) }
    }

    /// Scans one folder and those below it. `outer`: the rules of the folders above.
    private mutating func walk(_ folder: Folder, _ path: RelativePath, _ outer: IgnoreStack) throws {
        try checkInterruption()
        let names: [[UInt8]]
        do {
            names = try folder.names().sorted { $0.precedes($1) }
        } catch {
            // An unreadable folder says nothing about what is below it, so nothing there counts as deleted.
            scan.skipped.append(SkippedPath(path: path, reason: .folderUnreadable(error)))
            return
        }
        let rules = names.contains(Self.ignoreFile) ? rules(in: folder, path, outer) : outer
        // Both lists are sorted: one pass finds new, known and missing names.
        let entries = try takeEntries(path)
        var (next, lost) = (0, [ScanEntry]())
        var previous: [UInt8] = []
        // Some file systems name an entry twice while the folder changes.
        for name in names where name != previous {
            previous = name
            while next < entries.count, entries[next].name.precedes(name) {
                lost.append(entries[next])
                next += 1
            }
            var old: ScanEntry?
            if next < entries.count, entries[next].name == name {
                old = entries[next]
                next += 1
            }
            if path.isRoot && name == LibraryMarker.folder || StagedName.isDraft(name) { continue }
            if try !visit(name, in: folder, path, rules, old), let old { lost.append(old) }
        }
        for entry in lost + entries[next...] { try lose(entry, in: path) }
    }

    /// The rules in a folder that has a `.cueignore`.
    private mutating func rules(in folder: Folder, _ path: RelativePath, _ outer: IgnoreStack) -> IgnoreStack {
        do {
            guard let text = try folder.contents(of: ".cueignore", upTo: 1 << 20) else { return outer }
            return outer.adding(IgnoreRules(parsing: text, base: path.bytes))
        } catch {
            // `.cueignore` is a link or a folder: it is not followed, and no rule is assumed.
            let name = path.appending(Self.ignoreFile)
            scan.skipped.append(SkippedPath(path: name, reason: .rulesUnreadable(error)))
            return outer
        }
    }

    /// Scans one name. Returns false if the entry `old` is gone.
    private mutating func visit(
        _ name: [UInt8], in folder: Folder, _ parent: RelativePath, _ rules: IgnoreStack, _ old: ScanEntry?
    ) throws -> Bool {
        let path = parent.appending(name)
        let found: FileInfo?
        do { found = try folder.info(of: name) } catch {
            // A folder that lost its rights after it was opened still lists names, but no name can be looked at.
            let unreadable = SkippedPath(path: parent, reason: .folderUnreadable(error))
            if scan.skipped.last?.path != parent { scan.skipped.append(unreadable) }
            return true
        }
        // The file went during the scan: the next backup sees it as gone.
        guard let info = found else { return true }
        // A new rule that covers a stored document is no deletion: other devices keep it.
        if rules.ignores(path: path.bytes, isFolder: info.kind == .folder) { return true }
        guard let kind = kind(of: info, name) else {
            if case .other(let what) = info.kind {
                scan.skipped.append(SkippedPath(path: path, reason: .special(what)))
            }
            return true
        }
        guard name.count <= Limits.name else {
            // File systems that count characters allow longer names than a vault.
            scan.skipped.append(SkippedPath(path: path, reason: .nameTooLong))
            return true
        }
        guard path.bytes.count <= Limits.path else {
            scan.skipped.append(SkippedPath(path: path, reason: .pathTooLong))
            return false
        }
        // A different kind at the same name is a different project, and the old one is gone.
        let isOther = old.map { $0.kind != kind } ?? false
        take(path, kind, StatKey(info), isOther ? nil : old)
        if kind == .folder { try enter(name, path, folder, rules) }
        return !isOther
    }

    /// Walks a folder below, or notes it as skipped.
    private mutating func enter(_ name: [UInt8], _ path: RelativePath, _ folder: Folder, _ rules: IgnoreStack) throws {
        do {
            let inner = try folder.folder(name)
            try walk(inner, path, rules)
        } catch let error as SystemError {
            scan.skipped.append(SkippedPath(path: path, reason: .folderUnreadable(error)))
        }
    }

    /// nil for anything but files, folders and symbolic links.
    private func kind(of info: FileInfo, _ name: [UInt8]) -> ProjectKind? {
        switch info.kind {
        case .file: .file
        case .folder: bundles.isBundle(name) ? .bundle : .folder
        case .symlink: .symlink
        case .other: nil
        }
    }

    /// Decides what is noted of a name: nothing, a candidate, a damaged file, or a bundle to look into later.
    private mutating func take(
        _ path: RelativePath, _ kind: ProjectKind, _ stat: StatKey, _ old: ScanEntry?
    ) {
        let isSame = old?.stat == stat
        if isSame, let old, again.contains(old.project) { return note(path, kind, stat, old) }
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

    /// Adds a candidate. The library's own folder is one only if it changed.
    private mutating func note(_ path: RelativePath, _ kind: ProjectKind, _ stat: StatKey, _ old: ScanEntry?) {
        if path.isRoot && old?.stat == stat { return }
        scan.candidates.append(
            Scan.Candidate(path: path, kind: kind, stat: stat, remembered: old.map { Scan.Remembered($0) }))
    }

    // MARK: Bundles

    /// A bundle whose own folder is unchanged. `proveBundles` looks at its members.
    private struct UnprovedBundle {
        let path: RelativePath
        let stat: StatKey
        let entry: ScanEntry
        let key: BundleKey
        /// The number of candidates before it, so that the order of paths is kept.
        let at: Int
    }

    /// Looks into all unproved bundles, on several threads if there are many, and adds those that changed to the
    /// candidates.
    private mutating func proveBundles(in root: Folder) throws {
        guard !unproved.isEmpty else { return }
        let (unproved, check) = (unproved, checkInterruption)
        let shared = Mutex([Look](repeating: .changed(nil), count: unproved.count))
        let threads = unproved.count < 16 ? 1 : Workers.coreCount
        try Workers.forEach(unproved.count, on: threads, context: { FolderPath(root) }) { number, folders in
            if number % 64 == 0 { try check() }
            let bundle = unproved[number]
            let listing = try? BundleListing(folders.open(bundle.path))
            let isSame = listing.map { BundleKey($0) == bundle.key } ?? false
            shared.withLock { $0[number] = isSame ? .same(listing?.others ?? []) : .changed(listing) }
        }
        let looks = shared.withLock { $0 }
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

    /// The result for one unproved bundle.
    private enum Look: Sendable {
        /// Unchanged; with members that a vault does not store.
        case same([BundleListing.Other])
        /// nil if the bundle could not be read.
        case changed(BundleListing?)
    }

    /// Notes the entries of orphaned folders as missing: remembered folders without an entry in the folder above them.
    /// A sync that was cut off leaves them if it has put documents into a new folder, and the folder was moved away
    /// before the next scan.
    private mutating func loseOrphans(of all: [RelativePath?: [UInt8]]) throws {
        for path in remembered.keys.compactMap(\.self).sorted() where try !Self.isRemembered(path, in: all) {
            for entry in try takeEntries(path) { try lose(entry, in: path) }
        }
    }

    /// Whether the folder and all those above it have entries.
    private static func isRemembered(_ folder: RelativePath, in all: [RelativePath?: [UInt8]]) throws -> Bool {
        guard let parent = folder.parent else { return true }
        let entries = try all[parent]?.entries() ?? []
        return try entries.contains { $0.name == folder.name && $0.kind == .folder } && isRemembered(parent, in: all)
    }

    /// Notes an entry, and everything below it, as missing.
    private mutating func lose(_ entry: ScanEntry, in parent: RelativePath) throws {
        let path = parent.appending(entry.name)
        scan.missing.append((path, entry))
        guard entry.kind == .folder else { return }
        for child in try takeEntries(path) { try lose(child, in: path) }
    }
}

extension [ScanEntry] {
    fileprivate var isSortedByName: Bool {
        zip(self, dropFirst()).allSatisfy { $0.name.precedes($1.name) }
    }
}
