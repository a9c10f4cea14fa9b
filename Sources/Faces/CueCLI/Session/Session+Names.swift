import CueEngine
import CueLibrary
import CueVault

extension Session {
    /// Names of documents in the vault. `at`: the time or snapshot of the state in which they are looked for.
    private func naming(at: String?) -> Naming {
        Naming(library: library) { try NameSearch.matches($0, at: at, context()) }
    }

    /// `Naming.reading` in the vault.
    func reading<Result>(
        _ typed: String, at: String? = nil, _ output: Output, _ body: (String) throws -> Result
    ) throws -> Result {
        try naming(at: at).reading(typed, output, body)
    }

    /// `Naming.writing` in the vault.
    func writing<Result>(
        _ typed: [String], at: String? = nil, synced: String? = nil, _ body: ([String]) throws -> Result
    ) throws -> Result {
        try naming(at: at).writing(typed, synced: synced, body)
    }

    /// `Naming.place(of:)`.
    func place(of typed: String) -> String { naming(at: nil).place(of: typed) }
}

extension OpenLibrary {
    /// The project that a person means, among those that this device remembers. `output`: of a command that only reads;
    /// without it she is asked before another name than hers is taken. Throws `CueError`, or `EngineError` if several
    /// fit.
    func project(_ typed: String, _ output: Output? = nil) throws -> LocalProject {
        let projects = try store.read { try $0.localProjects() }
        let naming = Naming(library: self) { NameSearch.matches($0, in: projects) }
        do {
            guard let output else {
                return try naming.writing([typed]) { try ProjectLookup.find($0[0], in: projects) }
            }
            return try naming.reading(typed, output) { try ProjectLookup.find($0, in: projects) }
        } catch EngineError.unknownName(let name, let near) {
            throw NameWords.notHere(name.isEmpty ? typed : name, near)
        }
    }
}
