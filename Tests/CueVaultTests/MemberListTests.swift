import CueBase
import CueTestSupport
import Testing

@testable import CueVault

@Suite("Member lists")
struct MemberListTests {
    private typealias T = TestVault

    /// A small tree of random members: folders `a` to `c`, and files below them.
    private static func randomTree(_ random: inout SeededGenerator) -> [RelativePath: Member] {
        var tree = [RelativePath.root: T.member("")]
        for folder in ["a", "b", "b-1", "b/c"].filter({ _ in Bool.random(using: &random) }) {
            guard let parent = T.path(folder).parent, tree[parent] != nil else { continue }
            tree[T.path(folder)] = T.member(folder)
        }
        for folder in tree.keys.sorted() {
            for number in 0..<Int.random(in: 0..<4, using: &random) {
                let path = folder.appending(Array("f\(number)".utf8))
                tree[path] = T.member(
                    Display.text(path), .file(size: Int64.random(in: 0..<3, using: &random), chunks: []))
            }
        }
        return tree
    }

    private static func list(_ tree: [RelativePath: Member]) -> [Member] { tree.values.sorted { $0.path < $1.path } }

    @Test("A list that random differences led to is the one that is read whole, and has its hash", arguments: 1...40)
    func differences(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let vault = TestVault()
        var device = T.Device(1)
        var tree = Self.randomTree(&random)
        let first = T.version(try vault.commit(&device, [T.draft("novel", .full(Self.list(tree)))]))
        var expected = [(version: first, tree: tree)]
        for _ in 1...20 {
            let (base, old) = expected[Int.random(in: expected.indices, using: &random)]
            tree = Self.randomTree(&random)
            let put = Self.list(tree).filter { old[$0.path] != $0 }
            let removed = old.keys.filter { tree[$0] == nil }.sorted()
            let draft = T.draft("novel", project: first, parents: [base], .delta(removed: removed, put: put))
            expected.append((T.version(try vault.commit(&device, [draft])), tree))
        }

        let history = try History.load(vault.vault)

        for (version, tree) in expected.shuffled(using: &random) {
            let list = try history.memberList(of: version)
            #expect(list.members == Self.list(tree))
            #expect(list.hash == Self.list(tree).reduce(0) { $0 &+ $1.hashValue })
            #expect(list.members == (try list.members.checkedTree(for: .bundle)))
        }
    }
}
