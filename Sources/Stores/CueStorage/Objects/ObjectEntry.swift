/// An object in a listing.
package struct ObjectEntry: Hashable, Sendable {
    /// A store may claim any size. No object is larger than this, and the sum of some thousand of these does not
    /// overflow.
    private static let largest = 1 << 50

    /// The whole name, with its folders.
    package let name: ObjectName
    /// The size that the store reports, in bytes; 0 to 2^50.
    package let size: Int
    /// A mark of its content by the store, another one once the object is replaced; nil if the store lists none.
    package let tag: String?

    /// Cuts `size` to 0 to 2^50 bytes.
    package init(name: ObjectName, size: Int, tag: String? = nil) {
        (self.name, self.size, self.tag) = (name, min(max(0, size), Self.largest), tag)
    }
}

/// A part of a listing, in the order of the names.
package struct ObjectPage: Sendable {
    /// The objects of this part. It may be empty though others follow.
    package let entries: [ObjectEntry]
    /// The name after which the listing continues; nil if it ends here. It may be a name that no object has.
    package let next: String?

    /// A page of these objects. nil for `next` makes it the last one.
    package init(_ entries: [ObjectEntry], next: String? = nil) { (self.entries, self.next) = (entries, next) }
}
