package import CueBase
package import CueSystem
package import CueVault

/// What a look at the library found, against what the local store remembers. No document is opened for it.
package struct Scan: Sendable {
    /// A document, folder or symlink that is new or may have changed.
    package struct Candidate: Sendable {
        package let path: RelativePath
        package let kind: ProjectKind
        package let stat: StatKey
        /// What the store remembers at this path, of the same kind.
        package var old: Entry? { remembered?.entry }
        fileprivate let remembered: Remembered?
    }

    /// One reference instead of a copy of the entry: a first backup has as many candidates as there are files.
    fileprivate final class Remembered: Sendable {
        let entry: Entry
        init(_ entry: Entry) { self.entry = entry }
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
}

/// Walks a library.
package struct Scanner {
    private let bundles: BundleRules
    private let transaction: LocalStore.Transaction
    private var remembered: [RelativePath?: [UInt8]]
    private var scan = Scan()
    private let checkInterruption: () throws -> Void

    package init(
        bundles: BundleRules, transaction: LocalStore.Transaction, checkInterruption: @escaping () throws -> Void
    ) throws {
        (self.bundles, self.transaction, self.checkInterruption) = (bundles, transaction, checkInterruption)
        remembered = try transaction.folders()
    }

    /// Looks at everything below `root`.
    package mutating func run(_ root: Folder) throws -> Scan {
        let info = try root.info()
        let old = try takeEntries(nil).first
        note(.root, .folder, StatKey(info), old)
        try walk(root, .root, IgnoreStack(defaults: Self.defaultRules))
        // Folders that are remembered and were not met: gone, or below one that is gone or could not be read.
        return scan
    }

    private static let defaultRules = IgnoreRules(
        parsing: Array(".DS_Store\n._*\n~$*\n.~lock.*\n*.tmp\n*.swp\n".utf8), base: [])

    private mutating func takeEntries(_ path: RelativePath?) throws -> [Entry] {
        try remembered.removeValue(forKey: path)?.entries() ?? []
    }

    private mutating func walk(_ folder: Folder, _ path: RelativePath, _ outer: IgnoreStack) throws {
        try checkInterruption()
        let names: [[UInt8]]
        do {
            names = try folder.names().sorted { $0.lexicographicallyPrecedes($1) }
        } catch {
            // Nothing below is known to be gone: what cannot be read is not deleted.
            scan.skipped.append(Scan.Skipped(path: path, reason: "the folder cannot be read (\(error.reason))"))
            return
        }
        let rules = rules(in: folder, path, outer)
        let entries = try takeEntries(path)
        var old: [[UInt8]: Entry] = [:]
        for entry in entries { old[entry.name] = entry }
        for name in names {
            if path.isRoot && name == LibraryMarker.folder { continue }
            try visit(name, in: folder, path, rules, &old)
        }
        for entry in old.values { try lose(entry, in: path) }
    }

    private mutating func rules(in folder: Folder, _ path: RelativePath, _ outer: IgnoreStack) -> IgnoreStack {
        do {
            guard let text = try folder.contents(of: ".cueignore", upTo: 1 << 20) else { return outer }
            return outer.adding(IgnoreRules(parsing: text, base: path.bytes))
        } catch {
            // A link or a folder of that name: what it says is not followed, and nothing is left out because of it.
            let name = path.appending(Array(".cueignore".utf8))
            scan.skipped.append(Scan.Skipped(path: name, reason: "its rules cannot be read (\(error.reason))"))
            return outer
        }
    }

    private mutating func visit(
        _ name: [UInt8], in folder: Folder, _ parent: RelativePath, _ rules: IgnoreStack, _ old: inout [[UInt8]: Entry]
    ) throws {
        let path = parent.appending(name)
        guard let info = try? folder.info(of: name) else {
            // It went while we looked; unless its folder is unreadable, the next backup sees it as gone.
            old[name] = nil
            return
        }
        if rules.ignores(path: path.bytes, isFolder: info.kind == .folder) { return }
        guard let kind = kind(of: info, name) else {
            if case .other(let what) = info.kind {
                scan.skipped.append(Scan.Skipped(path: path, reason: "it is \(what)"))
            }
            old[name] = nil
            return
        }
        guard name.count <= Limits.name else {
            // File systems that count characters allow longer names than a vault does.
            scan.skipped.append(Scan.Skipped(path: path, reason: "its name is over \(Limits.name) bytes"))
            old[name] = nil
            return
        }
        guard path.bytes.count <= Limits.path else {
            scan.skipped.append(Scan.Skipped(path: path, reason: "its path is over \(Limits.path) bytes"))
            return
        }
        var remembered = old[name]
        if let entry = remembered, entry.kind != kind {
            // Another kind of thing at the same name is another project; the old one is gone.
            remembered = nil
        } else {
            old[name] = nil
        }
        try take(name, path, kind, StatKey(info), remembered, in: folder)
        if kind == .folder { try enter(name, path, folder, rules) }
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
        _ name: [UInt8], _ path: RelativePath, _ kind: ProjectKind, _ stat: StatKey, _ old: Entry?, in folder: Folder
    ) throws {
        var isSame = old?.stat == stat
        if kind == .bundle {
            var others: [Scan.Skipped] = []
            if isSame, let old { isSame = try isUnchanged(bundle: old, name, path, in: folder, &others) }
            if !isSame { others = Self.others(in: try? folder.folder(name), path) }
            scan.skipped += others
        }
        if isSame {
            if kind.isDocument { scan.unchangedDocuments += 1 }
            return
        }
        note(path, kind, stat, old)
    }

    private mutating func note(_ path: RelativePath, _ kind: ProjectKind, _ stat: StatKey, _ old: Entry?) {
        if path.isRoot && old?.stat == stat { return }
        scan.candidates.append(
            Scan.Candidate(path: path, kind: kind, stat: stat, remembered: old.map(Scan.Remembered.init)))
    }

    /// Whether every member of a bundle has the times, sizes and inodes that the store remembers.
    private mutating func isUnchanged(
        bundle: Entry, _ name: [UInt8], _ path: RelativePath, in folder: Folder, _ others: inout [Scan.Skipped]
    ) throws -> Bool {
        guard let members = try transaction.members(of: bundle.project) else { return false }
        var expected: [RelativePath: StatKey] = [:]
        for entry in members where !entry.member.path.isRoot { expected[entry.member.path] = entry.stat }
        do {
            return try Self.matches(try folder.folder(name), .root, of: path, &expected, &others) && expected.isEmpty
        } catch {
            return false
        }
    }

    private static func matches(
        _ folder: Folder, _ path: RelativePath, of bundle: RelativePath, _ expected: inout [RelativePath: StatKey],
        _ others: inout [Scan.Skipped]
    ) throws(SystemError) -> Bool {
        for name in try folder.names() where !BundleWalk.isIgnored(name) {
            let inner = path.appending(name)
            guard let info = try folder.info(of: name) else { return false }
            if case .other(let what) = info.kind {
                others.append(Scan.Skipped(path: bundle.appending(inner), reason: "it is \(what)"))
                continue
            }
            guard expected.removeValue(forKey: inner) == StatKey(info) else { return false }
            if info.kind == .folder, try !matches(try folder.folder(name), inner, of: bundle, &expected, &others) {
                return false
            }
        }
        return true
    }

    /// What a bundle holds that is no file, folder or link: left out, and named.
    private static func others(in folder: Folder?, _ path: RelativePath) -> [Scan.Skipped] {
        guard let folder, let names = try? folder.names() else { return [] }
        return names.filter { !BundleWalk.isIgnored($0) }.flatMap { name -> [Scan.Skipped] in
            let inner = path.appending(name)
            switch (try? folder.info(of: name))?.kind {
            case .other(let what): return [Scan.Skipped(path: inner, reason: "it is \(what)")]
            case .folder: return others(in: try? folder.folder(name), inner)
            default: return []
            }
        }
    }

    /// Notes an entry as gone, and everything below it.
    private mutating func lose(_ entry: Entry, in parent: RelativePath) throws {
        let path = parent.appending(entry.name)
        scan.missing.append((path, entry))
        guard entry.kind == .folder else { return }
        for child in try takeEntries(path) { try lose(child, in: path) }
    }
}

/// What is inside of a bundle: all of it is the document, but for what the system itself leaves there.
package enum BundleWalk {
    package static func isIgnored(_ name: [UInt8]) -> Bool {
        name == Array(".DS_Store".utf8) || name.starts(with: Array("._".utf8))
    }
}
