import CueTestSupport
import Foundation
import Testing

@Suite("Story: a device goes on with a newer cue")
struct StoreUpgradeStory {
    /// Makes the local store what the first version made it.
    private static let downgrade = """
        import glob, sqlite3

        def without_content(entries):
            at, out = 0, b""
            while at < len(entries):
                start = at
                def varint():
                    nonlocal at
                    value, shift = 0, 0
                    while True:
                        byte = entries[at]
                        at += 1
                        value, shift = value | (byte & 127) << shift, shift + 7
                        if byte < 128: return value
                length = varint()
                at += length + 2
                for _ in range(7): varint()
                at += 12 + 12 + 8
                out += entries[start:at]
                at += 8
            return out

        for path in glob.glob("home/libraries/*/store.db"):
            store = sqlite3.connect(path)
            for table in "bundle_key", "settings_record", "settings_waiting", "progress", "snooze", "delivered", \
                "verified", "words", "pin", "words_of_day", "event", "event_object", "event_aside", "event_replaced", "pack", \
                "file_bases", "revived", "pack_claim", "pack_left", "key_slot", "place":
                store.execute(f"DROP TABLE {table}")
            for column in "time", "summed", "size", "digest": store.execute(f"ALTER TABLE seen DROP COLUMN {column}")
            for table, key, value in ("folder", "path", "entries"), ("bundle", "project", "members"):
                rows = store.execute(f"SELECT * FROM {table}").fetchall()
                if table == "folder": rows = [(path, without_content(entries)) for path, entries in rows]
                store.execute(f"DROP TABLE {table}")
                store.execute(f"CREATE TABLE {table} ({key} BLOB PRIMARY KEY, {value} BLOB NOT NULL) WITHOUT ROWID")
                store.executemany(f"INSERT INTO {table} VALUES (?, ?)", rows)
            store.execute("DELETE FROM grdb_migrations WHERE identifier != '1'")
            store.commit()
        """

    @Test("A state folder of the version before is taken over: nothing is stored anew, and changes in bundles are seen")
    func upgraded() throws {
        let cue = Cue()
        try cue.write("Novel.scriv/Files/1/content.rtf", "one")
        try cue.write("Novel.scriv/Files/2/content.rtf", "two")
        try cue.write("Letter.md", "Dear")
        try cue.initialize()
        let first = try cue.snapshot()
        try cue.python(Self.downgrade)

        let again = try cue.backup()
        #expect(again.json["snapshot"].string == first)

        try cue.write("Novel.scriv/Files/2/content.rtf", "TWO")
        #expect(try cue.snapshot() != first)
        #expect(try cue.restore(to: "out").code == 0)
        #expect(try cue.differences("library", "out") == "")
    }

    @Test(
        "A damaged memory of a library is no damaged vault, and one of a later cue is named; what is said to do mends it",
        arguments: ["entries", "file", "later"])
    func unusable(how: String) throws {
        let cue = try Cue.small()
        let change = [
            "entries": "store.execute('UPDATE folder SET entries = ?', (b'nonsense',))",
            "file": "open(path, 'r+b').truncate(5000)",
            "later": "store.execute(\"INSERT INTO grdb_migrations VALUES ('999')\")",
        ]
        try cue.python(
            """
            import glob, sqlite3
            for path in glob.glob("home/libraries/*/store.db"):
                store = sqlite3.connect(path)
                store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                \(try #require(change[how]))
                store.commit()
            """)

        let told = try cue.run("status", cue.library)
        let backup = try cue.run("backup", cue.library)

        for told in [told, backup] {
            #expect(told.code == 1 && !told.errors.contains("vault is damaged"), "\(told)")
            #expect(told.errors.contains(how == "later" ? "upgrade cue" : "its file store.db is damaged"), "\(told)")
        }
        guard how != "later" else { return }
        try cue.shell("rm home/libraries/*/store.db*")
        try #expect(cue.run("init", cue.library, "--vault", cue.vault).code == 0)
        #expect(try cue.backup().code == 0)
    }

    @Test("A change deep in a bundle that leaves its size and its own folder's times alone is seen")
    func deepChange() throws {
        let cue = Cue()
        for number in 1...40 { try cue.write("Novel \(number).scriv/Files/\(number)/content.rtf", "one") }
        try cue.initialize()
        var last = try cue.snapshot()

        for number in [1, 23, 40] {
            try cue.write("Novel \(number).scriv/Files/\(number)/content.rtf", "two")
            let next = try cue.snapshot()
            #expect(next != last)
            last = next
        }
        try cue.remove("library/Novel 7.scriv/Files/7/content.rtf")
        #expect(try cue.snapshot() != last)
        #expect(try cue.restore(to: "out").code == 0)
        #expect(try cue.differences("library", "out") == "")
    }
}
