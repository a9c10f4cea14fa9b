import CueBase
import CueSodium
import CueSystem
import CueVault

/// A hash over the paths and stat keys of all members of a bundle: equal as long as none of them was touched.
package struct BundleKey: Hashable, Sendable {
    /// The first 16 bytes of the BLAKE2b hash.
    let hash: ID16

    init(_ hash: ID16) { self.hash = hash }

    /// `members` sorted by path and without the bundle's own folder: that one has an entry in the folder around it.
    init(_ members: some Sequence<(path: RelativePath, stat: StatKey)>) {
        var writer = ByteWriter()
        for member in members {
            writer.lengthAndBytes(member.path.bytes)
            writer.stat(member.stat)
        }
        var reader = ByteReader(BLAKE2b.hash(writer.bytes))
        // 32 bytes hold an id of 16.
        hash = (try? reader.id16()) ?? ID16(high: 0, low: 0)
    }

    /// The key of a bundle as it is on the disk.
    init(_ listing: BundleListing) {
        self.init(listing.items.lazy.filter { !$0.path.isRoot }.map { (path: $0.path, stat: StatKey($0.info)) })
    }

    /// The key of a bundle as it was when its version was stored.
    init(_ members: [MemberEntry]) {
        let inside = members.filter { !$0.member.path.isRoot }.sorted { $0.member.path < $1.member.path }
        self.init(inside.lazy.map { (path: $0.member.path, stat: $0.stat) })
    }
}
