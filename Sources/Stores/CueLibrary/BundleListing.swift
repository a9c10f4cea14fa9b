package import CueBase
package import CueSystem

/// What stands in a bundle at one moment, in the order of paths.
package struct BundleListing: Equatable, Sendable {
    package struct Item: Equatable, Sendable {
        package let path: RelativePath
        package let info: FileInfo
    }

    /// What no vault keeps: a FIFO, a socket, a device.
    package struct Other: Equatable, Sendable {
        package let path: RelativePath
        package let what: String

        package func skipped(in bundle: RelativePath) -> Scan.Skipped {
            Scan.Skipped(path: bundle.appending(path), reason: "it is \(what)")
        }
    }

    package private(set) var items: [Item] = []
    package private(set) var others: [Other] = []

    package init(_ root: Folder) throws(SystemError) {
        items.append(Item(path: .root, info: try root.info()))
        try walk(root, .root)
        items.sort { $0.path < $1.path }
        // Some file systems name an entry twice while the folder changes.
        for i in items.indices.dropFirst().reversed() where items[i].path == items[i - 1].path { items.remove(at: i) }
    }

    /// Whether nothing in the bundle differs but for when its own folder was renamed.
    package func hasSameContent(as other: BundleListing) -> Bool {
        items.dropFirst() == other.items.dropFirst() && items.first?.info.modified == other.items.first?.info.modified
    }

    /// When anything in it was last changed.
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

/// What is inside of a bundle: all of it is the document, but for what the system itself leaves there.
private enum BundleWalk {
    /// There while Scrivener has the project open. On another device it would say that it is open there.
    private static let scrivenerLock = Array("user.lock".utf8)
    private static let finder = Array(".DS_Store".utf8)
    private static let resourceFork = Array("._".utf8)

    static func isIgnored(_ name: [UInt8]) -> Bool {
        name.first == 0x2e && (name == finder || name.starts(with: resourceFork) || DraftName.isDraft(name))
            || name == scrivenerLock
    }
}
