import CueBase

/// The members of one version, with what is known of all of them together.
///
/// A list is made from its parent's list and a delta in one pass, and its hash from the parent's hash and the changes.
/// Many versions of a large document cost one copy each, and no parsing, sorting or hashing of the members that they
/// share.
struct MemberList: Sendable {
    /// Sorted by path, each path once. Those of a bundle form a tree.
    let members: [Member]
    let kind: ProjectKind
    /// The number of deltas that led to this list.
    let depth: Int
    /// Equal for equal members, within this process only.
    let hash: Int
    /// The bytes of all files.
    private let size: Int64
    /// The number of chunks that all files name.
    private let chunks: Int
    /// The memory that the list takes if it shares nothing, in units of about 100 bytes.
    let weight: Int

    /// The list of a version that is no delta.
    init(_ changes: MemberChanges, kind: ProjectKind) {
        (members, self.kind, depth) = (changes.put, kind, 0)
        (hash, size) = (members.reduce(0) { $0 &+ $1.hashValue }, members.size)
        chunks = members.reduce(0) { $0 + $1.chunks.count }
        weight = members.reduce(0) { $0 + $1.weight }
    }

    private init(_ merge: Merge, kind: ProjectKind, depth: Int) {
        (members, self.kind, self.depth) = (merge.members, kind, depth)
        (hash, size, chunks, weight) = (merge.hash, merge.size, merge.chunks, merge.weight)
    }

    /// Lays a delta over the list. Throws `FormatError` if it removes a path that is not there, or if the result breaks
    /// a rule of docs/format.md §6.
    func applying(_ changes: MemberChanges, kind: ProjectKind) throws(FormatError) -> MemberList {
        var merge = Merge(self, room: changes.put.count)
        let removed = changes.removed.sorted()
        let put = changes.put.sorted { $0.path < $1.path }
        var next = removed.makeIterator()
        var gone = next.next()
        for member in put {
            while let path = gone, path < member.path {
                try merge.remove(path)
                gone = next.next()
            }
            if gone == member.path {
                guard merge.holds(member.path) else { throw .invalid(.removesNothing) }
                gone = next.next()
            }
            merge.put(member)
        }
        while let path = gone {
            try merge.remove(path)
            gone = next.next()
        }
        merge.finish()
        guard merge.chunks <= Limits.chunks else { throw .outOfRange }
        let list = MemberList(merge, kind: kind, depth: depth + 1)
        guard kind == .bundle, self.kind == .bundle, !members.isEmpty, !merge.hasLostFolder else {
            _ = try list.members.checkedTree(for: kind)
            return list
        }
        // A tree that loses no folder remains a tree if each new member stands in a folder, so only these are looked
        // at.
        guard list.size <= Limits.file else { throw .outOfRange }
        for member in put {
            guard let parent = member.path.parent else { continue }
            let place = list.members.place(of: parent)
            guard place < list.members.count, list.members[place].path == parent,
                list.members[place].content == .folder
            else { throw .invalid(.strayMember) }
        }
        return list
    }

    /// One pass over a list, with the changes in the order of their paths.
    private struct Merge {
        private let old: [Member]
        private var next = 0
        private(set) var members: [Member] = []
        private(set) var hash: Int
        private(set) var size: Int64
        private(set) var chunks: Int
        private(set) var weight: Int
        /// True if a folder was removed or became something else.
        private(set) var hasLostFolder = false

        init(_ list: MemberList, room: Int) {
            (old, hash, size) = (list.members, list.hash, list.size)
            (chunks, weight) = (list.chunks, list.weight)
            members.reserveCapacity(old.count + room)
        }

        /// Copies the members before the path. Returns true if the list has a member at the path.
        mutating func holds(_ path: RelativePath) -> Bool {
            let place = old.place(of: path, from: next)
            members += old[next..<place]
            next = place
            return place < old.count && old[place].path == path
        }

        mutating func remove(_ path: RelativePath) throws(FormatError) {
            guard holds(path) else { throw .invalid(.removesNothing) }
            drop(becoming: nil)
        }

        mutating func put(_ member: Member) {
            if holds(member.path) { drop(becoming: member) }
            members.append(member)
            hash &+= member.hashValue
            size = size.saturatingAdding(member.size)
            chunks += member.chunks.count
            weight += member.weight
        }

        /// Steps over the next old member, in whose place `new` stands.
        private mutating func drop(becoming new: Member?) {
            let member = old[next]
            hasLostFolder = hasLostFolder || member.content == .folder && new?.content != .folder
            hash &-= member.hashValue
            size -= member.size
            chunks -= member.chunks.count
            weight -= member.weight
            next += 1
        }

        mutating func finish() { members += old[next...] }
    }
}

extension Member {
    /// The memory that it takes, in units of about 100 bytes.
    fileprivate var weight: Int { 1 + chunks.count / 3 }
}

extension [Member] {
    /// The index at which a path stands or would stand among sorted members.
    fileprivate func place(of path: RelativePath, from start: Int = 0) -> Int {
        var (low, high) = (start, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].path < path { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
