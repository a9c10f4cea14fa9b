import CueBase
import CueLibrary
import CueSystem
import CueVault

extension BundleListing {
    /// The members of a bundle that cue put here, each as it looks now; nil if there are others by now.
    func entries(placedAs members: [Member]) -> [MemberEntry]? {
        let members = members.sorted { $0.path < $1.path }
        guard items.map(\.path) == members.map(\.path) else { return nil }
        return zip(members, items).map { MemberEntry(stat: StatKey($1.info, placedAs: $0), member: $0) }
    }
}

extension StatKey {
    /// How a member looks that cue wrote; doubted if it is not as cue left it.
    fileprivate init(_ info: FileInfo, placedAs member: Member) {
        // Some file systems keep times in steps of two seconds.
        let isOurs =
            info.kind == member.content.fileKind
            && (info.kind != .file
                || info.size == member.size
                    && (-2...2).contains(info.modified.seconds.saturatingSubtracting(member.modified.seconds)))
        self = isOurs ? StatKey(info) : StatKey(info).doubted
    }
}

extension Member {
    /// Whether a file looks as cue has just made it from this member, its time to the nanosecond: a program that wrote
    /// in it since has moved that on.
    func isAsPlaced(_ info: FileInfo) -> Bool {
        info.kind == content.fileKind && info.modified == modified
            && (info.kind == .symlink || info.mode == mode) && (info.kind != .file || info.size == size)
    }
}

extension Content {
    fileprivate var fileKind: FileKind {
        switch self {
        case .file: .file
        case .folder: .folder
        case .symlink: .symlink
        }
    }
}
