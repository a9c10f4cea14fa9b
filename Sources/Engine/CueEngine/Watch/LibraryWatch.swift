import CueBase
import CueLibrary
import CueSystem
import CueVault

/// Watches every folder of a library that no rule of `.cueignore` covers, and reports which documents were touched.
struct LibraryWatch {
    /// The changes since the last call of `read`.
    struct News {
        /// Documents in which something changed.
        var documents: Set<RelativePath> = []
        /// Events were lost, or there are new folders: everything must be looked at.
        var isIncomplete = false
        /// The kernel dropped events.
        var lostEvents = false
        /// The library's folder was moved, removed or unmounted.
        var rootIsGone = false
        /// Something came into the vault.
        var vaultChanged = false
        /// `.cue/library.toml` changed.
        var settingsChanged = false
    }

    private let root: Folder
    private let bundles: BundleRules
    /// nil if the system reports no changes.
    let events: FolderEvents?
    /// The watched folders by the kernel's number.
    private var paths: [Int32: RelativePath] = [:]
    /// The same by path.
    private var numbers: [RelativePath: Int32] = [:]
    private var ignored: IgnoreLookup
    /// The watched folders of the vault.
    private var vault: Set<Int32> = []
    /// The number of the watched folder `.cue`.
    private var settings: Int32?
    /// The library's folder is no longer watched; only a new `LibraryWatch` watches it again.
    private(set) var isRootLost = false
    /// A `.cueignore` has changed, so other folders are to be watched.
    private var isOutdated = false
    /// The reason why not every folder is watched; nil if all are. The others are found by looking at everything.
    private(set) var limitation: WatchLimitation?

    init(_ library: OpenLibrary) {
        (root, bundles) = (library.root, library.bundles)
        events = FolderEvents()
        ignored = IgnoreLookup(in: library.root)
        if events == nil { limitation = .noEvents }
    }

    /// Whether every folder is watched.
    var isComplete: Bool { limitation == nil }
    /// The number of watched folders of the library.
    var count: Int { paths.count }

    /// Begins to watch a folder and all below it.
    mutating func add(_ path: RelativePath = .root) {
        if path.isRoot { addSettings() }
        var folders = FolderPath(root)
        guard let folder = try? folders.open(path) else { return }
        walk(folder, path, isInBundle: path.components.contains { bundles.isBundle(Array($0)) })
    }

    /// Watches `.cue` for changes of `library.toml`.
    private mutating func addSettings() {
        guard let folder = try? root.folder(LibraryMarker.folder) else { return }
        settings = try? events?.watch(folder)
    }

    /// Watches the folder and all below it that no rule covers. Folders in a bundle are watched in any case.
    private mutating func walk(_ folder: Folder, _ path: RelativePath, isInBundle: Bool) {
        guard let events, limitation == nil else { return }
        do {
            let number = try events.watch(folder)
            (paths[number], numbers[path]) = (path, number)
        } catch {
            if error.isNoSpace { limitation = .noMoreFolders }
            return
        }
        for name in (try? folder.names()) ?? [] {
            let inner = path.appending(name)
            guard (try? folder.info(of: name))?.kind == .folder, path.isRoot ? name != LibraryMarker.folder : true,
                isInBundle || !ignored.ignores(inner, isFolder: true), let child = try? folder.folder(name)
            else { continue }
            walk(child, inner, isInBundle: isInBundle || bundles.isBundle(name))
        }
    }

    /// Reads the events since the last call; does not wait.
    mutating func read() -> News {
        var news = News()
        for event in events?.read() ?? [] {
            switch event {
            case .overflow: (news.isIncomplete, news.lostEvents) = (true, true)
            case .folderGone(let number): forget(number, &news)
            // A folder in the library is dropped by its old name and added by its new one. The library's own folder has
            // no name in a watched folder, so this event alone reports its move.
            case .folderMoved(let number): if paths[number]?.isRoot ?? false { forget(number, &news) }
            case .movedAway(let number, let name):
                if let path = paths[number]?.appending(name) { drop(path) }
                note(number, name, isFolder: false, &news)
            case .changed(let number, let name, let isFolder): note(number, name, isFolder: isFolder, &news)
            }
        }
        if isOutdated || news.lostEvents { renew() }
        return news
    }

    /// Watches all folders anew: finds those of which no event came, and stops watching those that are gone or ignored.
    private mutating func renew() {
        isOutdated = false
        guard !isRootLost else { return }
        let old = paths.keys
        (paths, numbers) = ([:], [:])
        add()
        for number in old where paths[number] == nil { events?.unwatch(number) }
    }

    /// Stops watching a folder and all below it.
    private mutating func drop(_ path: RelativePath) {
        for (inner, number) in numbers where inner == path || inner.isInside(path) {
            (paths[number], numbers[inner]) = (nil, nil)
            events?.unwatch(number)
        }
    }

    /// Also watches for commits and events that arrive in the vault, which is a folder on this machine.
    mutating func addVault(at place: FilePathBytes) {
        guard let events, limitation == nil else { return }
        for name in ["log", "events"] {
            guard let log = try? Folder.open(place.appending(name)) else { continue }
            if let number = try? events.watch(log) { vault.insert(number) }
            for name in (try? log.names()) ?? [] {
                if let device = try? log.folder(name), let number = try? events.watch(device) { vault.insert(number) }
            }
        }
    }

    /// A watched folder is gone, or its number is no longer valid.
    private mutating func forget(_ number: Int32, _ news: inout News) {
        if vault.remove(number) != nil { return news.vaultChanged = true }
        guard let path = paths.removeValue(forKey: number) else { return }
        events?.unwatch(number)
        if numbers[path] == number { numbers[path] = nil }
        if path.isRoot {
            (news.rootIsGone, isRootLost) = (true, true)
        } else {
            news.documents.insert(document(of: path))
        }
    }

    /// Something happened to a name in a watched folder; an empty name is the folder itself.
    private mutating func note(_ number: Int32, _ name: [UInt8], isFolder: Bool, _ news: inout News) {
        if vault.contains(number) { return news.vaultChanged = true }
        if number == settings { return news.settingsChanged = news.settingsChanged || LibraryMarker.isFile(name) }
        guard let folder = paths[number] else { return }
        let path = name.isEmpty ? folder : folder.appending(name)
        if path.components.first.map({ $0.elementsEqual(LibraryMarker.folder) }) ?? false {
            addSettings()
            return news.settingsChanged = true
        }
        let document = document(of: path)
        if document == path, ignored.ignores(path, isFolder: isFolder) {
            return
        }
        // New times or another mode of a plain folder concern no document; the next look at everything finds them.
        if document == path, name.isEmpty || isFolder && numbers[path] != nil { return }
        if name.elementsEqual(".cueignore".utf8) { (ignored, isOutdated) = (IgnoreLookup(in: root), true) }
        news.documents.insert(document)
        // Files may have been put into a new folder before it was watched; only a look at everything finds them.
        if isFolder, !name.isEmpty, numbers[path] == nil {
            add(path)
            if document == path { news.isIncomplete = true }
        }
    }

    /// The outermost bundle that the path is in, or the path itself.
    private func document(of path: RelativePath) -> RelativePath {
        var document = RelativePath.root
        for component in path.components {
            document = document.appending(Array(component))
            if bundles.isBundle(Array(component)) { return document }
        }
        return document
    }
}
