/// Why a parent that a version names counts for nothing (docs/format.md §7).
package enum StrayParent: String, Sendable, Hashable, Codable {
    /// The parent is the version itself, belongs to another project, or came from the version by way of others.
    case itself, otherProject, circle
}
