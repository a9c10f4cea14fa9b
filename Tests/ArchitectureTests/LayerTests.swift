import CueTestSupport
import Foundation
import Testing

@Suite("Layers")
struct LayerTests {
    /// Which modules each module may import: docs/architecture.md draws the same picture.
    static let allowed: [String: Set<String>] = [
        "CueBase": [],
        "CueSystem": ["CPosix", "CueBase"],
        "CueSodium": ["CSodium", "CueBase"],
        "CueZstd": ["CZstd", "CueBase"],
        "CueOpenSSL": ["COpenSSL", "CueBase"],
        "CueZip": ["CZip"],
        "CueExpat": ["CExpat"],
        "CueCrypto": ["CueBase", "CueSodium", "CueOpenSSL"],
        "CueText": ["CueBase", "CueZip", "CueExpat"],
        "CueEntitlements": ["CueBase", "CueSodium"],
        "CueStorage": ["CueBase", "CueSystem"],
        "CueVault": [
            "CueBase", "CueSystem", "CueSodium", "CueZstd", "CueCrypto", "CueStorage", "FoundationEssentials",
        ],
        "CueLibrary": [
            "CueBase", "CueSystem", "CueSodium", "CueEntitlements", "CueStorage", "CueVault", "GRDB", "TOMLKit",
            "Foundation",
        ],
        "CueEvents": [
            "CueBase", "CueSystem", "CueSodium", "CueCrypto", "CueStorage", "CueVault", "CueLibrary", "GRDB",
            "Foundation",
        ],
        "CueEngine": [
            "CueBase", "CueSystem", "CueSodium", "CueCrypto", "CueText", "CueStorage", "CueVault", "CueLibrary",
            "CueEvents", "Foundation",
        ],
        "CueTerminal": ["CueSystem"],
        "CueCLI": [
            "CueBase", "CueSystem", "CueSodium", "CueCrypto", "CueText", "CueEntitlements", "CueStorage", "CueVault",
            "CueLibrary", "CueEvents", "CueEngine", "CueTerminal", "ArgumentParser", "Logging", "Foundation",
        ],
        "cue": ["CueCLI"],
    ]

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

    @Test("Every module imports only what its layer allows")
    func importsFollowTheTable() throws {
        for source in try Self.sources() {
            let allowed = try #require(Self.allowed[source.module], "\(source.file) belongs to no module of the table")
            for name in Self.imports(source.text) where !Self.platform.contains(name) {
                // Foundation stands in for FoundationEssentials where that is no module of its own (macOS).
                if name == "Foundation" && allowed.contains("FoundationEssentials") { continue }
                #expect(allowed.contains(name), "\(source.file) imports \(name)")
            }
        }
    }

    @Test(
        "Nothing unsafe is done outside of the bridges, but for copies, hashes of bytes and the arguments of the process"
    )
    func unsafeStaysInBridges() throws {
        let known: Set<String> = [
            "Base/CueBase/Nonce96.swift", "Base/CueBase/RelativePath.swift", "Core/CueCrypto/HKDF.swift",
            "Core/CueCrypto/Sealing.swift", "Stores/CueVault/PackWriter.swift",
            "Stores/CueLibrary/StateFolder.swift", "Engine/CueEngine/DocumentReader.swift", "Faces/CueCLI/Cue.swift",
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
