import CueBase
import CueLibrary
import CueSystem

/// The folder to which drafts are written. A file appears under its name only when all of it is on the disk, and
/// nothing that stands there is replaced.
final class DraftFolder {
    /// What became of a draft.
    enum Placed {
        /// It was written under the name with this number.
        case written([UInt8], number: Int, size: Int64)
        /// A file with the same bytes was there under one of the names.
        case wasThere
    }

    /// After so many names that are taken, the draft is given up.
    private static let attempts = 1000

    private let path: FilePathBytes
    private let names: TemporaryNames
    /// All folders in which drafts may be made.
    private let parents: Set<RelativePath>
    private var open: Open?
    private var count = 0
    /// Unfinished files of runs that were cut off, which were removed.
    private(set) var leftovers: [RelativePath] = []

    /// The folder once there is something to write.
    private struct Open {
        let root: Folder
        var folders: FolderPath
        let durability: Durability
        let journal: PlacingJournal?
    }

    /// Throws `SystemError` if something that is no folder has the path. `parents`: the folders in which drafts may be
    /// made, below the path.
    init(at path: FilePathBytes, _ parents: Set<RelativePath>, _ names: TemporaryNames) throws {
        (self.path, self.parents, self.names) = (path, parents, names)
        if try path.info() != nil { _ = try Folder.open(path) }
    }

    /// Writes a text below `parent` under the first of its names that is free, unless it is there under one before.
    /// `name` gives them by number. Throws `SystemError`.
    func put(
        in parent: RelativePath, name: (Int) -> [UInt8], _ text: DraftText
    ) throws -> Placed {
        var open = try self.open ?? begin()
        defer { self.open = open }
        let folder = try open.folders.openOrMakeParent(of: parent.appending(name(0)))
        open.durability.touchAll(to: parent)
        count += 1
        var draft = StagedItem(names.name(count), in: folder)
        defer { draft.discard() }
        var size: Int64?
        var number = 0
        while number < Self.attempts {
            let name = name(number)
            if let info = try folder.info(of: name) {
                if info.kind == .file, try holds(folder, name, info.size, text) { return .wasThere }
                number += 1
                continue
            }
            let written = try size ?? write(text, to: &draft)
            size = written
            do throws(SystemError) {
                try draft.place(at: name)
                return .written(name, number: number, size: written)
            } catch {
                // Another program was faster: look at what it made.
                guard error.isAlreadyThere else { throw error }
            }
        }
        throw SystemError.namesTaken
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
        // Each file is made durable by itself, before it gets its name.
        return Open(root: root, folders: FolderPath(root), durability: Durability(of: root, files: 0), journal: journal)
    }

    private func write(_ text: DraftText, to draft: inout StagedItem) throws -> Int64 {
        let output = BlockWriter(try draft.create())
        var size: Int64 = 0
        try text.write { piece in
            try output.write(piece.span)
            size += Int64(piece.count)
        }
        try output.flush()
        try output.withFile { file throws(SystemError) in
            // As a program makes a file that others may read.
            try file.setMode(0o644)
            try file.synchronize()
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

    /// Waits until every file has its name on the disk. Throws `EngineError.notDurable`.
    func finish() throws {
        guard let open else { return }
        try open.durability.settle()
        try open.journal?.close()
    }

    /// After an error: removes what is unfinished. The files that have their names stay.
    func giveUp() {
        try? open?.durability.settle()
        try? open?.journal?.recover()
    }
}
