package import CueBase
package import CueEntitlements
import CueSodium
import CueSystem

/// This device's plan: one small file in the state folder, shared by all libraries (docs/entitlements.md §4). Its
/// functions throw `LibraryError.planDamaged`, `.planNewer` or `.planUnusable`.
package struct PlanFolder: Sendable {
    private let path: FilePathBytes
    private static let name = "memory.json"

    /// The folder `plan` of a state folder; it is made by the first use.
    package init(in state: StateFolder) { path = state.path.appending("plan") }

    /// Reads the plan (or begins as a new device), lets `body` change it, and writes it if it changed. A lock keeps
    /// other processes out meanwhile; waits up to ten seconds for it.
    package func update<Result>(_ body: (inout PlanMemory) throws -> Result) throws -> Result {
        try withFolder { folder in
            let old = try read(folder)
            var memory = old ?? Self.new()
            let result = try body(&memory)
            if memory != old { try folder.replace(Self.name, with: memory.bytes, mode: 0o600) }
            return result
        }
    }

    /// Judges the plan, also where nothing can be written (a full disk, a read-only folder): then `now` is not noted.
    package func look(at now: Timestamp) throws -> PlanReport {
        do { return try update { $0.look(at: now) } } catch LibraryError.planUnusable {
            guard var memory = try read(Folder.open(path)) else { throw LibraryError.planUnusable(.missing) }
            return memory.look(at: now)
        }
    }

    /// Replaces the plan with that of a new device, for which no snapshot was ever signed. Only the trusted keys stay.
    package func startOver() throws -> PlanMemory {
        try withFolder { folder in
            var memory = Self.new()
            do {
                for key in try read(folder)?.keys ?? [] { memory.trust(key) }
            } catch LibraryError.planDamaged {
                // A damaged file has no keys to keep.
            }
            try folder.replace(Self.name, with: memory.bytes, mode: 0o600)
            return memory
        }
    }

    private static func new() -> PlanMemory {
        var generator = SodiumGenerator()
        return PlanMemory(device: .random(using: &generator))
    }

    private func read(_ folder: Folder) throws -> PlanMemory? {
        guard let bytes = try folder.contents(of: Self.name, upTo: PlanMemory.limit) else { return nil }
        do { return try PlanMemory(parsing: bytes) } catch SnapshotRefusal.newerFormat(let format) {
            throw LibraryError.planNewer(format)
        } catch SnapshotRefusal.malformed(let flaw) {
            throw LibraryError.planDamaged(flaw)
        }
    }

    /// Runs `body` under the lock; errors of the file system become `LibraryError.planUnusable`.
    private func withFolder<Result>(_ body: (Folder) throws -> Result) throws -> Result {
        do { return try withLock(body) } catch let error as SystemError {
            throw LibraryError.planUnusable(.system(error))
        }
    }

    private func withLock<Result>(_ body: (Folder) throws -> Result) throws -> Result {
        try path.makeFolders()
        let folder = try Folder.open(path)
        let lock = try folder.openOrCreate(Array("lock".utf8))
        guard lock.lock(within: 10) else {
            throw LibraryError.planUnusable(.locked)
        }
        // The lock ends when its file closes: not before the body is done.
        defer { withExtendedLifetime(lock) {} }
        return try body(folder)
    }
}
