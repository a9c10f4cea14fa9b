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
            info.kind == .folder
            || info.size == member.size
                && (-2...2).contains(info.modified.seconds.saturatingSubtracting(member.modified.seconds))
            || info.kind == .symlink
        self = isOurs ? StatKey(info) : StatKey(info).doubted
    }
}
