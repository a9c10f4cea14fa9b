import CueTestSupport
import Foundation
import Testing

@Suite("Layers")
struct LayerTests {
    /// The modules that use Foundation, or its essentials where those are a module of their own.
    private static let foundation: [String: String] = [
        "CueVault": "FoundationEssentials", "CueEvents": "Foundation", "CueLibrary": "Foundation",
        "CueEngine": "Foundation", "CueCLI": "Foundation", "CueSearch": "Foundation",
    ]

    /// The modules with tables in SQLite.
    private static let tables: Set<String> = ["CueLibrary", "CueSearch"]

    /// The layers from below.
    private static let layers = ["CLibraries", "Base", "Bridges", "Core", "Stores", "Engine", "Faces"]

    private static let platform: Set<String> = ["Glibc", "Darwin", "Synchronization"]

    private static func sources() throws -> [(module: String, file: String, text: String)] {
        let root = Project.root + "/Sources"
        let files = try #require(FileManager.default.enumerator(atPath: root))
        return try files.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.map { file in
            let parts = file.split(separator: "/")
            return (String(parts[1]), file, try String(contentsOfFile: "\(root)/\(file)", encoding: .utf8))
        }
    }

    private static func imports(_ text: String) -> [String] {
        text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ").filter {
                !["package", "public", "internal", "private"].contains($0)
            }
            return words.first == "import" && words.count > 1 ? String(words[1]) : nil
        }
    }

    @Test("Every module imports only what the manifest gives it")
    func importsFollowTheManifest() throws {
        let modules = try Manifest().modules
        for source in try Self.sources() {
            let module = try #require(modules[source.module], "\(source.file) belongs to no module of the manifest")
            let foundation = Self.foundation[source.module]
            for name in Self.imports(source.text) where !Self.platform.contains(name) && name != foundation {
                // Foundation stands in for FoundationEssentials where that is no module of its own (macOS).
                if name == "Foundation" && foundation != nil { continue }
                #expect(module.dependencies.contains(name), "\(source.file) imports \(name)")
            }
        }
    }

    @Test("Every module needs only what is in its own layer or below, and nothing that it does not import")
    func dependenciesGoDown() throws {
        let modules = try Manifest().modules
        let sources = Dictionary(grouping: try Self.sources(), by: \.module)
        for (name, module) in modules {
            let layer = try #require(Self.layers.firstIndex(of: module.layer))
            let imported = Set(sources[name, default: []].flatMap { Self.imports($0.text) })
            for dependency in module.dependencies {
                if let other = modules[dependency].flatMap({ Self.layers.firstIndex(of: $0.layer) }) {
                    #expect(other <= layer, "\(name) needs \(dependency), which lies above it")
                }
                #expect(imported.contains(dependency), "\(name) needs \(dependency) and does not import it")
            }
        }
    }

    @Test("The table of modules in the architecture page says what the manifest says")
    func pageFollowsTheManifest() throws {
        let page = try String(contentsOfFile: Project.root + "/docs/architecture.md", encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `Cue") || $0.hasPrefix("| `cue") }
        var shown: [String: Set<String>] = [:]
        for row in rows {
            let cells = row.split(separator: "|")
            let words = cells[2].split { !$0.isLetter && !$0.isNumber }.map(String.init)
            shown[cells[0].trimmingCharacters(in: .init(charactersIn: " `"))] = Set(words).subtracting(["all", "of"])
        }
        for (name, module) in try Manifest().modules where !module.isOfC {
            let expected = module.dependencies.union(Self.foundation[name].map { [$0] } ?? [])
            #expect(shown[name] == expected, "\(name)")
        }
    }

    @Test("Only the modules that have tables of their own know the library that reads them")
    func databaseStaysInTheLibrary() throws {
        for source in try Self.sources() where !Self.tables.contains(source.module) {
            // In any form, such as `@preconcurrency import struct GRDB.Row`.
            let isKnown = source.text.contains(/(?m)^[^\/\n]*\bimport\b[^\n]*\bGRDB/)
            #expect(!isKnown, "\(source.file) imports GRDB")
        }
        for (name, module) in try Manifest().modules where !Self.tables.contains(name) {
            #expect(!module.dependencies.contains("GRDB"), "\(name) needs GRDB")
        }
    }

    @Test(
        "Nothing unsafe is done outside of the bridges, but for copies, hashes of bytes and the arguments of the process"
    )
    func unsafeStaysInBridges() throws {
        let known: Set<String> = [
            "Base/CueBase/Bytes/Buffers.swift", "Base/CueBase/Bytes/Nonce96.swift",
            "Base/CueBase/Paths/RelativePath.swift",
            "Core/CueCrypto/Sealing/HKDF.swift", "Core/CueCrypto/Sealing/Sealer.swift",
            "Stores/CueLibrary/Marker/StateFolder.swift",
            "Engine/CueEngine/Backup/DocumentReader.swift", "Faces/CueCLI/Session/Cue.swift",
        ]
        for source in try Self.sources() where !source.file.hasPrefix("Bridges/") && !known.contains(source.file) {
            let isUnsafe = source.text.split(separator: "\n").contains { line in
                !line.contains("//") && line.contains("unsafe ")
            }
            #expect(!isUnsafe, "\(source.file) uses unsafe")
        }
    }

    @Test("Every folder of tests is a target of the package, so that no test is forgotten")
    func everyTestFolderIsATarget() throws {
        let manifest = try String(contentsOfFile: Project.root + "/Package.swift", encoding: .utf8)
        let folders = try FileManager.default.contentsOfDirectory(atPath: Project.root + "/Tests")
        // The snapshots are what tests compare with.
        for folder in folders where folder != "Snapshots" {
            #expect(manifest.contains("\"\(folder)\""), "Tests/\(folder) is no target")
        }
    }
}
