import CueBase
import CueSystem
import CueVault
import Foundation

/// Names for what stands beside a document of the same name.
enum CopyName {
    /// `Letter (the laptop, 2026-11-21 14.30).docx`: what it is, who wrote it, and when.
    static func path(
        for version: History.Version, _ history: History, in parent: RelativePath, isTaken: (RelativePath) -> Bool
    ) -> RelativePath {
        let source = history.source(of: version)
        let label = Array(", \(time(source.time)))".utf8)
        return free(
            version.header.path.name, in: parent, label: Array(" (".utf8) + device(of: source, history) + label,
            isTaken)
    }

    /// `Letter (the laptop).docx`: what it is, and who wrote it.
    static func sibling(
        for version: History.Version, _ history: History, beside path: RelativePath, isTaken: (RelativePath) -> Bool
    ) -> RelativePath {
        let label = Array(" (".utf8) + device(of: history.source(of: version), history) + Array(")".utf8)
        return free(path.name, in: path.parent ?? .root, label: label, isTaken)
    }

    /// Whether a path is one that `sibling` could have made.
    static func isCopy(_ path: RelativePath, of original: RelativePath) -> Bool {
        let name = original.name
        let stem = name[..<ending(of: name)]
        // A long stem is cut for the label.
        let kept = path.name.lastIndex(of: 0x28).map { path.name[..<max(0, $0 - 1)] } ?? []
        return path.parent == original.parent && !kept.isEmpty && stem.starts(with: kept)
            && (kept.count == stem.count || path.name.count > 150)
    }

    private static func free(
        _ name: [UInt8], in parent: RelativePath, label: [UInt8], _ isTaken: (RelativePath) -> Bool
    ) -> RelativePath {
        func path(_ attempt: Int) -> RelativePath {
            parent.appending(adding(label + (attempt == 1 ? [] : Array(" \(attempt)".utf8)), to: name))
        }
        // One after the other would be squares where thousands have one name: far ahead, and then back by halves.
        var (taken, free) = (0, 1)
        while isTaken(path(free)) { (taken, free) = (free, free < 8 ? free + 1 : 2 * free) }
        while free - taken > 1 {
            let middle = (taken + free) / 2
            if isTaken(path(middle)) { taken = middle } else { free = middle }
        }
        return path(free)
    }

    private static func device(of version: History.Version, _ history: History) -> ArraySlice<UInt8> {
        let device = Array(history.name(of: version.device).utf8.filter { $0 != 0x2f && $0 >= 0x20 && $0 != 0x7f })
        return beginning(of: device[...], upTo: 48)
    }

    /// Puts a label before the ending. Names and endings of any length: together they stay within the bytes that a file's name may have.
    static func adding(_ label: [UInt8], to name: [UInt8]) -> [UInt8] {
        let dot = ending(of: name)
        let ending = beginning(of: name[dot...], upTo: 40)
        return beginning(of: name[..<dot], upTo: Limits.name - label.count - ending.count) + label + ending
    }

    /// Where a name's ending begins: at its last dot, or behind its last letter. What holds a space or a bracket is no ending but text:
    /// the time in the name of a copy, or `Dr. Who`.
    private static func ending(of name: [UInt8]) -> Int {
        guard let dot = name.lastIndex(of: 0x2e), dot > 0,
            !name[dot...].contains(where: { [0x20, 0x28, 0x29].contains($0) })
        else { return name.count }
        return dot
    }

    /// At most so many bytes, cut before a letter of UTF-8 rather than within it; what is no letter may be cut anywhere.
    static func beginning(of bytes: ArraySlice<UInt8>, upTo limit: Int) -> ArraySlice<UInt8> {
        let rest = bytes.dropFirst(max(0, limit))
        guard let end = rest.indices.first else { return bytes }
        for start in (max(bytes.startIndex, end - 3)..<end).reversed() {
            let length = (~bytes[start]).leadingZeroBitCount
            guard (2...4).contains(length), start + length > end else { continue }
            let isLetter = String(validating: bytes[start...].prefix(length), as: UTF8.self) != nil
            return bytes[..<(isLetter ? start : end)]
        }
        return bytes[..<end]
    }

    private static func time(_ time: Timestamp) -> String {
        let date = Date(timeIntervalSince1970: Double(time.milliseconds) / 1000)
        let parts = Calendar.current.dateComponents([.year, .month, .day, .hour, .minute], from: date)
        func two(_ number: Int?) -> String { (number ?? 0) < 10 ? "0\(number ?? 0)" : "\(number ?? 0)" }
        return "\(parts.year ?? 0)-\(two(parts.month))-\(two(parts.day)) \(two(parts.hour)).\(two(parts.minute))"
    }
}

extension Folder {
    /// Gives what stands under a temporary name one beside `home` at which nothing stands, and returns it.
    func keep(_ name: [UInt8], beside home: [UInt8], by who: String) throws(SystemError) -> [UInt8] {
        var number = 1
        while true {
            let label = Array(number == 1 ? " (kept by \(who))".utf8 : " (kept by \(who) \(number))".utf8)
            let free = CopyName.adding(label, to: home)
            do throws(SystemError) {
                try renameNew(name, to: self, free)
                return free
            } catch {
                guard error.isAlreadyThere, number < 1000 else { throw error }
            }
            number += 1
        }
    }
}
