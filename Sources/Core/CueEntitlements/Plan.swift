/// What somebody has: `pro`. Any name is a plan, so that a new one needs no new cue.
package struct Plan: Hashable, Sendable, CustomStringConvertible {
    package let name: String

    package init?(_ name: String) {
        guard Names.isName(name) else { return nil }
        self.name = name
    }

    private init(known name: String) { self.name = name }

    /// Of a device without an account.
    package static let local = Plan(known: "local")
    /// Of an account that has nothing of a service, or not any more.
    package static let free = Plan(known: "free")

    package var description: String { name }
}

/// One thing that a plan may allow. Names that this cue does not know are features too.
package struct Feature: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let name: String

    package init?(_ name: String) {
        guard Names.isName(name) else { return nil }
        self.name = name
    }

    private init(known name: String) { self.name = name }

    /// A vault that a service keeps.
    package static let cloudStorage = Feature(known: "cloud-storage")

    /// What this cue may ever ask a plan for. Nothing that works on a device alone is among them (docs/entitlements.md §5).
    package static let ofService: Set<Feature> = [.cloudStorage]

    package static func < (a: Feature, b: Feature) -> Bool { a.name.utf8.lexicographicallyPrecedes(b.name.utf8) }

    package var description: String { name }
}

enum Names {
    /// 1 to 64 characters of `a` to `z`, `0` to `9`, `.` and `-`.
    static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2e || byte == 0x2d
            }
    }
}
