import CueBase
import CueLibrary
import CueSodium

/// Names for what is not whole yet. The scan passes them over (`DraftName`).
struct TemporaryNames: Sendable {
    let run: UInt64

    init(_ run: UInt64) { self.run = run }

    static func random() -> TemporaryNames {
        var generator = SodiumGenerator()
        return TemporaryNames(generator.next())
    }

    /// How all names of this run begin, but for its journal's.
    var prefix: [UInt8] { DraftName.start + Array("\(run.hexadecimal)-".utf8) }

    func name(_ number: Int) -> [UInt8] { prefix + Array("\(number).tmp".utf8) }

    /// The journal of a restore to a folder that is no library.
    var journal: [UInt8] { DraftName.start + Array("\(run.hexadecimal).tmp".utf8) }

    static func isJournal(_ name: [UInt8]) -> Bool {
        name.count == TemporaryNames(0).journal.count && DraftName.isDraft(name)
            && !name.dropFirst(DraftName.start.count).contains(0x2d)
    }
}
