extension File {
    /// Takes the exclusive lock, and tries again for `seconds`; false if another process still holds it then.
    ///
    /// `checkInterruption` runs between two tries, and an error of it ends the waiting.
    package borrowing func lock(within seconds: Double, checkInterruption: () throws -> Void) rethrows -> Bool {
        let deadline = Environment.monotonicSeconds + seconds
        while !tryLock() {
            try checkInterruption()
            guard Environment.monotonicSeconds < deadline else { return false }
            Wait.milliseconds(20)
        }
        return true
    }

    /// The same, without a look at interruptions.
    package borrowing func lock(within seconds: Double) -> Bool { lock(within: seconds, checkInterruption: {}) }
}
