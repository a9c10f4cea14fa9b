import CueBase
import CueCrypto
import CueStorage
import CueSystem
import CueTestSupport
import CueVault

/// Records of every shape that the format allows, from a seed.
extension SeededGenerator {
    mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    mutating func chance(_ percent: Int) -> Bool { int(1...100) <= percent }

    mutating func chunkID() -> ChunkID { ChunkID(a: next(), b: next(), c: next(), d: next()) }

    mutating func commitID() -> CommitID { CommitID(max(1, next())) }

    mutating func versionID() -> VersionID {
        VersionID(commit: commitID(), number: UInt32(truncatingIfNeeded: next() >> UInt64(int(32...63))))
    }

    /// A name of any bytes but a slash, a zero, `.` and `..`.
    mutating func name() -> [UInt8] {
        let name = (0..<int(1...20)).map { _ in UInt8.random(in: 1...255, using: &self) }.filter { $0 != 0x2f }
        return name.allSatisfy { $0 == 0x2e } ? [0x61] : name
    }

    mutating func time() -> Timestamp { Timestamp(milliseconds: Int64(bitPattern: next()) >> int(0...63)).inYears }

    mutating func pack(chunks: inout [ChunkID]) -> PackRecord {
        let blocks = (0..<int(1...3)).map { _ in
            let entries = (0..<int(1...4)).map { _ in ChunkEntry(id: chunkID(), length: UInt32(int(1...5_000))) }
            chunks += entries.map(\.id)
            let raw = entries.reduce(0) { $0 + Int($1.length) }
            return chance(50)
                ? BlockRecord(codec: .stored, storedLength: raw, rawLength: raw, chunks: entries)
                : BlockRecord(codec: .zstd, storedLength: int(1...raw), rawLength: raw, chunks: entries)
        }
        return PackRecord(id: .random(using: &self), size: int(1...1 << 20), blocks: blocks)
    }

    mutating func member(_ path: RelativePath, _ content: Content) -> Member {
        var attributes: [[UInt8]: [UInt8]] = [:]
        while chance(20) { attributes[name()] = bytes(int(0...10)) }
        let modified = FileTime(
            seconds: Int64(bitPattern: next()) >> int(0...63), nanoseconds: UInt32(int(0...999_999_999)))
        return Member(
            path: path, mode: UInt16(int(0...0o7777)), modified: modified,
            attributes: attributes.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map {
                ExtendedAttribute(name: $0.key, value: $0.value)
            },
            content: content)
    }

    /// Runs of neighbours in `known`, single ones, repeated ones, and strangers between them.
    mutating func file(_ known: [ChunkID]) -> Content {
        var chunks: [ChunkID] = []
        while chance(70) {
            if known.isEmpty || chance(30) {
                chunks.append(chunkID())
            } else {
                let first = int(0...known.count - 1)
                chunks += known[first...int(first...known.count - 1)]
            }
        }
        return .file(size: Int64(int(0...1 << 40)), chunks: chunks)
    }

    mutating func leaf(_ known: [ChunkID]) -> Content {
        chance(70) ? file(known) : .symlink(target: name())
    }

    /// The members of a bundle: folders before what they hold.
    mutating func bundle(_ known: [ChunkID], at most: Int = 12) -> [Member] {
        var folders: [RelativePath] = [.root]
        var members = [RelativePath.root: member(.root, .folder)]
        for _ in 0..<int(0...most) {
            let path = folders[int(0...folders.count - 1)].appending(name())
            guard members[path] == nil else { continue }
            let isFolder = chance(30)
            members[path] = member(path, isFolder ? .folder : leaf(known))
            if isFolder { folders.append(path) }
        }
        return members.values.sorted { $0.path < $1.path }
    }

    mutating func version(_ known: [ChunkID]) -> VersionDraft {
        let kinds: [ProjectKind] = [.file, .folder, .symlink, .bundle]
        let kind = kinds[int(0...3)]
        let parents = (0..<int(0...3)).map { _ in versionID() }
        let body: VersionDraft.Body
        switch kind {
        case _ where chance(15): body = .tombstone
        case .file: body = .full([member(.root, file(known))])
        case .folder: body = .full([member(.root, .folder)])
        case .symlink: body = .full([member(.root, .symlink(target: name()))])
        case .bundle where parents.isEmpty || chance(50): body = .full(bundle(known))
        case .bundle:
            body = .delta(removed: bundle([]).dropFirst().map(\.path), put: Array(bundle(known).dropFirst()))
        }
        let path = (0..<int(1...4)).reduce(RelativePath.root) { path, _ in path.appending(name()) }
        return VersionDraft(
            project: chance(30) ? nil : versionID(), parents: parents, path: path, kind: kind, edited: time(),
            isUnsettled: chance(20), body: body)
    }

    mutating func position() -> LogPosition {
        LogPosition(device: .random(using: &self), generation: next() >> UInt64(int(0...62)) | 1, commit: commitID())
    }

    mutating func note() -> Note.Content {
        let ids = (0..<int(0...3)).map { _ in versionID() }
        switch int(0...6) {
        case 0:
            return .shutOut(
                ShutOut(
                    .random(using: &self), after: chance(70) ? position() : nil, batch: chance(50) ? position() : nil))
        case 1:
            var retired = Retirement()
            retired.versions = ids
            for _ in 0..<int(0...2) { retired.packs.append(.random(using: &self)) }
            for _ in 0..<int(0...2) { retired.commits.append(position()) }
            return .retired(retired)
        case 2:
            return .pinned(
                Pin(chance(50) ? .version(versionID()) : .snapshot(commitID()), label: ["", "Café"][int(0...1)]))
        case 3: return .unpinned(ids)
        case 4: return .acknowledged(ids)
        case 5:
            return .settings(
                SettingsNote(project: versionID(), parents: ids, time: time(), json: Array(#"{"title":"x"}"#.utf8)))
        default: return .plan(bytes(int(0...99)))
        }
    }

    mutating func commit() -> CommitDraft {
        let seen = (0..<int(0...3)).map { _ in
            CommitMark(
                LogPosition(
                    device: .random(using: &self), generation: next() >> UInt64(int(0...63)), commit: commitID()),
                chance(50) ? chunkID() : nil)
        }
        var draft = CommitDraft(
            CommitRecord(
                previous: commitID(), time: time(), isSnapshot: chance(50), isPartial: chance(50), seen: seen))
        for _ in 0..<int(0...2) {
            draft.devices.append(
                DeviceRecord(id: .random(using: &self), name: ["", "Café", "laptop"][int(0...2)], made: time()))
        }
        var chunks: [ChunkID] = []
        for _ in 0..<int(0...3) { draft.packs.append(pack(chunks: &chunks)) }
        for _ in 0..<int(0...6) { draft.versions.append(version(chunks)) }
        for _ in 0..<int(0...4) { draft.notes.append(note()) }
        return draft
    }
}
