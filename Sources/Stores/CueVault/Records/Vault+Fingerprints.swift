import CueBase
import CueCrypto
import CueSodium

extension Vault {
    /// As `fingerprint(of:)`, without modes, times and extended attributes: copies of one text are alike.
    package func contentFingerprint(of members: [Member]) -> UInt64 {
        fingerprint(
            of: members.map { member in
                Member(
                    path: member.path, mode: 0, modified: FileTime(seconds: 0, nanoseconds: 0), attributes: [],
                    content: member.content)
            })
    }

    /// A keyed hash of a version's members: equal for equal content, names and attributes. It stays on this device.
    package func fingerprint(of members: [Member]) -> UInt64 {
        var writer = ByteWriter()
        writer.members(members) { _ in nil }
        return BLAKE2b.chunkID(of: writer.bytes.span, key: key.chunkIDs).a
    }
}
