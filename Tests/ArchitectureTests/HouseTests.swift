import CueTestSupport
import Foundation
import Testing

@Suite("The house")
struct HouseTests {
    @Test("No files of a module know each other in a circle")
    func noCircles() throws {
        let house = try House()
        for circle in house.circles {
            let names = circle.map { house.files[$0].path }
            Issue.record("a circle: \(names.joined(separator: ", "))")
        }
    }

    @Test("A file is named after a type that it makes or extends")
    func names() throws {
        // Several small things of one kind.
        let known: Set<String> = [
            "Identifiers", "Options", "Hashes", "Platform", "Semaphore", "AES256GCM", "Buffers",
            "GardenState", "GardenActionCommands",
        ]
        for file in try House().files where !known.contains(file.name) {
            let first = file.name.split(separator: "+")[0]
            // `ListCommands` holds `ListCommand` and others.
            let stem = first.hasSuffix("s") ? first.dropLast() : first
            #expect(file.subjects.contains { $0.hasPrefix(stem) }, "\(file.path) makes \(file.subjects)")
        }
    }

    @Test("A room holds no more files than a person looks through")
    func roomsAreSmall() throws {
        let rooms = Dictionary(grouping: try House().files) { "\($0.module)/\($0.room)" }
        for (room, files) in rooms { #expect(files.count <= 24, "\(room) has \(files.count) files") }
    }

    @Test(
        "Draws every layer into docs/house", .enabled(if: ProcessInfo.processInfo.environment["CUE_HOUSE"] == "draw"))
    func draw() throws {
        let house = try House()
        let folder = Project.root + "/docs/house"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for layer in Set(house.files.map(\.layer)) {
            var drawing = HouseDrawing(house, layer: layer)
            try drawing.draw().write(
                toFile: "\(folder)/\(layer.lowercased()).svg", atomically: true, encoding: .utf8)
        }
    }
}
