import CueCurl

/// The reasons for which a message did not reach a monitor.
enum PingTrouble: Equatable, Sendable {
    /// It answered with this status.
    case refused(Int)
    /// It gave no answer.
    case unheard(HTTPError)
}
