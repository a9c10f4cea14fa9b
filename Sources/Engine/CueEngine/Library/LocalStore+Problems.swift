import CueLibrary

extension LocalStore.Transaction {
    /// The problem that a fact holds; nil for none, or for the form of an earlier version.
    func problem(_ fact: Fact<FactCode>) throws -> VaultProblem? { try value(fact)?.value() }

    /// Sets a problem; nil removes it.
    func set(_ problem: VaultProblem?, as fact: Fact<FactCode>) throws {
        try set(fact, to: problem.map { try FactCode($0) })
    }
}
