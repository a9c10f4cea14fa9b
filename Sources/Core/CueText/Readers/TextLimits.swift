/// Bounds on the text that is read.
package enum TextLimits {
    /// The largest file, and the most that a packed one may unpack to, in bytes. Callers check sizes before they load.
    package static let file = 64 << 20
}
