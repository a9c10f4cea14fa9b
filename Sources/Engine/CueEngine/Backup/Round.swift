/// One commit of a backup.
struct Round {
    /// Counting from 1.
    let number: Int
    /// Whether it completes the snapshot. The round after which nothing is left does, unless only some documents are
    /// stored.
    var isLast = false
    /// Whether a stop was requested.
    var isInterrupted = false
}
