/// The reason why cue cannot read the text of a file.
package struct TextError: Error, Sendable, Equatable {
    /// Half a sentence, lower case, no full stop.
    package let reason: String

    /// An error of this reason.
    package init(reason: String) { self.reason = reason }

    static let tooLarge = TextError(reason: "it is larger than \(TextLimits.file >> 20) MiB")
}
