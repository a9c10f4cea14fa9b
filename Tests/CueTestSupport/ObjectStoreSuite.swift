package import CueStorage
import CueSystem

/// A promise that a store did not keep.
package struct Unmet: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// Throws `Unmet` unless `condition` holds: the suite is no test itself, so it cannot `#expect`.
package func demand(_ condition: Bool, _ what: @autoclosure () -> String) throws {
    if !condition { throw Unmet(what()) }
}

/// Asks that `body` throws exactly `error`.
package func demand(_ error: StorageError, _ body: () throws -> Void) throws {
    do { try body() } catch let thrown as StorageError {
        try demand(thrown == error, "threw \(thrown), not \(error)")
        return
    }
    throw Unmet("did not throw \(error)")
}

/// What every `ObjectStore` promises, one rule at a time; run against each implementation and each decorator.
package enum ObjectStoreSuite {
    /// A fresh, empty store, and a way to leave a file in it that no object is called like.
    package struct Place: Sendable {
        package let store: any ObjectStore
        package let leave: @Sendable (_ name: String) throws -> Void

        package init(_ store: any ObjectStore, leave: @escaping @Sendable (_ name: String) throws -> Void) {
            (self.store, self.leave) = (store, leave)
        }
    }

    package struct Rule: Sendable, CustomStringConvertible {
        package let description: String
        package let check: @Sendable (Place) throws -> Void

        init(_ description: String, _ check: @escaping @Sendable (Place) throws -> Void) {
            (self.description, self.check) = (description, check)
        }
    }

    package static let rules = reading + writing + listing + deleting
    /// What a store of ours promises beyond that (`ObjectStore.list`).
    package static let strictRules = rules + [byteOrder]

    private static let name = ObjectName("packs/ab/abcd")
    private static let folders = ["packs", "log", "keys", "checkpoints", "tmp"]

    private static func everything(in store: any ObjectStore) throws -> [ObjectEntry] {
        try folders.flatMap { try store.list($0) }
    }

    private static func range(_ store: any ObjectStore, _ offset: Int, _ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0xee, count: count)
        var span = bytes.mutableSpan
        try store.read(name, at: offset, into: &span)
        return bytes
    }

    // MARK: Rules

    private static let reading: [Rule] = [
        Rule("What was put is got back") { place in
            try place.store.put(name, [1, 2, 3])
            try demand(try place.store.get(name, upTo: 3) == [1, 2, 3], "other bytes")
            try demand(try place.store.size(of: name) == 3, "another size")
        },
        Rule("An empty object is an object") { place in
            try place.store.put(name, [])
            try demand(try place.store.get(name, upTo: 0) == [], "bytes in an empty object")
            try demand(try place.store.size(of: name) == 0, "no size")
            let listed = try everything(in: place.store)
            try demand(listed.map(\.name) == [name] && listed[0].size == 0, "not listed")
        },
        Rule("Any range of an object can be read alone") { place in
            let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
            try place.store.put(name, bytes)
            for (offset, count) in [(0, 1), (0, 10_000), (9_999, 1), (4_095, 2), (4_096, 4_096), (10_000, 0)] {
                let got = try range(place.store, offset, count)
                try demand(got == Array(bytes[offset..<offset + count]), "other bytes at \(offset)")
            }
        },
        Rule("A range that reaches past the end is a short read") { place in
            try place.store.put(name, [1, 2, 3])
            for (offset, count) in [(0, 4), (2, 2), (3, 1), (100, 1)] {
                try demand(StorageError.shortRead(name.text)) { _ = try range(place.store, offset, count) }
            }
        },
        Rule("An object that is not there has no size and cannot be read") { place in
            try demand(try place.store.size(of: name) == nil, "a size")
            try demand(StorageError.notFound(name.text)) { _ = try range(place.store, 0, 1) }
            try demand(StorageError.notFound(name.text)) { _ = try place.store.get(name, upTo: 1) }
        },
        Rule("An object over the limit is not read") { place in
            try place.store.put(name, [1, 2, 3])
            do { _ = try place.store.get(name, upTo: 2) } catch StorageError.tooLarge { return }
            throw Unmet("it was read")
        },
    ]

    private static let writing: [Rule] = [
        Rule("An object is never replaced") { place in
            try place.store.put(name, [1])
            try demand(StorageError.alreadyThere(name.text)) { try place.store.put(name, [2, 2]) }
            try demand(try place.store.get(name, upTo: 9) == [1], "the first one changed")
            try demand(try everything(in: place.store).count == 1, "the second one left something")
        },
        Rule("An object is nowhere to be seen before it is finished") { place in
            let writer = try place.store.makeWriter(for: name)
            try writer.write([1, 2, 3].span)
            try demand(try place.store.size(of: name) == nil, "it has a size")
            try demand(try place.store.list("packs").isEmpty, "it is listed")
            try writer.finish()
            try demand(try place.store.size(of: name) == 3, "it was finished and is not there")
        },
        Rule("A writer that is cancelled leaves nothing") { place in
            let writer = try place.store.makeWriter(for: name)
            try writer.write([UInt8](repeating: 7, count: 3 << 20).span)
            writer.cancel()
            try demand(try everything(in: place.store).isEmpty, "something is left")
            try place.store.put(name, [1])
            try demand(try place.store.get(name, upTo: 1) == [1], "the name is spoilt")
        },
        Rule("A writer that is dropped leaves nothing") { place in
            do {
                let writer = try place.store.makeWriter(for: name)
                try writer.write([1, 2, 3].span)
            }
            try demand(try everything(in: place.store).isEmpty, "something is left")
        },
        Rule("Cancelling a finished object leaves it where it is") { place in
            let writer = try place.store.makeWriter(for: name)
            try writer.write([1, 2, 3].span)
            try writer.finish()
            writer.cancel()
            try demand(try place.store.get(name, upTo: 3) == [1, 2, 3], "it is gone")
        },
        Rule("A large object of odd pieces is whole") { place in
            let piece = Array(0..<37_123).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
            let writer = try place.store.makeWriter(for: name)
            var whole: [UInt8] = []
            // Over 5 MiB: several aligned megabytes past the page cache, and an end that is not aligned.
            while whole.count <= 5 << 20 {
                try writer.write(piece.span)
                whole += piece
            }
            try writer.finish()
            try demand(try place.store.size(of: name) == whole.count, "another size")
            try demand(try place.store.get(name, upTo: whole.count) == whole, "other bytes")
        },
        Rule("A large object of whole blocks is whole", blocks),
        Rule("Writers beside each other do not mix their bytes") { place in
            try Workers.run(4) { worker in
                for number in 0..<8 {
                    let mark = UInt8(worker * 8 + number)
                    let writer = try place.store.makeWriter(for: ObjectName("packs/ab/\(worker)-\(number)"))
                    for _ in 0..<20 { try writer.write([UInt8](repeating: mark, count: 999).span) }
                    try writer.finish()
                }
            }
            let entries = try place.store.list("packs")
            try demand(entries.count == 32 && entries.allSatisfy { $0.size == 19_980 }, "not 32 objects of one size")
            for entry in entries {
                let bytes = try place.store.get(entry.name, upTo: 19_980)
                try demand(Set(bytes).count == 1, "\(entry.name) holds bytes of two writers")
            }
            try demand(try place.store.list("tmp").isEmpty, "something is left under tmp")
        },
        Rule("Of two writers of one name, one wins and the other is told") { place in
            let (first, second) = (try place.store.makeWriter(for: name), try place.store.makeWriter(for: name))
            try first.write([1].span)
            try second.write([2].span)
            try first.finish()
            try demand(StorageError.alreadyThere(name.text)) { try second.finish() }
            second.cancel()
            try demand(try place.store.get(name, upTo: 1) == [1], "the first one changed")
            try demand(try everything(in: place.store).count == 1, "the second one left something")
        },
    ]

    private static let listing: [Rule] = [
        Rule("A folder lists its own objects with their sizes, at every depth") { place in
            let names = ["log/aa/0000000001-aa", "log/bb/0000000001-bb", "log/bb/0000000002-bb", "keys/00", "log2/aa"]
            for (size, name) in names.enumerated() {
                try place.store.put(ObjectName(name), [UInt8](repeating: 1, count: size))
            }
            let entries = try place.store.list("log").sorted { $0.name < $1.name }
            try demand(entries.map(\.name.text) == Array(names[0..<3]), "listed \(entries.map(\.name))")
            try demand(entries.map(\.size) == [0, 1, 2], "other sizes")
        },
        Rule("A list goes on after any name, in the order of the names") { place in
            try listsInOrder(
                place, ["log/a.b", "log/aa/1", "log/aa/2", "log/bb/0", "log/bb/1.5", "log/bc-d", "log/zz/1"],
                after: ["log/", "log/aa/", "log/aa/1.5", "log/bb/1", "log/zz/2"])
            try demand(
                try place.store.list("log/aa").map(\.name.text) == ["log/aa/1", "log/aa/2"], "a folder in a folder")
        },
        Rule("A folder that is not there has no objects") { place in
            try demand(try place.store.list("log").isEmpty, "objects in an empty store")
        },
        Rule("Files that no object is called like are left out") { place in
            try place.store.put(ObjectName("log/aa/one"), [1])
            for name in ["log/.DS_Store", "log/aa/One", "log/aa/one (conflicted copy)", "log/aa/ö", "log/aa/.one.part"]
            {
                try place.leave(name)
            }
            try demand(try place.store.list("log").map(\.name.text) == ["log/aa/one"], "foreign files are listed")
        },
    ]

    private static let byteOrder = Rule("Names in which the name of a folder begins another's are in order") { place in
        try listsInOrder(
            place, ["log/a-b/1", "log/a.b", "log/a/1", "log/a/2", "log/b/0", "log/b/1/x", "log/b0"],
            after: ["log/", "log/a/", "log/a/1.5", "log/b/1", "log/zz"])
        try demand(try place.store.list("log/a").map(\.name.text) == ["log/a/1", "log/a/2"], "a folder in a folder")
    }

    private static func listsInOrder(_ place: Place, _ names: [String], after others: [String]) throws {
        for name in names.reversed() { try place.store.put(ObjectName(name), [1]) }
        try demand(try place.store.list("log").map(\.name.text) == names, "another order")
        for after in names + others {
            var (found, next): ([String], String?) = ([], after)
            while let position = next {
                let page = try place.store.list("log", after: position)
                found += page.entries.map(\.name.text)
                next = page.next
            }
            try demand(found == names.filter { $0 > after }, "after \(after): \(found)")
        }
    }

    private static let deleting: [Rule] = [
        Rule("An object that is deleted is gone, and deleting it again is no error") { place in
            try place.store.put(name, [1])
            try place.store.delete(name)
            try demand(try place.store.size(of: name) == nil, "it is there")
            try demand(try everything(in: place.store).isEmpty, "it is listed")
            try place.store.delete(name)
        },
        Rule("Deleting takes nothing else along") { place in
            try place.store.put(name, [1])
            try place.store.put(ObjectName("packs/ab/abce"), [2])
            try place.store.delete(name)
            try demand(try place.store.list("packs").map(\.name.text) == ["packs/ab/abce"], "the other is gone")
        },
        Rule("Deleting in a folder that is not there is no error") { place in try place.store.delete(name) },
    ]

    /// A length that ends with an aligned block takes another way out than one that does not.
    private static let blocks: @Sendable (Place) throws -> Void = { place in
        for (number, size) in [1 << 20, 2 << 20, (2 << 20) + 4096].enumerated() {
            let name = ObjectName("packs/ab/\(number)")
            let whole = [UInt8](repeating: UInt8(number), count: size - 1) + [0xff]
            try place.store.put(name, whole)
            try demand(try place.store.get(name, upTo: size) == whole, "other bytes of \(size)")
        }
    }
}
