import CueTestSupport
import Foundation

/// The modules as Package.swift names them: the only place where it is written down which needs which.
struct Manifest {
    struct Module {
        let layer: String
        /// Names of modules of this package, and of products of others.
        let dependencies: Set<String>
        let isOfC: Bool
    }

    private(set) var modules: [String: Module] = [:]

    init() throws {
        let text = try String(contentsOfFile: Project.root + "/Package.swift", encoding: .utf8)
        for match in text.matches(of: /module\(\s*"(\w+)",\s*"(\w+)",\s*\[([^\]]*)\]/) {
            modules[String(match.2)] = Module(
                layer: String(match.1), dependencies: Self.names(in: match.3), isOfC: false)
        }
        for match in text.matches(of: /library\("(\w+)", pkgConfig/) {
            modules[String(match.1)] = Module(layer: "CLibraries", dependencies: [], isOfC: true)
        }
        modules["CPosix"] = Module(layer: "CLibraries", dependencies: [], isOfC: true)
        for match in text.matches(of: /executableTarget\(\s*name: "cue", dependencies: \[([^\]]*)\]/) {
            modules["cue"] = Module(layer: "Faces", dependencies: Self.names(in: match.1), isOfC: false)
        }
    }

    private static func names(in list: Substring) -> Set<String> {
        let list = list.replacing(/, package: "[^"]*"/, with: "")
        return Set(list.matches(of: /"([^"]+)"/).map { String($0.1) })
    }
}
