import CueBase
import CueSystem
import CueVault
import Foundation

/// Names for copies of a document that stand beside it.
enum CopyName {
    /// A free path such as `Letter (the laptop, 2026-11-21 14.30).docx`: the document, its device, and when that wrote
    /// it.
    static func path(
        for version: History.Version, _ history: History, in parent: RelativePath, isTaken: (RelativePath) -> Bool
    ) -> RelativePath {
        let source = source(of: version, history)
        let label = Array(", \(stamp(source.time)))".utf8)
        return free(
            version.header.path.name, in: parent, label: Array(" (".utf8) + device(of: source, history) + label,
            isTaken)
    }

    /// A free path such as `Letter (the laptop).docx`: the document and the device that wrote this version.
    static func sibling(
        for version: History.Version, _ history: History, beside path: RelativePath, isTaken: (RelativePath) -> Bool
    ) -> RelativePath {
        let label = Array(" (".utf8) + device(of: source(of: version, history), history) + Array(")".utf8)
        return free(path.name, in: path.parent ?? .root, label: label, isTaken)
    }

    /// The version that first had the content; the version itself if the past is not known.
    private static func source(of version: History.Version, _ history: History) -> History.Version {
        FullHistory(history)?.source(of: version) ?? version
    }

    /// Whether `sibling` could have made a path.
    static func isCopy(_ path: RelativePath, of original: RelativePath) -> Bool {
        let name = original.name
        let stem = name[..<ending(of: name)]
        // A long stem was cut for the label.
        let kept = path.name.lastIndex(of: 0x28).map { path.name[..<max(0, $0 - 1)] } ?? []
        return path.parent == original.parent && !kept.isEmpty && stem.starts(with: kept)
            && (kept.count == stem.count || path.name.count > 150)
    }

    /// The name with its label, and with a number if that is taken.
    private static func free(
        _ name: [UInt8], in parent: RelativePath, label: [UInt8], _ isTaken: (RelativePath) -> Bool
    ) -> RelativePath {
        // Where the path would be too long, the copy stands in a folder above.
        var parent = parent
        while parent.bytes.count + 1 + Limits.name > Limits.path, let above = parent.parent { parent = above }
        let place = parent
        func path(_ attempt: Int) -> RelativePath {
            place.appending(adding(label + (attempt == 1 ? [] : Array(" \(attempt)".utf8)), to: name))
        }
        // Trying one after the other would be quadratic if thousands have one name: double the number, then go back by
        // halves.
        var (taken, free) = (0, 1)
        while isTaken(path(free)) { (taken, free) = (free, free < 8 ? free + 1 : 2 * free) }
        while free - taken > 1 {
            let middle = (taken + free) / 2
            if isTaken(path(middle)) { taken = middle } else { free = middle }
        }
        return path(free)
    }

    /// The name of the version's device, without characters that no file name may have; at most 48 bytes.
    static func device(of version: History.Version, _ history: History) -> ArraySlice<UInt8> {
        let device = Array(history.name(of: version.device).utf8.filter { $0 != 0x2f && $0 >= 0x20 && $0 != 0x7f })
        return beginning(of: device[...], upTo: 48)
    }

    /// Puts a label before the ending. Name and ending are cut so that the result has at most `Limits.name` bytes.
    static func adding(_ label: [UInt8], to name: [UInt8]) -> [UInt8] {
        let dot = ending(of: name)
        let ending = beginning(of: name[dot...], upTo: 40)
        return beginning(of: name[..<dot], upTo: Limits.name - label.count - ending.count) + label + ending
    }

    /// The name without its ending.
    static func stem(of name: [UInt8]) -> [UInt8] { Array(name[..<ending(of: name)]) }

    /// Where a name's ending begins: at its last dot, or at the end if it has none. An ending with a space or a bracket
    /// is none but text: the time in the name of a copy, or `Dr. Who`.
    private static func ending(of name: [UInt8]) -> Int {
        guard let dot = name.lastIndex(of: 0x2e), dot > 0,
            !name[dot...].contains(where: { [0x20, 0x28, 0x29].contains($0) })
        else { return name.count }
        return dot
    }

    /// At most `limit` bytes, never cut within a character of UTF-8. Bytes that are no UTF-8 may be cut anywhere.
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

    /// Such as `2026-11-21 14.30`, or `2026-11-21 14.30.05`, in local time.
    static func stamp(_ time: Timestamp, seconds: Bool = false) -> String {
        let date = Date(timeIntervalSince1970: Double(time.milliseconds) / 1000)
        let parts = Calendar.current.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        func two(_ number: Int?) -> String { (number ?? 0) < 10 ? "0\(number ?? 0)" : "\(number ?? 0)" }
        let end = seconds ? ".\(two(parts.second))" : ""
        return "\(parts.year ?? 0)-\(two(parts.month))-\(two(parts.day)) \(two(parts.hour)).\(two(parts.minute))\(end)"
    }
}

extension Folder {
    /// Renames a file with a temporary name to a free name beside `home`, and returns that. `who`: "restore" or "sync".
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
