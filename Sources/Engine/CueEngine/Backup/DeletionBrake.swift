/// Stops what looks like a mistake: so many documents gone at once that it may be a folder that is not all there.
package enum DeletionBrake {
    private static let most = 20
    /// Three of four documents are a person's own tidying; of a hundred, thirty-one are asked about.
    private static let least = 4

    /// Whether so many deletions wait for a person's word: more than 20; more than 30 % of what was there, from four on; or several
    /// with nothing left.
    package static func holds(gone: Int, of all: Int, left: Int) -> Bool {
        gone > most || gone >= least && gone * 10 > all * 3 || gone > 1 && left == 0
    }
}
