/// Stops deletions that look like a mistake: so many documents are gone at once that the folder may be incomplete.
package enum DeletionBrake {
    private static let most = 20
    /// The 30 % count from this many on: three of four documents are a person's own tidying, four of ten are asked
    /// about.
    private static let least = 4

    /// Whether this many deletions wait for a person's consent: more than 20; more than 30 % of `all`, from four on; or
    /// more than one if nothing is left.
    package static func holds(gone: Int, of all: Int, left: Int) -> Bool {
        gone > most || gone >= least && gone * 10 > all * 3 || gone > 1 && left == 0
    }
}
