import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueTestSupport
import CueVault
import Foundation
import Testing

@testable import CueEngine

/// Random histories of three devices with real folders, on whatever log the suite runs on.
/// `CUE_SYNC_HISTORIES=300 swift test -c release --filter SyncHistoryTests` for many.
@Suite("Random histories of devices")
struct SyncHistoryTests {
    private static let count =
        ProcessInfo.processInfo.environment["CUE_SYNC_HISTORIES"].flatMap { UInt64($0) } ?? 4

    @Test("All devices have the same in the end, and everything that a sync found is in the vault for ever")
    func histories() throws {
        for seed in 1...Self.count {
            var history = try SyncHistory(seed: seed)
            for _ in 0..<30 { try history.step() }
            try history.end()
        }
    }
}

/// One history. Even seeds share a vault; with odd ones two devices have a copy each, which meet now and then.
private struct SyncHistory {
    private let seed: UInt64
    private var random: SeededGenerator
    private let stores: [MemoryStore]
    private let devices: [SyncDevice]
    private var stamps = 0
    /// All content that a sync or backup that ended had found.
    private var found: Set<String> = []

    init(seed: UInt64) throws {
        (self.seed, random) = (seed, SeededGenerator(seed: seed))
        let folder = TemporaryFolder()
        let stores = (0..<(seed % 2 == 0 ? 1 : 2)).map { _ in MemoryStore() }
        self.stores = stores
        devices = try ["desk", "lap", "phone"].enumerated().map { number, name in
            try SyncDevice(name, in: folder, on: stores[number % stores.count])
        }
    }

    private mutating func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    private mutating func stamp() -> String {
        stamps += 1
        return "seed \(seed), text \(stamps)" + String(repeating: ".", count: stamps % 17)
    }

    /// The documents of a device: files, and bundles without their members.
    private func documents(of device: SyncDevice) throws -> [String] {
        let files = try device.tree().keys.filter { !$0.hasPrefix(".cue") && !$0.hasSuffix("/") }
        return Set(files.map { path in String(path.split(separator: "/")[0]) }).sorted()
    }

    mutating func step() throws {
        let device = devices[number(below: devices.count)]
        let documents = try documents(of: device)
        let name = documents.isEmpty ? nil : documents[number(below: documents.count)]
        let isBundle = name?.hasSuffix(".rtfd") ?? false
        switch (number(below: 10), name) {
        case (0...1, _), (_, nil): try device.write("New \(stamps).md", stamp())
        case (2, _):
            let bundle = "New \(stamps).rtfd"
            for member in 0..<4 { try device.write("\(bundle)/\(member).txt", stamp()) }
        case (3...4, let name?): try device.write(isBundle ? "\(name)/1.txt" : name, stamp())
        case (5, let name?): try device.rename(name, "Moved \(stamps)" + (isBundle ? ".rtfd" : ".md"))
        case (6, let name?): try device.remove(name)
        case (7, _) where stores.count > 1:
            for (one, other) in [(0, 1), (1, 0)] { stores[one].merge(stores[other]) }
        default: try save(device)
        }
        stamps += 1
    }

    private mutating func save(_ device: SyncDevice) throws {
        let before = Set(try device.tree().values.filter { $0.hasPrefix("seed") })
        switch number(below: 4) {
        case 0: _ = try Backup.run(device.context)
        case 1: try device.sync()
        default: try device.sync(keep: [.this, .other, .both][number(below: 3)])
        }
        found.formUnion(before)
    }

    /// Lets everything arrive and answers everything, and looks at the end of it.
    mutating func end() throws {
        var trees: [[String: String]] = []
        for _ in 0..<8 {
            for device in devices {
                for (one, other) in [(0, 1), (1, 0)] where stores.count > 1 { stores[one].merge(stores[other]) }
                try device.sync(keep: .both)
            }
            trees = try devices.map { try $0.tree().filter { !$0.key.hasPrefix(".cue") } }
        }
        #expect(trees[0] == trees[1] && trees[1] == trees[2], "seed \(seed)")

        let history = try History.load(devices[0].vault)
        var stored: Set<ChunkID> = []
        for version in history.versions.keys {
            for member in try history.members(of: version) { stored.formUnion(member.chunks) }
        }
        for text in found {
            let chunk = devices[0].vault.chunkID(of: Array(text.utf8).span)
            #expect(stored.contains(chunk) && history.index.location(of: chunk) != nil, "seed \(seed): \(text)")
        }
        // This vault has no key slots.
        let problems = try Check.run(VaultContext(devices[0].vault), readData: true).problems
        #expect(problems.filter { $0 != .noKeySlot }.isEmpty, "seed \(seed): \(problems)")
    }
}
