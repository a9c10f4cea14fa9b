/// Bounds for everything that is read from outside, in bytes where nothing else is named.
public enum Limits {
    /// Longest path.
    public static let path = 4096
    /// Longest name of a file.
    public static let name = 255
    /// Largest file, and largest sum of the files of one version: the most bytes that a `Double` counts exactly.
    public static let file: Int64 = 1 << 53
    /// Most chunks of all files of one version, each counted as often as it is named: 2 TiB of the usual chunks.
    public static let chunks = 1 << 21
    /// Longest chain of deltas from a version to one with complete members.
    public static let deltas = 100
    /// Largest raw length of a block.
    public static let block = 16 << 20
    /// Largest plaintext of a pack.
    public static let pack = 256 << 20
    /// Most bytes of the inline blocks of a commit, as they are stored.
    public static let inline = 64 << 10
    /// Most bases of a delta. Their lengths add up to at most `block`.
    public static let bases = 4
    /// Largest raw length of a frame of records.
    public static let frame = 64 << 20
    /// Largest log object or checkpoint.
    public static let recordObject = 4 << 30
    /// Largest sealed batch of events.
    public static let eventBatch = 64 << 20
    /// Largest raw length of the frames of a batch.
    public static let eventBatchRaw = 256 << 20
    /// Most events in a batch.
    public static let eventsOfBatch = 100_000
}
