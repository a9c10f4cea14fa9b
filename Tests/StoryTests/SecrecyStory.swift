import CueTestSupport
import Foundation
import Testing

@Suite("Story: what a vault gives away")
struct SecrecyStory {
    /// Looks in every byte and name of a vault for every line, name and hash of the library's files.
    private static let search = """
        import base64, hashlib, os, sys
        needles = {}
        def add(what, data):
            if len(data) >= 6: needles[data] = what
        for folder, folders, files in os.walk(b"library"):
            for name in folders + files:
                add("name", name); add("title", os.path.splitext(name)[0])
            for name in files:
                path = os.path.join(folder, name)
                if os.path.islink(path): continue
                data = open(path, "rb").read()
                add("path", os.path.relpath(path, b"library"))
                for start in range(0, len(data) - 16, max(16, len(data) // 50)):
                    add("content", data[start:start + 16])
                if not data: continue
                for kind in ("md5", "sha1", "sha256", "sha512", "blake2b"):
                    digest = hashlib.new(kind, data).digest()
                    for d in {digest, digest[:16], hashlib.blake2b(data, digest_size=32).digest()}:
                        add(kind, d[:12]); add(kind, d.hex()[:20].encode()); add(kind, base64.b64encode(d)[:16])
        found, total = set(), 0
        allowed = {b"vault.", b"format"}
        for folder, folders, files in os.walk(b"vault"):
            for name in files:
                data = open(os.path.join(folder, name), "rb").read()
                total += len(data)
                for needle, what in needles.items():
                    if needle in data or needle in os.path.join(folder, name):
                        if not any(needle in word for word in allowed): found.add((what, needle))
        print(len(needles), total, sorted(found)[:5])
        sys.exit(1 if found or len(needles) < 1000 or total < 1000000 else 0)
        """

    @Test("No content, name, title or plain hash of a document is in any byte or name of the vault")
    func nothingLegible() throws {
        let cue = try RoundTripStory.library()
        try cue.snapshot()
        try cue.write("Diary.md", String(repeating: "A known plaintext, many times over. ", count: 1000))
        try cue.rename("library/Journal", "library/Journals of the year")
        try cue.snapshot()

        let search = try cue.python(Self.search)

        #expect(search.code == 0, "\(search.text)")
    }

    @Test("Two vaults of the same library, with the same passphrase, have no run of 32 bytes in common")
    func nothingShared() throws {
        let (one, two) = (try RoundTripStory.library(), Cue())
        try two.shell("cp -a \"$1\" library && rm -r library/.cue", one.library)
        try two.initialize()
        try one.snapshot()
        try two.snapshot()

        let script = """
            import os, sys
            def runs(vault):
                found, names = set(), set()
                for folder, _, files in os.walk(vault):
                    for name in files:
                        if name == "vault.json": continue
                        names.add(name)
                        data = open(os.path.join(folder, name), "rb").read()
                        # Aligned runs of one against all runs of the other would be the whole; every 8 bytes is close to it.
                        found.update(data[i:i + 32] for i in range(0, len(data) - 32, 8))
                return found, names
            (a, names), (b, others) = runs(sys.argv[1]), runs(sys.argv[2])
            common = {run for run in a & b if run.strip(bytes(1))}
            print(len(a), len(common), names & others)
            sys.exit(0 if len(a) > 100000 and not common and not names & others else 1)
            """
        let compared = try one.python(script, one.vault, two.vault)
        #expect(compared.code == 0, "\(compared.text)")
    }

    @Test("Objects say little of what is in them: sizes of packs are multiples of 4,096, those of commits of 1,024")
    func sizes() throws {
        let cue = Cue()
        try cue.initialize()
        for size in [1, 100, 5000, 12_345] {
            // The first is stored in its commit, the second in a pack.
            try cue.write("page \(size).md", String(repeating: "é", count: size))
            try cue.snapshot()
            try cue.write("long \(size).md", Cue.inPack(String(repeating: "é", count: size)))
            try cue.snapshot()
        }
        func sizes(_ part: String) throws -> [Int] {
            try cue.shell("find vault/\(part) -type f -printf '%s\\n'").text.split(separator: "\n").compactMap {
                Int($0)
            }
        }
        let (packs, commits) = (try sizes("packs"), try sizes("log"))
        #expect(packs.count == 4 && packs.allSatisfy { $0 % 4096 == 0 }, "\(packs)")
        #expect(commits.count == 8 && commits.allSatisfy { $0 % 1024 == 0 }, "\(commits)")
    }

    @Test("What OpenSSL's AES sealed libsodium's opens, and the other way round", arguments: [true, false])
    func bothCiphers(sealsWithOpenSSL: Bool) throws {
        let openSSL: [String: String?] = ["CUE_TEST_AES": "openssl"]
        let sodium: [String: String?] = ["CUE_TEST_AES": "sodium"]
        let (seal, open) = sealsWithOpenSSL ? (openSSL, sodium) : (sodium, openSSL)
        let cue = Cue()
        var generator = SeededGenerator(seed: 11)
        try cue.write("Recording.bin", Data(generator.bytes(3_000_000)))
        try cue.write("Novel.scriv/1.rtf", String(repeating: "one ", count: 10_000))
        let made = try cue.run("init", cue.library, "--vault", cue.vault, "--kdf-memory", "64", environment: seal)
        let backup = try cue.run("backup", cue.library, environment: seal)

        let elsewhere = cue.elsewhere.merging(open) { $1 }
        let check = try cue.check("--read-data", environment: elsewhere)
        let restored = try cue.restore(to: "out", environment: elsewhere)

        #expect([made.code, backup.code, check.code, restored.code] == [0, 0, 0, 0], "\(restored.text)\(check.text)")
        #expect(try cue.differences("library", "out") == "")
    }

    #if os(Linux)
        @Test(
            "libsodium's AES is called for everything, and OpenSSL's if the test switch says so",
            .enabled(if: Machine.hasAES, "this CPU has no AES"),
            arguments: ["openssl", "sodium", nil])
        func cipherSwitch(library: String?) throws {
            let cue = try Cue.small()
            let script =
                "\"$CUE\" check --read-data --vault vault 2>&1 | grep -c 'binding file .*/cue .* symbol .EVP_DecryptUpdate'"

            let forced = try cue.shell(script, environment: ["LD_DEBUG": "bindings", "CUE_TEST_AES": library])

            // Threads that call it first at the same moment each bind it.
            let bindings = try #require(Int(forced.text.trimmingCharacters(in: .newlines)))
            #expect(library == "openssl" ? bindings >= 1 : bindings == 0, "\(forced.text)")
        }
    #endif
}
