/// Random numbers from a source that all copies share. The system's is the usual one; tests have one that repeats
/// itself.
package struct RandomSource: RandomNumberGenerator, Sendable {
    private let draw: @Sendable () -> UInt64

    /// `draw` gives eight random bytes, on any thread.
    package init(_ draw: @escaping @Sendable () -> UInt64) { self.draw = draw }

    /// Eight random bytes.
    package func next() -> UInt64 { draw() }

    /// The system's source, by libsodium.
    package static let system = RandomSource {
        var generator = SodiumGenerator()
        return generator.next()
    }
}
