/// Why a parent that a version names counts for nothing (docs/format.md §7).
package enum StrayParent: String, Sendable, Hashable, Codable {
    case itself, otherProject, circle
}
