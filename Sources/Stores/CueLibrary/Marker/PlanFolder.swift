package import CueBase
package import CueEntitlements
import CueSodium
import CueSystem

/// This device's plan: a small local store in the state folder, shared by all libraries (docs/entitlements.md §4). A
/// damaged one stops no library. Its functions throw `LibraryError.planDamaged`, `.planNewer` or `.planUnusable`.
package struct PlanFolder: Sendable {
    private let path: FilePathBytes
    /// The file in which an earlier cue kept the plan, and that of its lock.
    private static let (oldName, oldLock) = ("memory.json", "lock")

    /// The folder `plan` of a state folder; it is made by the first use.
    package init(in state: StateFolder) { path = state.path.appending("plan") }

    /// Reads the plan (or begins as a new device), lets `body` change it, and stores it if it changed. Other processes
    /// wait meanwhile, for up to ten seconds.
    package func update<Result>(_ body: (inout PlanMemory) throws -> Result) throws -> Result {
        let result = try withStore { store in
            let older = try olderFile()
            return try store.write { transaction in
                let old = try transaction.plan()
                var memory = old ?? older ?? Self.new()
                let result = try body(&memory)
                if memory != old { try transaction.set(memory) }
                return result
            }
        }
        removeOlderFile()
        return result
    }

    /// Judges the plan, also where nothing can be written (a full disk, a read-only folder): then `now` is not noted.
    package func look(at now: Timestamp) throws -> PlanReport {
        do { return try update { $0.look(at: now) } } catch LibraryError.planUnusable {
            guard var memory = try read() else { throw LibraryError.planUnusable(.missing) }
            return memory.look(at: now)
        }
    }

    /// Takes over what other devices accepted, as it came out of a vault: a snapshot for this device that was issued
    /// after all that it ever accepted. Does nothing on a device that never had to do with plans.
    package func take(_ files: [[UInt8]], at now: Timestamp) throws {
        guard try path.info() != nil else { return }
        try update { memory in for file in files { memory.take(file, at: now) } }
    }

    /// Replaces the plan with that of a new device, for which no snapshot was ever signed. Only the trusted keys stay.
    package func startOver() throws -> PlanMemory {
        var memory = Self.new()
        do {
            for key in try update({ $0.keys }) { memory.trust(key) }
        } catch LibraryError.planDamaged, LibraryError.planUnusable(.store) {
            // What is damaged has no keys to keep.
            removeOlderFile()
            LocalStore.remove(from: path)
        }
        let fresh = memory
        return try update { memory in
            memory = fresh
            return fresh
        }
    }

    private static func new() -> PlanMemory {
        var generator = SodiumGenerator()
        return PlanMemory(device: .random(using: &generator))
    }

    /// The plan, where nothing can be written; nil if there is none.
    private func read() throws -> PlanMemory? {
        guard let info = try? path.appending(LocalStore.name).info(), info.kind == .file else { return try olderFile() }
        let stored = try told { try LocalStore(readOnlyIn: path).read { try $0.plan() } }
        return try stored ?? olderFile()
    }

    /// Runs `body` on the store; errors of the file system and of SQLite become `LibraryError.planUnusable`.
    private func withStore<Result>(_ body: (LocalStore) throws -> Result) throws -> Result {
        try told {
            try path.makeFolders()
            return try body(LocalStore(in: path, isSmall: true))
        }
    }

    private func told<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as SystemError {
            throw LibraryError.planUnusable(.system(error))
        } catch LibraryError.stateUnusable(let flaw) {
            throw LibraryError.planUnusable(.store(flaw))
        } catch LibraryError.busy {
            throw LibraryError.planUnusable(.locked)
        }
    }

    // MARK: The file of an earlier cue

    /// The plan as an earlier cue kept it; nil if there is none.
    private func olderFile() throws -> PlanMemory? {
        guard let folder = try? Folder.open(path),
            let bytes = try folder.contents(of: Self.oldName, upTo: PlanMemory.limit)
        else { return nil }
        return try PlanMemory(storing: bytes)
    }

    /// Removes that file once the store has what it held.
    private func removeOlderFile() {
        guard let folder = try? Folder.open(path) else { return }
        for name in [Self.oldName, Self.oldLock] { try? folder.remove(Array(name.utf8)) }
    }
}

extension LocalStore.Transaction {
    fileprivate func plan() throws -> PlanMemory? {
        try value(.planMemory).map { try PlanMemory(storing: Array($0.utf8)) }
    }

    fileprivate func set(_ memory: PlanMemory) throws {
        try set(.planMemory, to: String(decoding: memory.bytes, as: UTF8.self))
    }
}

extension PlanMemory {
    /// Throws `LibraryError.planDamaged` or `.planNewer`.
    fileprivate init(storing bytes: [UInt8]) throws {
        do { self = try PlanMemory(parsing: bytes) } catch SnapshotRefusal.newerFormat(let format) {
            throw LibraryError.planNewer(format)
        } catch SnapshotRefusal.malformed(let flaw) {
            throw LibraryError.planDamaged(flaw)
        }
    }
}
