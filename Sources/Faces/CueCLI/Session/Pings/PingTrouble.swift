import CueCurl

/// The reasons why a monitor did not hear something.
enum PingTrouble: Equatable, Sendable {
    /// It answered with this status.
    case refused(Int)
    /// It gave no answer.
    case unheard(HTTPError)
}
