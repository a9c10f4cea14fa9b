/// One commit of a backup.
struct Round {
    let number: Int
    var isLast = false
    var isInterrupted = false
}
