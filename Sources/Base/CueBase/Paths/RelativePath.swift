/// A path inside a library or a bundle: bytes as the file system gave them, `/` between components, no `/` at the
/// start.
///
/// It is never a `String`: there, "é" composed equals "é" decomposed, and bytes that are not UTF-8 have no place.
public struct RelativePath: Hashable, Comparable, Sendable {
    /// The components, joined by `/`; empty for the root.
    public let bytes: [UInt8]

    /// The library or bundle itself.
    public static let root = RelativePath(trusted: [])

    /// Takes bytes that came from the file system one component at a time, and so follow the rules; checks nothing.
    public init(trusted bytes: [UInt8]) { self.bytes = bytes }

    /// Takes bytes that came from a vault or a person. Throws `.invalid` if they break the rules of docs/format.md §6.
    public init(checking bytes: [UInt8]) throws(FormatError) {
        guard bytes.count <= Limits.path else { throw .invalid(.pathTooLong) }
        if !bytes.isEmpty {
            for component in bytes.split(separator: 0x2f, omittingEmptySubsequences: false) {
                try Self.check(component)
            }
        }
        self.bytes = bytes
    }

    private static func check(_ component: ArraySlice<UInt8>) throws(FormatError) {
        guard !component.isEmpty, component.count <= Limits.name, !component.contains(0),
            !component.elementsEqual([0x2e]), !component.elementsEqual([0x2e, 0x2e])
        else { throw .invalid(.impossibleComponent) }
    }

    /// True for the empty path.
    public var isRoot: Bool { bytes.isEmpty }

    /// The path of `name`, one component, in this folder.
    public func appending(_ name: [UInt8]) -> RelativePath {
        RelativePath(trusted: bytes.isEmpty ? name : bytes + [0x2f] + name)
    }

    /// The path that `other` has in this folder.
    public func appending(_ other: RelativePath) -> RelativePath {
        other.isRoot ? self : appending(other.bytes)
    }

    /// The folder that holds the path; nil for the root.
    public var parent: RelativePath? {
        if isRoot { return nil }
        guard let slash = bytes.lastIndex(of: 0x2f) else { return .root }
        return RelativePath(trusted: Array(bytes[..<slash]))
    }

    /// The last component; empty for the root.
    public var name: [UInt8] {
        guard let slash = bytes.lastIndex(of: 0x2f) else { return bytes }
        return Array(bytes[(slash + 1)...])
    }

    /// The names from the root down; empty for the root.
    public var components: [ArraySlice<UInt8>] { bytes.split(separator: 0x2f) }

    /// True if the path is below `folder` at any depth, and not `folder` itself.
    public func isInside(_ folder: RelativePath) -> Bool {
        folder.isRoot
            ? !isRoot
            : bytes.count > folder.bytes.count && bytes[folder.bytes.count] == 0x2f && bytes.starts(with: folder.bytes)
    }

    /// Hashes all bytes in one call: an array of bytes would hash them one by one.
    public func hash(into hasher: inout Hasher) {
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }

    /// The order of the bytes, so that a folder comes before its content.
    public static func < (x: RelativePath, y: RelativePath) -> Bool { x.bytes.precedes(y.bytes) }
}

extension [UInt8] {
    /// The order of the bytes. It is several times as fast as `lexicographicallyPrecedes`, which goes through
    /// iterators.
    public func precedes(_ other: [UInt8]) -> Bool {
        let (x, y) = (span, other.span)
        let common = Swift.min(x.count, y.count)
        var i = 0
        while i < common && x[i] == y[i] { i += 1 }
        return i == common ? x.count < y.count : x[i] < y[i]
    }
}
