// swift-tools-version: 6.2
import PackageDescription

/// One set of rules for every target: Swift 6, no silent concurrency, `unsafe` visible, no warning tolerated.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

/// A layer is a folder of `Sources`; a module imports only from layers below (`docs/architecture.md`).
func module(_ layer: String, _ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(layer)/\(name)", swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: strict)
}

func library(_ name: String, pkgConfig: String, package: String) -> Target {
    .systemLibrary(
        name: name, path: "Sources/CLibraries/\(name)", pkgConfig: pkgConfig,
        providers: [.apt([package]), .brew([pkgConfig])])
}

let targets: [Target] = [
    // C libraries
    library("CSodium", pkgConfig: "libsodium", package: "libsodium-dev"),
    library("CZstd", pkgConfig: "libzstd", package: "libzstd-dev"),
    library("COpenSSL", pkgConfig: "libcrypto", package: "libssl-dev"),
    library("CZip", pkgConfig: "libzip", package: "libzip-dev"),
    library("CExpat", pkgConfig: "expat", package: "libexpat1-dev"),
    library("CCurl", pkgConfig: "libcurl", package: "libcurl4-openssl-dev"),
    .target(name: "CPosix", path: "Sources/CLibraries/CPosix"),
    // Base
    module("Base", "CueBase", []),
    // Bridges
    module("Bridges", "CueSystem", ["CPosix", "CueBase"]),
    module("Bridges", "CueSodium", ["CSodium", "CueBase"]),
    module("Bridges", "CueZstd", ["CZstd"]),
    module("Bridges", "CueOpenSSL", ["COpenSSL", "CueBase"]),
    module("Bridges", "CueZip", ["CZip"]),
    module("Bridges", "CueExpat", ["CExpat"]),
    module("Bridges", "CueCurl", ["CCurl", "CueSystem"]),
    // Core
    module("Core", "CueCrypto", ["CueBase", "CueSodium", "CueOpenSSL"]),
    module("Core", "CueText", ["CueBase", "CueZip", "CueExpat"]),
    module("Core", "CueEntitlements", ["CueBase", "CueSodium"]),
    module("Core", "CueEvents", ["CueBase", "CueSodium"]),
    // Stores
    module("Stores", "CueStorage", ["CueBase", "CueSystem", "CueSodium"]),
    module(
        "Stores", "CueRemotes",
        ["CueBase", "CueSystem", "CueOpenSSL", "CueExpat", "CueCurl", "CueStorage"]),
    module("Stores", "CueVault", ["CueBase", "CueSystem", "CueSodium", "CueZstd", "CueCrypto", "CueStorage"]),
    module(
        "Stores", "CueLibrary",
        [
            "CueBase", "CueSystem", "CueSodium", "CueEntitlements", "CueEvents", "CueStorage", "CueVault",
            .product(name: "GRDB", package: "GRDB.swift"),
            .product(name: "TOMLKit", package: "TOMLKit"),
        ]),
    module(
        "Stores", "CueEventLog",
        ["CueBase", "CueSystem", "CueSodium", "CueCrypto", "CueEvents", "CueStorage", "CueVault", "CueLibrary"]),
    module(
        "Stores", "CueSearch",
        ["CueBase", "CueSystem", "CueSodium", .product(name: "GRDB", package: "GRDB.swift")]),
    module(
        "Engine", "CueEngine",
        [
            "CueBase", "CueSystem", "CueSodium", "CueCrypto", "CueText", "CueEvents", "CueStorage", "CueVault",
            "CueLibrary", "CueEventLog", "CueSearch",
        ]),
    // Faces
    module("Faces", "CueTerminal", ["CueSystem"]),
    module(
        "Faces", "CueCLI",
        [
            "CueBase", "CueSystem", "CueSodium", "CueCrypto", "CueText", "CueEntitlements", "CueStorage",
            "CueVault", "CueLibrary", "CueEvents", "CueEventLog", "CueSearch", "CueEngine", "CueTerminal", "CueCurl",
            "CueRemotes",
            .product(name: "ArgumentParser", package: "swift-argument-parser"),
            .product(name: "Logging", package: "swift-log"),
        ]),
    .executableTarget(name: "cue", dependencies: ["CueCLI"], path: "Sources/Faces/cue", swiftSettings: strict),
    // Tests
    .target(
        name: "CueTestSupport",
        dependencies: ["CueBase", "CueSystem", "CueSodium", "CueOpenSSL", "CueCrypto", "CueStorage"],
        path: "Tests/CueTestSupport",
        swiftSettings: strict),
    tests("ArchitectureTests", ["CueTestSupport"]),
    tests("CueBaseTests", ["CueBase", "CueTestSupport"]),
    tests("CueCryptoTests", ["CueCrypto", "CueSodium", "CSodium", "CueBase", "CueTestSupport"]),
    tests("CueTextTests", ["CueText", "CueZip", "CueExpat", "CueBase", "CueTestSupport"]),
    tests("CueEntitlementsTests", ["CueEntitlements", "CueSodium", "CueBase", "CueTestSupport"]),
    tests("CueStorageTests", ["CueStorage", "CueSystem", "CueBase", "CueTestSupport"]),
    tests(
        "CueRemotesTests", ["CueRemotes", "CueCurl", "CueStorage", "CueSystem", "CueBase", "CueTestSupport"]),
    tests(
        "CueVaultTests",
        ["CueVault", "CueStorage", "CueCrypto", "CueSodium", "CueZstd", "CueSystem", "CueBase", "CueTestSupport"]),
    tests(
        "CueLibraryTests",
        [
            "CueLibrary", "CueEntitlements", "CueVault", "CueStorage", "CueSodium", "CueSystem", "CueBase",
            "CueTestSupport", .product(name: "GRDB", package: "GRDB.swift"),
        ]),
    tests("CueSearchTests", ["CueSearch", "CueSystem", "CueBase", "CueTestSupport"]),
    tests("CueEventsTests", ["CueEvents", "CueBase", "CueTestSupport"]),
    tests(
        "CueEventLogTests",
        [
            "CueEventLog", "CueEvents", "CueLibrary", "CueVault", "CueCrypto", "CueSodium", "CueStorage", "CueSystem",
            "CueBase",
            "CueTestSupport",
        ]),
    tests(
        "CueEngineTests",
        [
            "CueEngine", "CueLibrary", "CueVault", "CueSearch", "CueStorage", "CueCrypto", "CueSodium", "CueSystem",
            "CueBase", "CueTestSupport", .product(name: "GRDB", package: "GRDB.swift"),
        ]),
    tests(
        "CueCLITests",
        [
            "CueBase", "CueCLI", "CueCrypto", "CueCurl", "CueEngine", "CueEntitlements", "CueEventLog", "CueLibrary",
            "CueStorage", "CueSystem", "CueTerminal", "CueTestSupport", "CueVault",
            .product(name: "ArgumentParser", package: "swift-argument-parser"),
        ]),
    // Stories drive the built program as a person or a script would.
    tests("StoryTests", ["cue", "CueTestSupport"]),
    // What parts of cue cost (`make bench-units`).
    .target(name: "CCounters", path: "Benchmarks/Sources/CCounters"),
    .executableTarget(
        name: "cue-benchmarks",
        dependencies: [
            "CueBase", "CueSystem", "CueSodium", "CueCrypto", "CueStorage", "CueVault", "CueLibrary", "CueEvents",
            "CueEventLog", "CueEngine", "CCounters",
        ], path: "Benchmarks/Sources/cue-benchmarks", swiftSettings: strict,
        // Without debug information, which older valgrinds cannot read.
        linkerSettings: [.unsafeFlags(["-Xlinker", "-S"])]),
    // How long the names of a large vault take (`Benchmarks/listing.py`).
    .executableTarget(
        name: "cue-listing",
        dependencies: ["CueBase", "CueSystem", "CueStorage", "CueCurl", "CueRemotes", "CueVault"],
        path: "Benchmarks/Sources/cue-listing", swiftSettings: strict),
]

/// Built only when `CUE_PARTS` names them.
let onDemand: Set<String> = ["CCounters", "cue-benchmarks", "cue-listing"]

/// The names of these targets and of all that they need.
func closure(of names: [String], in targets: [Target]) -> Set<String> {
    var found: Set<String> = []
    var open = names
    while let name = open.popLast() {
        guard let target = targets.first(where: { $0.name == name }), found.insert(name).inserted else { continue }
        for dependency in target.dependencies {
            switch dependency {
            case .byNameItem(let name, _), .targetItem(let name, _): open.append(name)
            default: break
            }
        }
    }
    return found
}

// `CUE_PARTS=CueVault swift test` builds and tests one module with what it needs; names with commas, several.
let parts = Context.environment["CUE_PARTS"]?.split(separator: ",").map(String.init) ?? []
let built =
    parts.isEmpty
    ? Set(targets.map(\.name)).subtracting(onDemand) : closure(of: parts + parts.map { "\($0)Tests" }, in: targets)

// A plan of a restore is the engine's own: testable in a release, so that it can be measured.
if parts.contains("cue-benchmarks") {
    targets.first { $0.name == "CueEngine" }?.swiftSettings = strict + [.unsafeFlags(["-enable-testing"])]
}

let package = Package(
    name: "cue",
    platforms: [.macOS(.v15)],
    products: built.contains("cue") ? [.executable(name: "cue", targets: ["cue"])] : [],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
    ],
    targets: targets.filter { built.contains($0.name) }
)
