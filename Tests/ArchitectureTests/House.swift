import CueTestSupport
import Foundation

/// The sources as they stand: which file of a module makes which types, and which uses those of which.
///
/// Read from the text: a type is made where its declaration begins a line, and used where its name stands in code. An
/// extension makes nothing, so a file of extensions is used by no other.
struct House {
    struct File {
        let layer: String
        let module: String
        /// The folder inside of the module; empty where it has none.
        let room: String
        /// Without the ending.
        let name: String
        /// From `Sources` on.
        let path: String
        /// Without comments and strings.
        let code: String
        /// Types that other files may use.
        let types: [String]
        /// The types that it makes or extends.
        let subjects: [String]
    }

    let files: [File]
    /// For each file, the numbers of those of its module that it uses.
    let uses: [[Int]]

    init() throws {
        let root = Project.root + "/Sources"
        let paths = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        let files = try paths.filter { $0.hasSuffix(".swift") }.sorted().map { path in
            try Self.file(path, try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8))
        }
        var owners: [String: [String: Int]] = [:]
        for (number, file) in files.enumerated() {
            for type in file.types { owners[file.module, default: [:]][type] = number }
        }
        self.files = files
        uses = files.enumerated().map { number, file in
            let words = Set(file.code.matches(of: /\b[A-Z]\w*/).map { String($0.0) })
            return Set(words.compactMap { owners[file.module]?[$0] }).subtracting([number]).sorted()
        }
    }

    private static func file(_ path: String, _ text: String) throws -> File {
        let parts = path.split(separator: "/").map(String.init)
        let code = stripped(text)
        let made = /^(?:@\w+ )*((?:\w+ )*)(?:struct|enum|class|protocol|actor|typealias) (\w+)/
            .anchorsMatchLineEndings()
        let extended = /^(?:\w+ )*extension (\w+)/.anchorsMatchLineEndings()
        let declarations = code.matches(of: made)
        return File(
            layer: parts[0], module: parts[1], room: parts.dropFirst(2).dropLast().joined(separator: "/"),
            name: String(parts[parts.count - 1].dropLast(".swift".count)), path: path, code: code,
            types: declarations.filter { !$0.1.contains("private") }.map { String($0.2) },
            subjects: declarations.map { String($0.2) } + code.matches(of: extended).map { String($0.1) })
    }

    private static func stripped(_ text: String) -> String {
        text.replacing(/"""[\s\S]*?"""/, with: "\"\"").replacing(/"(?:\\.|[^"\\\n])*"/, with: "\"\"")
            .replacing(/\/\/[^\n]*/, with: "").replacing(/\.[A-Z]\w*/, with: "")
    }

    /// The groups of files of one module that know each other in a circle (Tarjan, 1972).
    var circles: [[Int]] {
        var search = CircleSearch(uses)
        for file in files.indices { search.visit(file) }
        return search.circles
    }

    /// How many files it stands above: 0 for one that uses none of its module.
    var depths: [Int] {
        var depths = [Int?](repeating: nil, count: files.count)
        func depth(_ file: Int) -> Int {
            if let known = depths[file] { return known }
            depths[file] = 0  // for circles
            let found = uses[file].map { depth($0) + 1 }.max() ?? 0
            depths[file] = found
            return found
        }
        return files.indices.map(depth)
    }
}

private struct CircleSearch {
    let uses: [[Int]]
    var circles: [[Int]] = []
    private var order: [Int?]
    private var low: [Int]
    private var open: [Int] = []
    private var count = 0

    init(_ uses: [[Int]]) {
        self.uses = uses
        order = Array(repeating: nil, count: uses.count)
        low = Array(repeating: 0, count: uses.count)
    }

    mutating func visit(_ file: Int) {
        guard order[file] == nil else { return }
        (order[file], low[file]) = (count, count)
        count += 1
        open.append(file)
        for other in uses[file] {
            if order[other] == nil {
                visit(other)
                low[file] = min(low[file], low[other])
            } else if open.contains(other) {
                low[file] = min(low[file], order[other] ?? 0)
            }
        }
        guard low[file] == order[file], let start = open.lastIndex(of: file) else { return }
        if open.count - start > 1 { circles.append(Array(open[start...]).sorted()) }
        open.removeSubrange(start...)
    }
}
