/// What a command may ask and tell a person before its own output exists.
enum Asking {
    /// Whether questions may be asked. With `--json` and `--quiet` only a passphrase may be.
    static var isAllowed: Bool { ConflictPrompt.isPossible && !isForProgram && !hasArgument("--quiet", "-q") }

    private static var isForProgram: Bool { hasArgument("--json") }
    private static func hasArgument(_ names: String...) -> Bool { processArguments().contains { names.contains($0) } }

    /// Prints a warning.
    static func warn(_ text: String) { Output(json: isForProgram, quiet: false).warning(text) }
}
