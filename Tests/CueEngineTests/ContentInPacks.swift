import CueBase
import Testing

/// Vaults that keep all content in packs, as with large documents: for tests of packs that are lost, damaged or late, so
/// that their documents may be small.
struct ContentInPacks: SuiteTrait, TestTrait, TestScoping {
    /// The most bytes of blocks that a commit takes itself.
    @TaskLocal static var room = Limits.inline

    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await Self.$room.withValue(0) { try await function() }
    }
}

extension Trait where Self == ContentInPacks {
    /// All content stands in packs.
    static var contentInPacks: ContentInPacks { ContentInPacks() }
}
