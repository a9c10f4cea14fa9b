import CueBase
import Testing

@Suite("Relative paths")
struct RelativePathTests {
    private func path(_ text: String) -> RelativePath { RelativePath(trusted: Array(text.utf8)) }

    @Test(
        "A path that no file can have is refused",
        arguments: [
            "/", "/a", "a/", "a//b", ".", "..", "a/.", "./a", "a/..", "../a", "a/../b", "a\0", "a/\0/b",
            String(repeating: "a", count: 256), "a/" + String(repeating: "ä", count: 128),
            String(repeating: "a/", count: 2048) + "a",
        ])
    func refused(_ text: String) {
        #expect(throws: FormatError.self) { try RelativePath(checking: Array(text.utf8)) }
    }

    @Test(
        "Any other bytes are a path, whatever their encoding",
        arguments: [
            Array("".utf8), Array("a".utf8), Array("a/b/c".utf8), Array("...".utf8), Array("a/.b".utf8),
            Array(" ".utf8),
            Array("a\\b\nc".utf8), [0xff, 0x2f, 0xfe], [UInt8](repeating: 0x61, count: 255),
            Array((String(repeating: "a/", count: 2047) + "ab").utf8),
        ] as [[UInt8]])
    func accepted(_ bytes: [UInt8]) throws {
        #expect(try RelativePath(checking: bytes).bytes == bytes)
    }

    @Test("\"é\" in one character and in two are two paths")
    func encodingsDiffer() {
        #expect(path("caf\u{e9}") != path("cafe\u{301}"))
        #expect(Set([path("caf\u{e9}"), path("cafe\u{301}")]).count == 2)
    }

    @Test("A path knows its folder and its name")
    func parts() {
        #expect(path("a/b/c").parent == path("a/b"))
        #expect(path("a").parent == .root)
        #expect(RelativePath.root.parent == nil)
        #expect(path("a/b/c").name == Array("c".utf8))
        #expect(RelativePath.root.name == [])
        #expect(path("a/b").components.map(Array.init) == [[0x61], [0x62]])
        #expect(RelativePath.root.components.isEmpty)
    }

    @Test("Appending joins with one slash, and the root adds nothing")
    func appending() {
        #expect(RelativePath.root.appending([0x61]) == path("a"))
        #expect(path("a").appending([0x62]) == path("a/b"))
        #expect(path("a").appending(RelativePath.root) == path("a"))
        #expect(RelativePath.root.appending(path("a/b")) == path("a/b"))
        #expect(path("x").appending(path("a/b")) == path("x/a/b"))
    }

    @Test("A path is inside the folders above it, and of no other that begins alike")
    func containment() {
        #expect(path("a/b").isInside(path("a")))
        #expect(path("a/b/c").isInside(path("a")))
        #expect(path("a").isInside(.root))
        #expect(!RelativePath.root.isInside(.root))
        #expect(!path("a").isInside(path("a")))
        #expect(!path("ab").isInside(path("a")))
        #expect(!path("a").isInside(path("a/b")))
    }

    @Test("A folder comes before what it holds")
    func order() {
        let paths = ["", "a", "a/b", "a/b/c", "b"].map(path)
        #expect(paths.shuffled().sorted() == paths)
    }
}
