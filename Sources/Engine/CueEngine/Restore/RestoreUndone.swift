package import CueBase

/// What an undo of a restore did.
package struct RestoreUndone: Sendable {
    /// The two things that an undo does by turns.
    package enum Direction: String, Sendable {
        /// The library is as it was before the restore.
        case takenBack = "taken_back"
        /// An undo was undone: the library is as the restore had made it.
        case restoredAgain = "restored_again"
    }

    /// Which of the two it was.
    package let direction: Direction
    /// When the restore was that is taken back or brought again; nil if that is not remembered.
    package let restored: Timestamp?
    /// The documents that came back, or came again, in the order of their paths.
    package internal(set) var documents: [RelativePath] = []
}
