package import CueBase
package import CueSystem

/// The members of a bundle on the disk at one moment, sorted by path.
package struct BundleListing: Equatable, Sendable {
    /// A file, folder or symbolic link. The bundle's own folder is one too, with the path `.root`.
    package struct Item: Equatable, Sendable {
        /// Relative to the bundle.
        package let path: RelativePath
        /// As `fstatat` reports it.
        package let info: FileInfo
    }

    /// Something that a vault does not store: a FIFO, a socket, a device.
    package struct Other: Equatable, Sendable {
        /// Relative to the bundle.
        package let path: RelativePath
        /// Its kind.
        package let what: SpecialFile

        /// The same as a skipped path of the library; `bundle` is the bundle's path there.
        package func skipped(in bundle: RelativePath) -> SkippedPath {
            SkippedPath(path: bundle.appending(path), reason: .special(what))
        }
    }

    /// All members, the bundle's own folder first.
    package private(set) var items: [Item] = []
    /// In the order in which they were found.
    package private(set) var others: [Other] = []

    /// Lists the bundle whose folder is `root`. Throws if a folder cannot be read or a path is too long for a vault.
    package init(_ root: Folder) throws(SystemError) {
        items.append(Item(path: .root, info: try root.info()))
        try walk(root, .root)
        items.sort { $0.path < $1.path }
        // Some file systems name an entry twice while the folder changes.
        for i in items.indices.dropFirst().reversed() where items[i].path == items[i - 1].path { items.remove(at: i) }
    }

    /// Whether the listings are equal, apart from the change time of the bundle's own folder: a rename moves that on.
    package func hasSameContent(as other: BundleListing) -> Bool {
        items.dropFirst() == other.items.dropFirst() && items.first?.info.modified == other.items.first?.info.modified
    }

    /// The newest change time of all members.
    package var lastChange: FileTime { items.map(\.info.changed).max() ?? FileTime(seconds: 0, nanoseconds: 0) }

    private mutating func walk(_ folder: Folder, _ path: RelativePath) throws(SystemError) {
        for name in try folder.names() where !BundleWalk.isIgnored(name) {
            guard let info = try folder.info(of: name) else { continue }
            let inner = path.appending(name)
            if case .other(let what) = info.kind {
                others.append(Other(path: inner, what: what))
                continue
            }
            guard inner.bytes.count <= Limits.path, name.count <= Limits.name else {
                throw SystemError(code: SystemError.tooLong.code, call: "open", subject: Display.text(inner))
            }
            items.append(Item(path: inner, info: info))
            if info.kind == .folder { try walk(try folder.folder(name), inner) }
        }
    }
}

/// Everything inside a bundle is part of the document, except for what the system itself leaves there.
private enum BundleWalk {
    /// Whether a name is left out: litter of the system, a draft of cue, or Scrivener's lock.
    static func isIgnored(_ name: [UInt8]) -> Bool {
        guard name.first == 0x2e else { return name == SystemLitter.scrivenerLock }
        return name == SystemLitter.finderFile || name.starts(with: SystemLitter.resourceFork)
            || StagedName.isDraft(name)
    }
}
