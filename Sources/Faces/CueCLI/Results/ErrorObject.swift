/// The JSON of a failed command.
struct ErrorObject: Encodable {
    /// The exit code, the sentence and the hints.
    struct Detail: Encodable {
        let code: Int32
        let message: String
        let hints: [String]

        init(_ error: CueError) { (code, message, hints) = (error.outcome.rawValue, error.message, error.hints) }
    }

    let error: Detail
}
