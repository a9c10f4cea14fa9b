import CueBase
import CueLibrary
import CueSystem
import CueVault

/// The folder to which drafts are written. A file appears under its name only when all of it is on the disk, and
/// nothing that stands there is replaced.
final class DraftFolder {
    /// A draft and the names that it may have, the wanted one first.
    struct Wanted {
        /// The document and version whose text it is.
        let document: RelativePath
        let version: VersionID
        /// The folder, below the target.
        let parent: RelativePath
        let name: (Int) -> [UInt8]
    }

    /// A draft that is written and has no name yet.
    private struct Waiting {
        var item: StagedItem
        let wanted: Wanted
        let number: Int
        let size: Int64
    }

    /// The folder once there is something to write.
    private struct Open {
        let root: Folder
        var folders: FolderPath
        let durability: Durability
        let journal: PlacingJournal?
    }

    /// After so many names that are taken, a draft is given up.
    private static let attempts = 1000
    /// So much is made durable at once, where that takes one call for all.
    private static let (batchFiles, batchBytes) = (256, Int64(64 << 20))

    private let path: FilePathBytes
    private let names: TemporaryNames
    /// All folders in which drafts may be made.
    private let parents: Set<RelativePath>
    /// How many drafts may come.
    private let files: Int
    private var open: Open?
    private var count = 0
    private var waiting: [Waiting] = []
    /// The drafts that have their names.
    private(set) var written: [ExportSummary.Draft] = []
    /// The number of drafts that were there already.
    private(set) var kept = 0
    /// Drafts that could not get a name.
    private(set) var failures: [SkippedPath] = []
    /// Unfinished files of runs that were cut off, which were removed.
    private(set) var leftovers: [RelativePath] = []

    /// Throws `SystemError` if something that is no folder has the path. `parents`: the folders in which drafts may be
    /// made, below the path; `files`: how many may be.
    init(at path: FilePathBytes, _ parents: Set<RelativePath>, files: Int, _ names: TemporaryNames) throws {
        (self.path, self.parents, self.files, self.names) = (path, parents, files, names)
        if try path.info() != nil { _ = try Folder.open(path) }
    }

    /// Writes a text for the first of its names that is free, unless it is there under one before. It gets the name
    /// once it is durable, at the latest in `finish`. Throws `SystemError` and `EngineError.notDurable`.
    func put(_ text: DraftText, _ wanted: Wanted) throws {
        var open = try self.open ?? begin()
        defer { self.open = open }
        let folder = try open.folders.openOrMakeParent(of: wanted.parent.appending(wanted.name(0)))
        open.durability.touchAll(to: wanted.parent)
        var number = 0
        while let info = try folder.info(of: wanted.name(number)) {
            if info.kind == .file, try holds(folder, wanted.name(number), info.size, text) {
                kept += 1
                return
            }
            number += 1
            guard number < Self.attempts else { throw SystemError.namesTaken }
        }
        count += 1
        var item = StagedItem(names.name(count), in: folder)
        do {
            let size = try write(text, to: &item, isLasting: open.durability.isEach)
            waiting.append(Waiting(item: item, wanted: wanted, number: number, size: size))
        } catch {
            item.discard()
            throw error
        }
        let bytes = waiting.reduce(0) { $0 + $1.size }
        if open.durability.isEach || waiting.count >= Self.batchFiles || bytes >= Self.batchBytes { try place(open) }
    }

    /// Gives their names to all drafts that wait for them.
    private func place(_ open: Open) throws {
        if !open.durability.isEach { try open.durability.settle() }
        while !waiting.isEmpty {
            var (item, wanted, number) = (waiting[0].item, waiting[0].wanted, waiting[0].number)
            let own = number
            do throws(SystemError) {
                // Another draft, or another program, may have got the name meanwhile.
                while true {
                    do throws(SystemError) {
                        try item.place(at: wanted.name(number))
                        break
                    } catch { guard error.isAlreadyThere, number - own < Self.attempts else { throw error } }
                    number += 1
                }
                written.append(
                    ExportSummary.Draft(
                        document: wanted.document, version: wanted.version,
                        path: wanted.parent.appending(wanted.name(number)), size: waiting[0].size,
                        taken: number == 0 ? nil : wanted.parent.appending(wanted.name(0))))
            } catch {
                item.discard()
                guard !error.isNoSpace, !error.isReadOnly else { throw error }
                failures.append(SkippedPath(path: wanted.document, reason: .notPlaced(error)))
            }
            open.durability.touch(wanted.parent)
            waiting.removeFirst()
        }
    }

    /// Makes the folder, takes away what a run left that was cut off, and notes where this one writes.
    private func begin() throws -> Open {
        let isNew = try path.info() == nil
        try path.makeFoldersDurably(mode: 0o755)
        let root = try Folder.open(path)
        if !isNew { leftovers = try PlacingJournal.recover(in: root) }
        let journal: PlacingJournal?
        do throws(SystemError) { journal = try PlacingJournal(in: root, names) } catch {
            // The folders in it may be writable.
            guard !error.isNoSpace else { throw error }
            journal = nil
        }
        try journal?.begin(names, in: parents)
        return Open(
            root: root, folders: FolderPath(root), durability: Durability(of: root, files: files), journal: journal)
    }

    private func write(_ text: DraftText, to draft: inout StagedItem, isLasting: Bool) throws -> Int64 {
        let output = BlockWriter(try draft.create())
        var size: Int64 = 0
        try text.write { piece in
            try output.write(piece.span)
            size += Int64(piece.count)
        }
        try output.flush()
        try output.withFile { file throws(SystemError) in
            // As a program makes a file that others may read.
            try file.setMode(Environment.fileMode)
            if isLasting { try file.synchronize() }
        }
        return size
    }

    /// Whether a file has exactly this text.
    private func holds(_ folder: Folder, _ name: [UInt8], _ size: Int64, _ text: DraftText) throws -> Bool {
        guard let file = try? folder.fileWithoutAccessTime(name) else { return false }
        struct Differs: Error {}
        var at: Int64 = 0
        do {
            try text.write { piece in
                guard at + Int64(piece.count) <= size else { throw Differs() }
                var there = [UInt8](repeating: 0, count: piece.count)
                var span = there.mutableSpan
                guard try file.read(into: &span, at: at) == piece.count, there == piece else { throw Differs() }
                at += Int64(piece.count)
            }
        } catch is Differs { return false }
        return at == size
    }

    /// Gives the last drafts their names, and waits until all of them are on the disk. Throws
    /// `EngineError.notDurable`.
    func finish() throws {
        guard let open else { return }
        try place(open)
        try open.durability.settle()
        try open.journal?.close()
    }

    /// After an error: removes what is unfinished. The files that have their names stay.
    func giveUp() {
        for number in waiting.indices { waiting[number].item.discard() }
        try? open?.durability.settle()
        try? open?.journal?.recover()
    }
}
