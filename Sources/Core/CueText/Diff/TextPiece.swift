/// A run of words with the white space around them.
package enum TextPiece: Equatable, Sendable {
    case same(String), removed(String), added(String)
}
