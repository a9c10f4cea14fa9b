import CueBase
import CueEngine
import CueLibrary
import CueSystem
import CueTerminal
import CueVault

/// Makes copies of versions for a person to open, and removes them again.
///
/// A version may come from an attacker: a copy is readable for this user only, is not executable, and has an ending
/// that no desktop runs.
final class ConflictViewer {
    private let vault: Vault
    private let folder: FilePathBytes

    /// Copies are made in a folder of `state` for this process. Those of processes that were killed are removed.
    init(_ vault: Vault, _ state: StateFolder) {
        self.vault = vault
        Self.removeLeftovers(in: state)
        folder = state.path.appending("shown-\(Environment.processID)")
    }

    /// Whether there is a desktop that opens copies.
    lazy var opens: Bool =
        Environment["DISPLAY"] ?? Environment["WAYLAND_DISPLAY"] != nil
        && ShellRun.run("command -v xdg-open", variables: [:], seconds: 5) == .exited(0)

    /// Copies every version that is no deletion, opens it on a desktop if there is one, and returns lines with the
    /// paths.
    func open(_ details: ConflictDetails) -> [Line] {
        let what =
            opens ? "Copies, which your desktop opens:" : "Copies, which any program can open (here is no desktop):"
        var lines: [Line] = ["", Line(what)]
        do {
            for (number, side) in details.sides.enumerated() where !side.side.isDeletion {
                let name = side.side.isHere ? "this device" : "\(number) \(HarmlessCopy.name(side.device))"
                let copy = try put(side.side.version, at: folder.appending(name))
                lines.append("  \(ShellWord.quoted("\(copy)"))")
                if opens { show(copy) }
            }
            return lines + ["What is written in them is not kept; they go when the questions are over.", ""]
        } catch {
            return ["", "No copies can be made: \(CueError.describing(error, vault: "the vault").message)", ""]
        }
    }

    /// Restores a version below `place`, makes it harmless, and returns its path.
    private func put(_ version: History.Version, at place: FilePathBytes) throws -> FilePathBytes {
        var request = RestoreRequest()
        (request.version, request.overwrite) = (version.id.description, true)
        _ = try Restore.run(request, VaultContext(vault), to: .folder(place))
        let path = version.header.path
        let name = HarmlessCopy.name(path.name, isFolder: version.header.kind == .bundle)
        let top = try Folder.open(place)
        var folders = FolderPath(top)
        let parent = try folders.openParent(of: path)
        try parent.makeHarmless(path.name)
        try parent.rename(path.name, to: top, Array(name.utf8))
        return place.appending(name)
    }

    /// Opens a copy. The variables with the vault's passphrase are not passed on.
    private func show(_ copy: FilePathBytes) {
        guard let path = String(validating: copy.bytes, as: UTF8.self) else { return }
        _ = ShellRun.run("xdg-open \"$1\" &", [path], variables: [:], seconds: 10)
    }

    /// Removes the copies of processes that run no more.
    static func removeLeftovers(in state: StateFolder) {
        guard let folder = try? Folder.open(state.path), let names = try? folder.names() else { return }
        for name in names.map({ String(decoding: $0, as: UTF8.self) }) where name.hasPrefix("shown-") {
            guard let process = Int32(name.dropFirst(6)), !Environment.isRunning(process) else { continue }
            try? folder.removeAll(Array(name.utf8))
        }
    }

    /// Removes all copies.
    func clean() {
        try? Folder.open(folder.parent).removeAll(folder.name)
    }
}

/// Names for copies that a desktop may open.
enum HarmlessCopy {
    /// Texts, documents and pictures. A file with another ending might be run, or might load content from elsewhere.
    private static let endings: Set<String> = [
        "txt", "text", "md", "markdown", "mkd", "rst", "org", "adoc", "fountain", "tex", "bib", "log", "csv", "rtf",
        "doc",
        "docx", "odt", "fodt", "ott", "pdf", "epub", "pages", "png", "jpg", "jpeg", "gif", "tif", "tiff", "webp",
        "heic",
    ]

    /// A name of one path component that can be shown and typed.
    static func name(_ text: String) -> String {
        short(Display.text(Array(text.utf8)).replacing(scalar: "/", with: "-"))
    }

    /// A name for a copy of a document; an unknown ending of a file becomes `.txt`.
    static func name(_ bytes: [UInt8], isFolder: Bool) -> String {
        let shown = Display.text(bytes)
        if isFolder { return short(shown) }
        let ending = shown.split(separator: ".", omittingEmptySubsequences: false).dropFirst().last
        guard let ending, endings.contains(ending.lowercased()) else { return short(shown) + ".txt" }
        return short(shown.dropLast(ending.count + 1)) + "." + ending
    }

    /// At most 200 bytes, so that every file system takes it.
    private static func short(_ name: some StringProtocol) -> String {
        var short = ""
        for character in name {
            guard short.utf8.count + character.utf8.count <= 200 else { break }
            short.append(character)
        }
        return short
    }
}

extension Folder {
    /// Gives a file, or everything in a folder, to this user alone and not executable. Links are removed: they lead
    /// elsewhere.
    fileprivate func makeHarmless(_ name: [UInt8]) throws {
        switch try info(of: name)?.kind {
        case .file: try file(name).setMode(0o600)
        case .folder:
            let inner = try folder(name)
            try inner.setMode(0o700)
            for child in try inner.names() { try inner.makeHarmless(child) }
        case .none: break
        default: try remove(name)
        }
    }
}
