package import CueBase
import CueLibrary
import CueStorage
import CueSystem
package import CueVault

/// Reads a part of the vault back every day, so that all of it is read once in a month: a backup that nobody ever reads is a hope.
package struct RollingCheck {
    package struct Report: Sendable {
        package var packs = 0
        /// What is wrong; empty when nothing is.
        package var problems: [String] = []
    }

    private static let day: Int64 = 86_400_000
    private let library: OpenLibrary
    private let vault: Vault
    private let now: Timestamp

    package init(_ library: OpenLibrary, _ vault: Vault, now: Timestamp = Environment.now) {
        (self.library, self.vault, self.now) = (library, vault, now)
    }

    /// Whether a day has gone by since the last part was read. A clock that was set back makes it due.
    package var isDue: Bool {
        let last = (try? library.store.read { try $0.text("last slice") }).flatMap { $0 }.flatMap { Int64($0) } ?? 0
        return last > now.milliseconds || now.milliseconds - last >= Self.day
    }

    /// Reads the packs whose turn it is: those that were never read, and then those that were read longest ago.
    package func run(days: Int = 30) throws -> Report {
        var history = try History.load(vault)
        try history.findPacks(in: vault)
        let (known, last) = try library.store.read {
            (try $0.verified(), try $0.text("last slice").flatMap { Int64($0) })
        }
        let sizes = try vault.packSizes()
        var report = Report()
        report.problems = history.gaps
        // A watcher that did not run for some days has more to read, up to a week's worth.
        let missed = last.map { max(1, min(7, (now.milliseconds - $0) / Self.day)) } ?? 1
        let packs = history.index.packs.indices.sorted { a, b in
            (known[history.index.packs[a].id] ?? 0, a) < (known[history.index.packs[b].id] ?? 0, b)
        }
        let reader = try ContentReader(of: vault, index: history.index)
        var read: [PackID] = []
        for number in packs.prefix((packs.count * Int(missed) + days - 1) / days) {
            try Interruption.throwIfRequested()
            let pack = history.index.packs[number]
            report.packs += 1
            do {
                guard sizes[pack.id] == pack.size else {
                    throw VaultError.missing(object: PackRecord.name(of: pack.id).text)
                }
                try reader.verify(history.index.record(number))
                read.append(pack.id)
            } catch let error as VaultError {
                report.problems.append(error.sentence)
            }
        }
        try note(read, all: history.index.packs.map(\.id), report.problems)
        return report
    }

    /// After a check that read everything and found nothing wrong.
    package func noteAll() throws {
        let packs = try History.load(vault).index.packs.map(\.id)
        try note(packs, all: packs, [])
    }

    private func note(_ read: [PackID], all: [PackID], _ problems: [String]) throws {
        try library.store.write { transaction in
            try transaction.addVerified(read, at: now.milliseconds)
            let known = try transaction.verified()
            try transaction.set("last slice", String(now.milliseconds))
            let times = all.compactMap { known[$0] }
            try transaction.set("verified", times.min().map(String.init) ?? "")
            try transaction.set("never verified", String(all.count - times.count))
            try transaction.set("vault problem", problems.first ?? "")
        }
    }
}
