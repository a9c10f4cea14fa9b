/// One commit of a backup.
struct Round {
    /// Counting from 1.
    let number: Int
    /// Whether it completes the snapshot.
    var isLast = false
    /// Whether a stop was requested.
    var isInterrupted = false
}
