import CueBase
import CueLibrary
import CueSystem
import CueVault

/// Watches every folder of a library that is not left out, and tells which documents were touched.
struct LibraryWatch {
    /// What was learnt since the last look.
    struct News {
        var documents: Set<RelativePath> = []
        /// Events were lost, or folders came: everything must be looked at.
        var isIncomplete = false
        var lostEvents = false
        var rootIsGone = false
        /// Something came into the vault.
        var vaultChanged = false
        var settingsChanged = false
    }

    private let root: Folder
    private let bundles: BundleRules
    let events: FolderEvents?
    private var paths: [Int32: RelativePath] = [:]
    private var numbers: [RelativePath: Int32] = [:]
    private var ignored: IgnoreLookup
    private var vault: Set<Int32> = []
    private var settings: Int32?
    private(set) var isRootLost = false
    /// What is ignored has changed: other folders are to be watched.
    private var isOutdated = false
    /// Why not every folder can be watched; then rescans find what events would have told.
    private(set) var limitation: WatchLimitation?

    init(_ library: OpenLibrary) {
        (root, bundles) = (library.root, library.bundles)
        events = FolderEvents()
        ignored = IgnoreLookup(in: library.root)
        if events == nil { limitation = .noEvents }
    }

    var isComplete: Bool { limitation == nil }
    var count: Int { paths.count }

    /// Begins to watch a folder and all below it.
    mutating func add(_ path: RelativePath = .root) {
        if path.isRoot { addSettings() }
        var folders = FolderPath(root)
        guard let folder = try? folders.open(path) else { return }
        walk(folder, path, isInBundle: path.components.contains { bundles.isBundle(Array($0)) })
    }

    /// Also hears of changes of `.cue/library.toml`.
    private mutating func addSettings() {
        guard let folder = try? root.folder(LibraryMarker.folder) else { return }
        settings = try? events?.watch(folder)
    }

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

    /// Takes what the kernel has to tell.
    mutating func read() -> News {
        var news = News()
        for event in events?.read() ?? [] {
            switch event {
            case .overflow: (news.isIncomplete, news.lostEvents) = (true, true)
            case .folderGone(let number): forget(number, &news)
            // What is in the library is dropped by its old name, and added by its new one; only the library itself has no name here.
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

    /// Finds folders that nobody told of, and leaves those that are gone.
    private mutating func renew() {
        isOutdated = false
        guard !isRootLost else { return }
        let old = paths.keys
        (paths, numbers) = ([:], [:])
        add()
        for number in old where paths[number] == nil { events?.unwatch(number) }
    }

    /// Leaves a folder and all below it.
    private mutating func drop(_ path: RelativePath) {
        for (inner, number) in numbers where inner == path || inner.isInside(path) {
            (paths[number], numbers[inner]) = (nil, nil)
            events?.unwatch(number)
        }
    }

    /// Also hears of commits and events that arrive in the vault, where it is a folder on this machine.
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
        // Times and modes of a folder are no document: the next look at everything finds them.
        if document == path, name.isEmpty || isFolder && numbers[path] != nil { return }
        if name.elementsEqual(".cueignore".utf8) { (ignored, isOutdated) = (IgnoreLookup(in: root), true) }
        news.documents.insert(document)
        // Files may have come into it before it was watched: those are found by looking.
        if isFolder, !name.isEmpty, numbers[path] == nil {
            add(path)
            if document == path { news.isIncomplete = true }
        }
    }

    /// The bundle that a path is in, or the path itself.
    private func document(of path: RelativePath) -> RelativePath {
        var document = RelativePath.root
        for component in path.components {
            document = document.appending(Array(component))
            if bundles.isBundle(Array(component)) { return document }
        }
        return document
    }
}
