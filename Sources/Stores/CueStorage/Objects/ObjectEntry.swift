/// An object in a listing.
package struct ObjectEntry: Hashable, Sendable {
    /// What a store says of a size is a claim: no object is larger, and the sum of some thousand of these does not overflow.
    private static let largest = 1 << 50

    package let name: ObjectName
    /// In bytes; at most 2^50.
    package let size: Int

    package init(name: ObjectName, size: Int) { (self.name, self.size) = (name, min(max(0, size), Self.largest)) }
}

/// A part of a listing, in the order of the names.
package struct ObjectPage: Sendable {
    package let entries: [ObjectEntry]
    /// The name after which the listing goes on; nil where it ends. It may be one that no object has.
    package let next: String?

    package init(_ entries: [ObjectEntry], next: String? = nil) { (self.entries, self.next) = (entries, next) }
}
