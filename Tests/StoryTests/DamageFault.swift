import CueTestSupport
import Foundation
import Testing

@Suite("Fault: the vault is damaged or tampered with")
struct DamageFault {
    /// One thing that may happen to the bytes of an object; nil stands for its removal.
    private struct Damage: CustomStringConvertible, Sendable {
        let description: String
        let apply: @Sendable (Data) -> Data?
    }

    private static func flip(_ place: Double) -> Damage {
        Damage(description: "a flipped bit at \(place)") { data in
            var data = data
            data[min(data.count - 1, Int(Double(data.count) * place))] ^= 0x10
            return data
        }
    }

    private static let damages =
        [0, 0.003, 0.5, 1].map(flip) + [
            Damage(description: "cut in half") { $0.prefix($0.count / 2) },
            Damage(description: "cut by one byte") { $0.dropLast() },
            Damage(description: "emptied") { _ in Data() },
            Damage(description: "one byte more") { $0 + [0] },
            Damage(description: "all zero") { Data(count: $0.count) },
            Damage(description: "removed") { _ in nil },
        ]

    /// A small vault with two commits, so two packs and two logs; the first commit brought most documents.
    private static func small() throws -> Cue {
        let cue = try Cue.small(inPack: true)
        var generator = SeededGenerator(seed: 5)
        try cue.write("Recording.bin", Data(generator.bytes(120_000)))
        try cue.write("Essay.md", "a better essay")
        try cue.snapshot()
        return cue
    }

    /// Expects that a check says which object is wrong, and that a restore brings nothing wrong and ends orderly.
    private static func expectFound(_ cue: Cue, _ object: String, _ what: String) throws {
        let check = try cue.run("check", cue.library, "--read-data", "--json")
        let problems = check.json["problems"].strings + [check.json["error"]["message"].string]
        #expect(check.code == 6, "\(object), \(what): \(check.code) \(check.text)\(check.errors)")
        let isNamed = problems.contains { $0.contains(object) || $0.contains("went back in time") }
        #expect(isNamed, "\(object), \(what): \(problems)")
        try expectHarmless(cue, object, what)
    }

    private static func expectHarmless(_ cue: Cue, _ object: String, _ what: String) throws {
        let restored = try cue.restore(to: "out")
        let differences = try cue.folder.exists("out") ? cue.differences("library", "out", "--content-only") : "all"
        #expect(restored.signal == nil && [0, 1, 3, 5, 6].contains(restored.code), "\(object), \(what): \(restored)")
        // That the newest commit ever was, only this device knows; a vault alone cannot tell.
        let isUnknown = what == "removed" && object.contains("/0000000002-")
        #expect(restored.code != 0 || differences == "" || isUnknown, "\(object), \(what): \(differences)")
        let wrong = differences.split(separator: "\n").filter {
            $0.contains("content differs") || $0.contains("size was")
        }
        // Without the newest commit, the older state of a document is what the vault holds.
        #expect(wrong.isEmpty || object.hasPrefix("log/") && wrong.allSatisfy { $0.contains("Essay.md") }, "\(wrong)")
        try cue.shell("rm -rf out")
    }

    @Test("Whatever happens to a pack, check finds it and names it, and the other documents come back")
    func packs() throws {
        let cue = try Self.small()
        let packs = try cue.objects(in: "packs")
        try #require(packs.count == 2)
        for (number, pack) in packs.enumerated() {
            let file = URL(fileURLWithPath: cue.vault + "/" + pack)
            let good = try Data(contentsOf: file)
            let sibling = try Data(contentsOf: URL(fileURLWithPath: cue.vault + "/" + packs[1 - number]))
            let swap = Damage(description: "replaced by its sibling") { _ in sibling }
            for damage in Self.damages + [swap] {
                try Self.put(damage.apply(good), at: file)
                try Self.expectFound(cue, pack, damage.description)
                // One that knows nothing of the reading sees sizes; the library's device reads that pack again.
                let plain = try cue.run("check", "--vault", cue.vault, "--json")
                let isVisible = damage.apply(good)?.count != good.count
                #expect(plain.code == (isVisible ? 6 : 0), "\(damage): \(plain.text)")
                #expect(try cue.run("check", cue.library).code == 6, "\(damage)")
            }
            try Self.put(good, at: file)
        }
        #expect(try cue.check("--read-data").code == 0)
    }

    @Test("Whatever happens to a commit, check finds it and names it, and what the others hold comes back")
    func commits() throws {
        let cue = try Self.small()
        let logs = try cue.objects(in: "log")
        try #require(logs.count == 2)
        for (number, log) in logs.enumerated() {
            let file = URL(fileURLWithPath: cue.vault + "/" + log)
            let good = try Data(contentsOf: file)
            let sibling = try Data(contentsOf: URL(fileURLWithPath: cue.vault + "/" + logs[1 - number]))
            let swap = Damage(description: "replaced by its sibling") { _ in sibling }
            for damage in Self.damages + [swap] {
                try Self.put(damage.apply(good), at: file)
                try Self.expectFound(cue, log, damage.description)
                // A damaged history is no ground to write more on.
                let backup = try cue.backup()
                #expect([0, 6].contains(backup.code) && backup.signal == nil, "\(damage): \(backup.text)")
            }
            try Self.put(good, at: file)
        }
        #expect(try cue.check("--read-data").code == 0)
        #expect(try cue.backup().code == 0)
    }

    @Test("A damaged key slot never opens the vault wrongly, and the other slot still opens it")
    func slots() throws {
        let cue = Cue()
        let code = try cue.initialize().json["recovery_code"].string
        try cue.write("a.md", "a")
        try cue.snapshot()
        for slot in try cue.objects(in: "keys") {
            let file = URL(fileURLWithPath: cue.vault + "/" + slot)
            let good = try Data(contentsOf: file)
            let (own, other) = good[24] == 1 ? (cue.passphrase, code) : (code, cue.passphrase)
            for damage in Self.damages {
                try Self.put(damage.apply(good), at: file)
                let byOwn = try cue.run(
                    "ls", "--vault", cue.vault, environment: cue.elsewhere.merging(["CUE_PASSPHRASE": own]) { $1 })
                #expect([5, 6].contains(byOwn.code), "\(damage): \(byOwn.code) \(byOwn.errors)")
                let byOther = try cue.run(
                    "cat", "a", "--vault", cue.vault,
                    environment: cue.elsewhere.merging(["CUE_PASSPHRASE": other]) { $1 })
                #expect(byOther.code == 0 && byOther.text == "a", "\(damage): \(byOther.errors)")
            }
            try Self.put(good, at: file)
        }
    }

    @Test("A vault.json that is damaged or of another vault opens nothing wrong")
    func header() throws {
        let cue = try Self.small()
        let file = URL(fileURLWithPath: cue.vault + "/vault.json")
        let good = try Data(contentsOf: file)
        let another = Cue()
        try another.initialize()
        let foreign = try Data(contentsOf: URL(fileURLWithPath: another.vault + "/vault.json"))
        for damage in Self.damages + [Damage(description: "foreign") { _ in foreign }] {
            try Self.put(damage.apply(good), at: file)
            try Self.expectHarmless(cue, "vault.json", damage.description)
            let backup = try cue.backup()
            #expect(backup.signal == nil && [0, 1, 6, 7].contains(backup.code), "\(damage): \(backup.text)")
        }
        try Self.put(good, at: file)
        #expect(try cue.check("--read-data").code == 0)
    }

    @Test("Objects of another vault with the same passphrase do not open in this one, under any name")
    func foreignObjects() throws {
        let cue = try Self.small()
        let another = try Self.small()
        for part in ["packs", "log"] {
            let foreign = try another.objects(in: part)
            for (number, object) in try cue.objects(in: part).enumerated() {
                let file = URL(fileURLWithPath: cue.vault + "/" + object)
                let good = try Data(contentsOf: file)
                try Self.put(Data(contentsOf: URL(fileURLWithPath: another.vault + "/" + foreign[number])), at: file)
                try Self.expectFound(cue, object, "an object of another vault")
                try Self.put(good, at: file)
            }
        }
        // Beside the own ones, under their own names, they change nothing that is restored.
        try cue.shell("cp -rn \"$1\"/log \"$1\"/packs vault/", another.vault)
        try Self.expectHarmless(cue, "log/", "a log of another vault beside its own")
        #expect(try cue.check().code == 6)
    }

    private static func put(_ data: Data?, at file: URL) throws {
        try? FileManager.default.removeItem(at: file)
        try data?.write(to: file)
    }

    @Test("Content whose pack was lost, and that another device stored again, comes back, also after a checkpoint")
    func storedAgain() throws {
        let cue = Cue()
        try cue.write("Letter.md", Cue.inPack("Dear reader"))
        try cue.write("Novel.scriv/1.rtf", "Once")
        try cue.initialize()
        try cue.snapshot()
        let second = cue.elsewhere
        let script = """
            rm vault/packs/*/* && cp -a library second && rm -r second/.cue
            "$CUE" init second --vault vault --kdf-memory 64 && "$CUE" backup second
            for n in $(seq 40); do echo $n > second/Notes.md; "$CUE" backup second --quiet || exit 1; done
            ls vault/checkpoints
            """
        let again = try cue.shell(script, environment: second, deadline: 120)
        #expect(again.code == 0 && again.text.contains("0000000000"), "\(again.text)\(again.errors)")

        let restored = try cue.restore(to: "out", environment: cue.elsewhere)
        #expect(restored.code == 0, "\(restored.errors)")
        #expect(try cue.differences("second", "out") == "")
        let check = try cue.check("--read-data", "--json", environment: second)
        #expect(check.json["damaged_documents"].strings.isEmpty, "\(check.text)")
    }
}
