import CueBase
import CueLibrary
import CueSodium

/// The temporary names of one run. A scan skips them (`StagedName`).
struct TemporaryNames: Sendable {
    /// A random number, the same in all names of a run.
    let run: UInt64

    init(_ run: UInt64) { self.run = run }

    /// The names of a new run.
    init(by randomness: RandomSource) { self.init(randomness.next()) }

    /// How all names of this run begin, except for its journal's.
    var prefix: [UInt8] { StagedName.start + Array("\(run.hexadecimal)-".utf8) }

    /// The name of the run's item with this number.
    func name(_ number: Int) -> [UInt8] { prefix + Array("\(number).tmp".utf8) }

    /// The name of the journal, if the folder is no library.
    var journal: [UInt8] { StagedName.start + Array("\(run.hexadecimal).tmp".utf8) }

    /// Whether a name is that of a run's journal.
    static func isJournal(_ name: [UInt8]) -> Bool {
        name.count == TemporaryNames(0).journal.count && StagedName.isDraft(name)
            && !name.dropFirst(StagedName.start.count).contains(0x2d)
    }
}
