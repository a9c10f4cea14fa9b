import CueBase
import CueEngine
import CueLibrary
import CueSystem
import CueTerminal
import CueVault

/// What a person means by the names that she types: documents and folders of this name, else what fits it.
struct Naming {
    /// Where paths lead to; nil for a vault alone.
    let library: OpenLibrary?
    /// Finds what fits a name that nothing has.
    let search: (String) throws -> [NameSearch.Match]

    /// Runs a command that reads, with a name as a person typed it. If no document has exactly this name, the command
    /// gets the one document that fits it, and says so on a terminal. Throws `EngineError.ambiguousName` if several fit.
    func reading<Result>(
        _ typed: String, _ output: Output, _ body: (String) throws -> Result
    ) throws -> Result {
        let name = place(of: typed)
        do { return try body(name) } catch EngineError.unknownName(let unknown, let near) {
            let matches = try search(unknown)
            guard matches.count < 2 else {
                throw EngineError.ambiguousName(unknown, candidates: matches.map(\.path))
            }
            guard let match = matches.first else { throw EngineError.unknownName(unknown, near: near) }
            output.note(NameWords.taken(match))
            return try body(match.path)
        }
    }

    /// The same for a command that changes something, with any number of names. Asks on a terminal before it takes
    /// another name than was typed; where it may not ask, the error has the command to type. `body` may be run several
    /// times, and does nothing before all its names are known. `synced`: what a sync did before; nil for nothing.
    func writing<Result>(
        _ typed: [String], synced: String? = nil, _ body: ([String]) throws -> Result
    ) throws -> Result {
        var names = typed.map { place(of: $0) }
        while true {
            let (unknown, candidates): (String, [NameSearch.Match])
            do { return try body(names) } catch EngineError.unknownName(let name, let near) {
                let matches = try search(name)
                guard !matches.isEmpty, Asking.isAllowed else {
                    if matches.count == 1, let number = names.firstIndex(of: name) {
                        let command = Asking.command(with: matches[0].path, for: typed[number])
                        throw NameWords.fits(matches[0], name, command, synced: synced)
                    }
                    throw EngineError.unknownName(name, near: matches.isEmpty ? near : matches.prefix(3).map(\.path))
                }
                (unknown, candidates) = (name, matches)
            } catch EngineError.ambiguousName(let name, let paths) where Asking.isAllowed {
                (unknown, candidates) = (name, paths.map { NameSearch.Match(path: $0, isDeleted: false, former: nil) })
            }
            guard let number = names.firstIndex(of: unknown) else {
                throw EngineError.ambiguousName(unknown, candidates: candidates.map(\.path))
            }
            names[number] = try choose(candidates, for: unknown)
        }
    }

    /// Asks which one was meant. Throws if the person takes none.
    private func choose(_ candidates: [NameSearch.Match], for name: String) throws -> String {
        // One digit is enough to choose, and the list fits a window of 24 lines.
        let shown = candidates.prefix(9)
        let none = CueError(.failed, NameWords.noneTaken(name))
        guard shown.count > 1 else {
            guard let only = shown.first, let answer = Output.ask(NameWords.question(only)) else {
                throw NameWords.stopped ?? none
            }
            guard ["", "y", "yes"].contains(answer.lowercased()) else { throw none }
            return only.path
        }
        for line in NameWords.list(Array(shown), of: candidates.count, name) { Output.complain(Line(line)) }
        let typed = Output.ask(NameWords.numberQuestion(shown.count))
        if let stopped = NameWords.stopped { throw stopped }
        let answer = typed.flatMap { Int($0) } ?? 0
        guard shown.indices.contains(answer - 1) else { throw none }
        return shown[answer - 1].path
    }

    /// A name as the engine takes it. A path as a shell gives it, absolute or from the current folder, becomes one in
    /// the library, and empty for the library itself; any other name stays as it is.
    func place(of typed: String) -> String {
        var bytes = ArgumentBytes.bytes(typed)
        while bytes.count > 1, bytes.last == 0x2f { bytes.removeLast() }
        guard let library, let root = library.path.resolved(), let here = currentFolder() else {
            return bytes == [0x2e] ? "" : typed
        }
        let path = bytes.first == 0x2f ? FilePathBytes(bytes) : here.appending(bytes)
        let isPath = bytes.first == 0x2f || bytes.split(separator: 0x2f).contains { Self.isRelative(Array($0)) }
        // A whole path in the library comes before a name in the folder of it where one stands.
        guard isPath || here != root && Self.isThere(path) && !Self.isThere(root.appending(bytes)) else { return typed }
        // A link may be a document itself, and is not followed.
        let whole =
            Self.isRelative(path.name)
            ? path.resolvedAsFarAsThere() : path.parent.resolvedAsFarAsThere().appending(path.name)
        guard whole != root else { return "" }
        let inside = Array(whole.bytes.dropFirst(root.bytes.count + 1))
        guard whole.isAtOrBelow(root), !inside.split(separator: 0x2f).contains(where: { Self.isRelative(Array($0)) })
        else { return typed }
        return ArgumentBytes.text(inside)
    }

    /// True for `.` and `..`.
    private static func isRelative(_ component: [UInt8]) -> Bool { component == [0x2e] || component == [0x2e, 0x2e] }

    private static func isThere(_ path: FilePathBytes) -> Bool { (try? path.info()) ?? nil != nil }
}
