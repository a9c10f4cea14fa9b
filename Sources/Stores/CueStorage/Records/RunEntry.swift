package import CueBase

/// An object that holds many records of one device's log, as it is listed (docs/format.md §12).
package struct RunEntry: Hashable, Comparable, Sendable {
    /// The device whose records these are.
    package let device: DeviceID
    /// The generations of the first and the last of them.
    package let first, last: UInt64
    /// The random id in the name.
    package let id: CommitID
    /// In bytes, sealed.
    package let size: Int

    /// A run of these parts; none is checked.
    package init(device: DeviceID, first: UInt64, last: UInt64, id: CommitID, size: Int) {
        (self.device, self.first, self.last, self.id, self.size) = (device, first, last, id, size)
    }

    /// The name of its object.
    package var name: ObjectName {
        func digits(_ number: UInt64) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, 10 - digits.count)) + digits
        }
        return ObjectName("log/\(device)/\(digits(first))-\(digits(last))-\(id)")
    }

    /// Reads the name of an object; nil for any but a run's.
    package init?(_ object: ObjectEntry) {
        // Most names of a listing are those of commits.
        guard object.name.text.utf8.count == 75 else { return nil }
        let parts = object.name.components
        guard parts.count == 3, parts[0] == "log", let device = DeviceID(parts[1]) else { return nil }
        let pieces = parts[2].split(separator: "-", omittingEmptySubsequences: false)
        let numbers = pieces.prefix(2).compactMap { piece in
            piece.utf8.count == 10 && piece.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt64(piece) : nil
        }
        guard pieces.count == 3, numbers.count == 2, numbers[0] > 0, numbers[0] <= numbers[1],
            let id = CommitID(pieces[2])
        else { return nil }
        self.init(device: device, first: numbers[0], last: numbers[1], id: id, size: object.size)
    }

    /// By device, then by generations, then by id.
    package static func < (x: RunEntry, y: RunEntry) -> Bool {
        (x.device, x.first, x.last, x.id) < (y.device, y.first, y.last, y.id)
    }
}
