package import CueBase
import CueCrypto
import CueSodium

// This layout is frozen: docs/format.md §13.

extension Vault {
    /// The UUID of a project, of version 8, for services that need one. It reveals nothing of the project, and differs
    /// in every vault.
    package func uuid(of project: ProjectID) -> ID16 { key.uuid(of: project) }
}

extension VaultKey {
    /// As `Vault.uuid(of:)`.
    package func uuid(of project: ProjectID) -> ID16 {
        var writer = ByteWriter()
        writer.id(project)
        let hash = BLAKE2b.chunkID(of: writer.bytes.span, key: projectUUIDs)
        return ID16(high: hash.a, low: hash.b).asUUID(version: 8)
    }
}
