import CueBase
import CueEvents
import CueTestSupport
import Foundation
import Testing

/// The published vectors of the garden: tables of cases, each read from every file whose name ends in
/// `garden-vectors.json`.
enum GardenVectors {
    /// A case with the file that it stands in.
    struct Case: CustomStringConvertible, Sendable {
        let value: JSON
        let description: String

        subscript(key: String) -> JSON? { value[key] }

        func text(_ key: String) throws -> String { try #require(value[key]?.string, "no \(key)") }

        func number(_ key: String) throws -> Double { try #require(value[key]?.double, "no \(key)") }

        func time(_ key: String) throws -> Timestamp { try #require(Timestamp(iso8601: text(key)), "\(key)") }

        var calendar: GardenCalendar {
            get throws { GardenCalendar(try #require(TimeZone(identifier: text("tz")))) }
        }
    }

    static let files: [(name: String, value: JSON)] = {
        guard let folder = Project.vectors, let all = try? FileManager.default.contentsOfDirectory(atPath: folder)
        else { return [] }
        return all.filter { $0.hasSuffix("garden-vectors.json") }.sorted().compactMap { name in
            guard let data = FileManager.default.contents(atPath: "\(folder)/\(name)") else { return nil }
            return (try? JSON(parsing: Array(data))).map { (name, $0) }
        }
    }()

    static func cases(_ table: String) -> [Case] {
        files.flatMap { file in
            (file.value[table]?.array ?? []).enumerated().map { index, value in
                Case(value: value, description: "\(file.name) \(table) \(value["id"]?.string ?? String(index))")
            }
        }
    }

    /// The events of a case, as the log takes them from a file.
    static func garden(_ events: [JSON]) throws -> GardenReplay {
        GardenReplay(try events.map { try Event(form: $0, now: Timestamp(milliseconds: 0)) })
    }

    /// Where two values differ; numbers may by 1e-9.
    static func differences(_ ours: JSON?, _ theirs: JSON?, at path: String) -> [String] {
        guard let ours, let theirs else {
            return ours == nil && theirs == nil ? [] : ["\(path): \(show(ours)), not \(show(theirs))"]
        }
        if let x = ours.double, let y = theirs.double {
            return abs(x - y) <= 1e-9 * max(1, abs(y)) ? [] : ["\(path): \(x), not \(y)"]
        }
        if let x = ours.array, let y = theirs.array, x.count == y.count {
            return x.indices.flatMap { differences(x[$0], y[$0], at: "\(path)[\($0)]") }
        }
        if let x = ours.members, let y = theirs.members {
            let keys = Set((x + y).map(\.key))
            return keys.sorted().flatMap { differences(ours[$0], theirs[$0], at: "\(path).\($0)") }
        }
        return ours == theirs ? [] : ["\(path): \(show(ours)), not \(show(theirs))"]
    }

    private static func show(_ value: JSON?) -> String {
        value.map { String(decoding: $0.canonical, as: UTF8.self) } ?? "nothing"
    }
}

extension Trait where Self == ConditionTrait {
    /// For tests of vectors that are published elsewhere and never copied here.
    static var withGardenVectors: Self {
        .enabled(
            if: !GardenVectors.files.isEmpty, "skipped: CUE_VECTORS names no folder with a garden-vectors.json")
    }
}
