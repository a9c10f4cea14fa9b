/// A path inside a library or a bundle: bytes as the file system gave them, `/` between components, no first `/`.
///
/// Never a `String`: there "é" composed equals "é" decomposed, and bytes that are not UTF-8 have no place.
public struct RelativePath: Hashable, Comparable, Sendable {
    public let bytes: [UInt8]

    /// The folder itself.
    public static let root = RelativePath(trusted: [])

    /// Takes bytes that came from the file system, one component at a time, and so follow the rules.
    public init(trusted bytes: [UInt8]) { self.bytes = bytes }

    /// Checks bytes that came from a vault or a person (the rules of docs/format.md §6).
    public init(checking bytes: [UInt8]) throws(FormatError) {
        guard bytes.count <= Limits.path else { throw .invalid("a path over \(Limits.path) bytes") }
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
        else { throw .invalid("a path with a component that no file can have") }
    }

    public var isRoot: Bool { bytes.isEmpty }

    public func appending(_ name: [UInt8]) -> RelativePath {
        RelativePath(trusted: bytes.isEmpty ? name : bytes + [0x2f] + name)
    }

    public func appending(_ other: RelativePath) -> RelativePath {
        other.isRoot ? self : appending(other.bytes)
    }

    /// The folder that holds it; nil for the root.
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

    public var components: [ArraySlice<UInt8>] { bytes.split(separator: 0x2f) }

    public func isInside(_ folder: RelativePath) -> Bool {
        folder.isRoot
            ? !isRoot
            : bytes.count > folder.bytes.count && bytes[folder.bytes.count] == 0x2f && bytes.starts(with: folder.bytes)
    }

    /// All bytes in one call: an array of bytes hashes them one by one.
    public func hash(into hasher: inout Hasher) {
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }

    /// Byte order, so that a folder comes before what it holds.
    public static func < (x: RelativePath, y: RelativePath) -> Bool { x.bytes.precedes(y.bytes) }
}

extension [UInt8] {
    /// Byte order, several times as fast as `lexicographicallyPrecedes`, which goes through iterators.
    public func precedes(_ other: [UInt8]) -> Bool {
        let (x, y) = (span, other.span)
        let common = Swift.min(x.count, y.count)
        var i = 0
        while i < common && x[i] == y[i] { i += 1 }
        return i == common ? x.count < y.count : x[i] < y[i]
    }
}

/// Bounds that hold for everything that is read from outside.
public enum Limits {
    /// Longest path in bytes.
    public static let path = 4096
    /// Longest name of a file in bytes.
    public static let name = 255
    /// Largest file, and largest sum of the files of one version: what a `Double` still counts by bytes.
    public static let file: Int64 = 1 << 53
    /// Most differences on the way to a whole member list.
    public static let deltas = 100
    /// Largest raw length of a block.
    public static let block = 16 << 20
    /// Largest plaintext of a pack.
    public static let pack = 256 << 20
    /// Largest raw length of a frame of records.
    public static let frame = 64 << 20
    /// Largest log object or checkpoint in bytes.
    public static let recordObject = 4 << 30
    /// Largest batch of events in bytes.
    public static let eventBatch = 64 << 20
    /// Largest raw length of its frames, and most events in it.
    public static let eventBatchRaw = 256 << 20
    public static let eventsOfBatch = 100_000
}
