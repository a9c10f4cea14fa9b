import CueEngine

/// A pack that does not hold what commits claim, in JSON.
struct FalseClaimRow: Encodable {
    let pack, problem: String
    let commits: [String]

    init(_ claim: FalseClaim) {
        (pack, problem) = (PackWords.name(claim), claim.problem.sentence)
        commits = PackWords.commits(claim)
    }
}
