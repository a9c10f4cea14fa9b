import CueBase
import CueLibrary
import CueVault

/// Decides for the chunks of one file, while it is read, what each could be a delta against: what stood at its place in
/// the last version (docs/format.md §9).
struct FileDeltas {
    /// A chunk as it was stored.
    struct Piece {
        let id: ChunkID
        let length: UInt32
        let form: Form
    }

    /// The ways in which a chunk comes into the vault.
    enum Form {
        /// The vault had it already.
        case known
        /// It is stored in full.
        case whole
        /// It is a delta of so many bytes; `base` is the index of the first base.
        case delta(base: Int, bytes: Int)
    }

    /// What is known of the last version.
    private(set) var old: FileBases
    private(set) var pieces: [Piece] = []
    /// The offset of each piece of the last version, in bytes.
    private let starts: [Int]
    /// The offset of the next chunk, and how much further it stands than it did in the last version.
    private var offset = 0
    private var shift = 0
    /// The index of the first old piece that was not seen yet.
    private var next = 0

    init(_ old: FileBases) {
        self.old = old
        var start = 0
        starts = old.pieces.map { piece in
            defer { start += Int(piece.length) }
            return start
        }
    }

    /// The bytes of a chunk that is a delta must be fewer than this part of its base.
    private static let share = 2
    /// What naming a base costs, in bytes.
    private static let name = 32

    /// The indices of the bases for a chunk of so many bytes that comes next, and the most bytes that a delta against
    /// them may have; nil if the chunk is to be stored in full.
    func bases(forChunkOf length: Int) -> (indices: [Int], limit: Int)? {
        // What stood there. An overlap of a few bytes is the end of what was inserted.
        let range = offset - shift..<offset - shift + length
        let least = max(1024, length / 8)
        var indices: [(index: Int, overlap: Int)] = []
        for (start, piece) in zip(starts, old.pieces) where start < range.upperBound {
            let overlap = min(start + Int(piece.length), range.upperBound) - max(start, range.lowerBound)
            guard overlap >= min(least, Int(piece.length)), let base = piece.base else { continue }
            if let known = indices.firstIndex(where: { $0.index == base }) {
                indices[known].overlap += overlap
            } else {
                indices.append((base, overlap))
            }
        }
        indices.sort { ($0.overlap, $1.index) > ($1.overlap, $0.index) }
        let chosen = indices.prefix(Limits.bases).map(\.index)
        guard let first = chosen.first else { return nil }
        // All deltas against a base together take no more than it takes itself: the sum of both is least then, as each
        // delta is a little longer than the last.
        let base = old.bases[first]
        let whole = base.chunk.storedShare
        let limit = min(whole / Self.share, whole - base.spent) - Self.name * chosen.count
        return limit > 0 ? (chosen, limit) : nil
    }

    /// Takes the next chunk as it was stored.
    mutating func note(_ id: ChunkID, length: Int, _ form: Form) {
        pieces.append(Piece(id: id, length: UInt32(length), form: form))
        if case .known = form, let same = old.pieces[next...].firstIndex(where: { $0.id == id }) {
            next = same + 1
            shift = offset - starts[same]
        }
        if case .delta(let base, let bytes) = form { old.bases[base].spent += bytes + Self.name }
        offset += length
    }

    /// True if a chunk of the file is new.
    var hasNews: Bool {
        pieces.contains { if case .known = $0.form { false } else { true } }
    }

    /// The ids of the chunks that are stored in full now.
    var whole: [ChunkID] {
        pieces.compactMap { if case .whole = $0.form { $0.id } else { nil } }
    }

    /// What the next version may be stored against. `places`: where the chunks of `whole` are.
    func bases(_ places: [ChunkID: BaseChunk]) -> FileBases {
        var new = FileBases()
        var numbers: [ChunkID: Int] = [:]
        func number(_ base: FileBases.Base) -> Int {
            if let known = numbers[base.chunk.id] { return known }
            new.bases.append(base)
            numbers[base.chunk.id] = new.bases.count - 1
            return new.bases.count - 1
        }
        let before = Dictionary(old.pieces.map { ($0.id, $0.base) }, uniquingKeysWith: { first, _ in first })
        for piece in pieces {
            let base: Int? =
                switch piece.form {
                case .whole: places[piece.id].map { number(FileBases.Base($0)) }
                case .delta(let base, _): number(old.bases[base])
                case .known:
                    // The chunk may also be one that this file has twice, and was stored a moment ago.
                    (before[piece.id] ?? nil).map { number(old.bases[$0]) } ?? numbers[piece.id]
                }
            new.pieces.append(FileBases.Piece(id: piece.id, length: piece.length, base: base))
        }
        return new
    }
}
