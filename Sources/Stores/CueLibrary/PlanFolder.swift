package import CueBase
package import CueEntitlements
import CueSodium
import CueSystem

/// Where a device keeps its plan: one small file in the state folder, for all libraries (docs/entitlements.md §4).
package struct PlanFolder: Sendable {
    private let path: FilePathBytes
    private static let name = "memory.json"

    package init(in state: StateFolder) { path = state.path.appending("plan") }

    /// Reads what is kept (or begins with a new device), lets `body` change it, and writes it if it did; one process at a time.
    package func update<Result>(_ body: (inout PlanMemory) throws -> Result) throws -> Result {
        try withFolder { folder in
            let old = try read(folder)
            var memory = old ?? Self.new()
            let result = try body(&memory)
            if memory != old { try folder.replace(Self.name, with: memory.bytes, mode: 0o600) }
            return result
        }
    }

    /// Judges what is kept where nothing can be written (a full disk, a folder that is read-only): the time of it is not noted.
    package func look(at now: Timestamp) throws -> PlanReport {
        do { return try update { $0.look(at: now) } } catch LibraryError.planUnusable {
            guard var memory = try read(Folder.open(path)) else { throw LibraryError.planUnusable("it is not there") }
            return memory.look(at: now)
        }
    }

    /// Begins as a new device, for which no snapshot was ever signed; of what was kept only the trusted keys stay.
    package func startOver() throws -> PlanMemory {
        try withFolder { folder in
            var memory = Self.new()
            do {
                for key in try read(folder)?.keys ?? [] { memory.trust(key) }
            } catch LibraryError.planDamaged {
                // Of what cannot be read nothing can stay.
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
        } catch SnapshotRefusal.malformed(let reason) {
            throw LibraryError.planDamaged(reason)
        }
    }

    private func withFolder<Result>(_ body: (Folder) throws -> Result) throws -> Result {
        do { return try withLock(body) } catch let error as SystemError {
            throw LibraryError.planUnusable(error.reason)
        }
    }

    private func withLock<Result>(_ body: (Folder) throws -> Result) throws -> Result {
        try path.makeFolders()
        let folder = try Folder.open(path)
        let lock = try folder.openOrCreate(Array("lock".utf8))
        let deadline = Environment.monotonicSeconds + 10
        while !lock.tryLock() {
            guard Environment.monotonicSeconds < deadline else {
                throw LibraryError.planUnusable("another cue has been writing it for ten seconds")
            }
            Wait.milliseconds(20)
        }
        // The lock ends when its file closes: not before the body is done.
        defer { withExtendedLifetime(lock) {} }
        return try body(folder)
    }
}
