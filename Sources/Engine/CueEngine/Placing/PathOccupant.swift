import CueBase
import CueLibrary
import CueSystem

/// The file, link or folder at a path, as it was at one moment.
enum PathOccupant {
    /// A file or a symbolic link.
    case single(StatKey)
    /// A folder with all its members.
    case folder(BundleListing)

    /// Looks at a name in a folder; nil if nothing is there.
    init?(_ name: [UInt8], in folder: Folder) throws(SystemError) {
        guard let info = try folder.info(of: name) else { return nil }
        self = info.kind == .folder ? .folder(try BundleListing(folder.folder(name))) : .single(StatKey(info))
    }

    /// Whether it is a folder.
    var isBundle: Bool { if case .folder = self { true } else { false } }

    /// Whether both are equal, apart from the change time, which a rename moves on.
    func isSame(as other: PathOccupant) -> Bool {
        switch (self, other) {
        case (.single(let one), .single(let other)): one.isSameContent(as: other)
        case (.folder(let one), .folder(let other)): one.hasSameContent(as: other)
        default: false
        }
    }
}
