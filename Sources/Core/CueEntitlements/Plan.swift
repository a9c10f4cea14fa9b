/// The name of an account's plan, such as `pro`. Any name is a plan, so a new one needs no new cue.
package struct Plan: Hashable, Sendable, CustomStringConvertible {
    /// 1 to 64 characters of `a` to `z`, `0` to `9`, `.` and `-`.
    package let name: String

    /// Nil if the text is not a name.
    package init?(_ name: String) {
        guard NameRules.isName(name) else { return nil }
        self.name = name
    }

    private init(known name: String) { self.name = name }

    /// The plan of a device without an account.
    package static let local = Plan(known: "local")
    /// The plan of an account that has nothing of a service, or no longer.
    package static let free = Plan(known: "free")

    /// The name.
    package var description: String { name }
}

/// One thing that a plan may allow. Names that this cue does not know are features too.
package struct Feature: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// 1 to 64 characters of `a` to `z`, `0` to `9`, `.` and `-`.
    package let name: String

    /// Nil if the text is not a name.
    package init?(_ name: String) {
        guard NameRules.isName(name) else { return nil }
        self.name = name
    }

    private init(known name: String) { self.name = name }

    /// A vault on a service.
    package static let cloudStorage = Feature(known: "cloud-storage")

    /// The features that this cue may ever ask a plan for.
    ///
    /// Nothing that works on a device alone is among them (docs/entitlements.md §5).
    package static let ofService: Set<Feature> = [.cloudStorage]

    /// The order of the bytes of the names.
    package static func < (a: Feature, b: Feature) -> Bool { a.name.utf8.lexicographicallyPrecedes(b.name.utf8) }

    /// The name.
    package var description: String { name }
}
