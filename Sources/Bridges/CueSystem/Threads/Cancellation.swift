/// Whether work is to stop, as a value. A signal decides in the program; tests stop work at a moment of their own.
package struct Cancellation: Sendable {
    private let ask: @Sendable () -> Bool

    /// `isRequested` is called often and from any thread.
    package init(isRequested: @escaping @Sendable () -> Bool) { ask = isRequested }

    /// True once work is to stop.
    package var isRequested: Bool { ask() }

    /// Throws `Interrupted` if work is to stop.
    package func throwIfRequested() throws(Interrupted) {
        if isRequested { throw Interrupted() }
    }

    /// Stops work after a signal or `Interruption.request`.
    package static let system = Cancellation { Interruption.isRequested }
}
