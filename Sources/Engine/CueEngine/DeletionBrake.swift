/// Stops what looks like a mistake: so many documents gone at once that it may be a folder that is not all there.
package enum DeletionBrake {
    private static let most = 20
    /// Three of four documents are a person's own tidying; of a hundred, thirty-one are asked about.
    private static let least = 4

    /// Whether so many deletions wait for a person's word: more than 20, more than 30 % (from four on), or all there are.
    package static func holds(gone: Int, of all: Int) -> Bool {
        gone > most || gone >= least && gone * 10 > all * 3 || gone > 1 && gone == all
    }
}
