import CueBase
import Foundation
import GRDB

extension LocalStore {
    /// The schema, and every step to it. A released step never changes.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.execute(
                sql: """
                    CREATE TABLE meta (key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
                    CREATE TABLE folder (path BLOB PRIMARY KEY, entries BLOB NOT NULL) WITHOUT ROWID;
                    CREATE TABLE bundle (project BLOB PRIMARY KEY, members BLOB NOT NULL) WITHOUT ROWID;
                    CREATE TABLE segment (id INTEGER PRIMARY KEY, count INTEGER NOT NULL, ids BLOB NOT NULL);
                    CREATE TABLE seen (device BLOB NOT NULL, generation INTEGER NOT NULL, commit_id BLOB NOT NULL,
                        PRIMARY KEY (device, generation, commit_id)) WITHOUT ROWID;
                    CREATE TABLE unlinked (path BLOB PRIMARY KEY, project BLOB NOT NULL, version BLOB NOT NULL,
                        kind INTEGER NOT NULL, fingerprint INTEGER NOT NULL, content INTEGER NOT NULL) WITHOUT ROWID;
                    """)
        }
        migrator.registerMigration("2") { database in
            try database.execute(
                sql: "CREATE TABLE bundle_key (project BLOB PRIMARY KEY, key BLOB NOT NULL) WITHOUT ROWID")
            let transaction = Transaction(database: database)
            for project in try Data.fetchAll(database, sql: "SELECT project FROM bundle") {
                var reader = ByteReader(Array(project))
                // An unreadable row gets no key, and its bundle is read again.
                guard let id = try? reader.versionID(), let members = try? transaction.members(of: id) else { continue }
                try transaction.setKey(of: members, id)
            }
        }
        migrator.registerMigration("3") { database in
            // Without a rowid SQLite compares whole rows, and copies a row of any size to look at its key.
            for (table, key, value) in [("folder", "path", "entries"), ("bundle", "project", "members")] {
                try database.execute(
                    sql: """
                        CREATE TABLE new (\(key) BLOB NOT NULL UNIQUE, \(value) BLOB NOT NULL);
                        INSERT INTO new SELECT \(key), \(value) FROM \(table);
                        DROP TABLE \(table);
                        ALTER TABLE new RENAME TO \(table);
                        """)
            }
        }
        migrator.registerMigration("4") { database in
            // For reminders. `forgetVault` keeps these: a project has the same id on every device.
            try database.execute(
                sql: """
                    CREATE TABLE project_setting (project BLOB PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
                    CREATE TABLE snooze (project BLOB PRIMARY KEY, time INTEGER NOT NULL) WITHOUT ROWID;
                    CREATE TABLE delivered (id TEXT PRIMARY KEY, time INTEGER NOT NULL) WITHOUT ROWID;
                    """)
        }
        migrator.registerMigration("5") { database in
            try database.execute(
                sql: "CREATE TABLE verified (pack BLOB PRIMARY KEY, time INTEGER NOT NULL) WITHOUT ROWID")
        }
        migrator.registerMigration("6") { database in
            // `forgetVault` keeps the pins: they exist on this device only.
            try database.execute(
                sql: """
                    CREATE TABLE words (project BLOB PRIMARY KEY, version BLOB NOT NULL, words INTEGER,
                        content INTEGER NOT NULL) WITHOUT ROWID;
                    CREATE TABLE pin (version BLOB PRIMARY KEY, project BLOB NOT NULL, path BLOB NOT NULL,
                        time INTEGER NOT NULL, before INTEGER NOT NULL, after INTEGER NOT NULL) WITHOUT ROWID;
                    """)
        }
        migrator.registerMigration("7") { database in
            // An event without an object waits to be pushed. Event and outbox are one row, so no transaction can part
            // them.
            try database.execute(
                sql: """
                    CREATE TABLE event (seq INTEGER PRIMARY KEY AUTOINCREMENT, client_id TEXT NOT NULL UNIQUE,
                        type TEXT NOT NULL, time INTEGER NOT NULL, client_time TEXT, created INTEGER NOT NULL,
                        payload TEXT NOT NULL, object INTEGER);
                    CREATE INDEX event_order ON event (time, client_id);
                    CREATE INDEX event_outbox ON event (seq) WHERE object IS NULL;
                    CREATE INDEX event_object_of ON event (object) WHERE object IS NOT NULL;
                    CREATE TABLE event_object (id INTEGER PRIMARY KEY AUTOINCREMENT, device BLOB NOT NULL,
                        generation INTEGER NOT NULL, batch BLOB NOT NULL, size INTEGER NOT NULL,
                        UNIQUE (device, generation, batch));
                    CREATE TABLE event_replaced (device BLOB NOT NULL, generation INTEGER NOT NULL, batch BLOB NOT NULL,
                        is_told INTEGER NOT NULL, PRIMARY KEY (device, generation, batch)) WITHOUT ROWID;
                    CREATE TABLE event_aside (id INTEGER PRIMARY KEY AUTOINCREMENT, source TEXT NOT NULL,
                        reason TEXT NOT NULL, time INTEGER NOT NULL, body BLOB NOT NULL UNIQUE);
                    """)
        }
        migrator.registerMigration("8") { database in
            try database.execute(
                sql: """
                    CREATE TABLE words_of_day (project BLOB NOT NULL, day TEXT NOT NULL, path BLOB NOT NULL,
                        first INTEGER NOT NULL, last INTEGER NOT NULL, PRIMARY KEY (project, day)) WITHOUT ROWID
                    """)
        }
        migrator.registerMigration("9") { database in
            // When this device wrote or first read the commit, in Unix milliseconds; unknown for older ones.
            try database.execute(sql: "ALTER TABLE seen ADD COLUMN time INTEGER")
        }
        migrator.registerMigration("10") { database in
            try database.execute(
                sql: """
                    CREATE TABLE pack (id BLOB PRIMARY KEY, size INTEGER NOT NULL) WITHOUT ROWID;
                    CREATE TABLE revived (path BLOB PRIMARY KEY, project BLOB NOT NULL, version BLOB NOT NULL,
                        kind INTEGER NOT NULL) WITHOUT ROWID;
                    -- 1 where a checkpoint summed the commit up, and this device never opened it.
                    ALTER TABLE seen ADD COLUMN summed INTEGER;
                    """)
        }
        migrator.registerMigration("11") { database in
            // `bytes` holds slots that this device knows to be whole, so that it can write them again.
            try database.execute(
                sql: """
                    CREATE TABLE key_slot (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,
                        kind INTEGER NOT NULL, standing INTEGER NOT NULL, length INTEGER NOT NULL, mark BLOB NOT NULL,
                        bytes BLOB, noted INTEGER NOT NULL, missing INTEGER);
                    """)
        }
        migrator.registerMigration("12") { database in
            // Records as in docs/format.md §6; with a rowid, as large values are slow without one.
            try database.execute(
                sql: """
                    CREATE TABLE pack_claim (pack BLOB NOT NULL UNIQUE, record BLOB NOT NULL);
                    CREATE TABLE pack_left (pack BLOB NOT NULL UNIQUE, record BLOB NOT NULL);
                    -- Which of these chunks this device wrote itself is unknown: the next backup makes claims of all.
                    DELETE FROM segment;
                    DELETE FROM pack;
                    """)
        }
        migrator.registerMigration("13") { database in
            // Of the sealed commit, in bytes; unknown until the log lists it.
            try database.execute(sql: "ALTER TABLE seen ADD COLUMN size INTEGER")
        }
        migrator.registerMigration("14") { database in
            // Each entry ends with the fingerprint of its content now, which is unknown until it is stored again.
            for row in try Row.fetchAll(database, sql: "SELECT path, entries FROM folder") {
                var (reader, writer) = (ByteReader([UInt8](row["entries"] as Data)), ByteWriter())
                while !reader.isAtEnd { writer.entry(try reader.entryWithoutContent()) }
                try database.execute(
                    sql: "UPDATE folder SET entries = ? WHERE path = ?",
                    arguments: [Data(writer.bytes), row["path"] as Data])
            }
        }
        migrator.registerMigration("15") { database in
            // Ids count up, and are never used twice: the lowest are the files that were stored longest ago.
            try database.execute(
                sql: """
                    CREATE TABLE file_bases (id INTEGER PRIMARY KEY AUTOINCREMENT, project BLOB NOT NULL,
                        path BLOB NOT NULL, bases BLOB NOT NULL, UNIQUE (project, path));
                    """)
        }
        migrator.registerMigration("16") { database in
            // Of the commit; unknown where only a checkpoint told of it.
            try database.execute(sql: "ALTER TABLE seen ADD COLUMN digest BLOB")
        }
        migrator.registerMigration("17") { database in
            // `settings_record` has the settings of the vault that count, `settings_waiting` the changes of this device
            // that are in no commit yet. `parents` are ids of 12 bytes, one after the other.
            try database.execute(
                sql: """
                    CREATE TABLE settings_record (note BLOB NOT NULL UNIQUE, project BLOB NOT NULL,
                        device BLOB NOT NULL, name TEXT NOT NULL, time INTEGER NOT NULL, json BLOB NOT NULL,
                        parents BLOB NOT NULL);
                    CREATE INDEX settings_record_of ON settings_record (project);
                    CREATE TABLE settings_waiting (project BLOB NOT NULL UNIQUE, parents BLOB NOT NULL,
                        time INTEGER NOT NULL, json BLOB NOT NULL);
                    CREATE TABLE progress (project BLOB PRIMARY KEY, time INTEGER NOT NULL) WITHOUT ROWID;
                    """)
            try Transaction(database: database).takeOverSettings()
            try database.execute(sql: "DROP TABLE project_setting")
        }
        migrator.registerMigration("18") { database in
            // Times in Unix milliseconds. `mark` and `complete` say what the place had when it last had everything.
            try database.execute(
                sql: """
                    CREATE TABLE place (id INTEGER PRIMARY KEY AUTOINCREMENT, place TEXT NOT NULL UNIQUE,
                        mark TEXT, complete INTEGER, tried INTEGER, trouble TEXT);
                    """)
        }
        return migrator
    }
}
