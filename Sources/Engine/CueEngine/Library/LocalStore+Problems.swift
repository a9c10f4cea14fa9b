import CueLibrary

extension LocalStore.Transaction {
    /// The problem that a fact holds; nil if there is none, or if an earlier version of cue wrote it in another form.
    func problem(_ fact: Fact<FactCode>) throws -> VaultProblem? { try value(fact)?.value() }

    /// Sets a problem; nil removes it.
    func set(_ problem: VaultProblem?, as fact: Fact<FactCode>) throws {
        try set(fact, to: problem.map { try FactCode($0) })
    }
}
