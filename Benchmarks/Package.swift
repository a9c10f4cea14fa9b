// swift-tools-version: 6.2
import PackageDescription

// The modules of cue share `package` names, which end at the package. So this package builds them itself, from the same
// sources: `Sources/cue` is a link to them. A new dependency between modules is written down here too.

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"), .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(), .treatAllWarnings(as: .error),
]

func module(_ path: String, _ dependencies: [Target.Dependency], _ more: [SwiftSetting] = []) -> Target {
    let name = String(path.split(separator: "/")[1])
    return .target(name: name, dependencies: dependencies, path: "Sources/cue/\(path)", swiftSettings: strict + more)
}

func library(_ name: String, pkgConfig: String) -> Target {
    .systemLibrary(name: name, path: "Sources/cue/CLibraries/\(name)", pkgConfig: pkgConfig)
}

let bridges: [Target.Dependency] = ["CueBase", "CueSystem", "CueSodium"]
let package = Package(
    name: "cue-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
    ],
    targets: [
        library("CSodium", pkgConfig: "libsodium"),
        library("CZstd", pkgConfig: "libzstd"),
        library("COpenSSL", pkgConfig: "libcrypto"),
        library("CZip", pkgConfig: "libzip"),
        library("CExpat", pkgConfig: "expat"),
        .target(name: "CPosix", path: "Sources/cue/CLibraries/CPosix"),
        module("Base/CueBase", []),
        module("Bridges/CueSystem", ["CPosix", "CueBase"]),
        module("Bridges/CueSodium", ["CSodium", "CueBase"]),
        module("Bridges/CueZstd", ["CZstd", "CueBase"]),
        module("Bridges/CueOpenSSL", ["COpenSSL", "CueBase"]),
        module("Bridges/CueZip", ["CZip"]),
        module("Bridges/CueExpat", ["CExpat"]),
        module("Core/CueText", ["CueBase", "CueZip", "CueExpat"]),
        module("Core/CueEntitlements", ["CueBase", "CueSodium"]),
        module("Core/CueCrypto", ["CueBase", "CueSodium", "CueOpenSSL"]),
        module("Stores/CueStorage", ["CueBase", "CueSystem"]),
        module("Stores/CueVault", bridges + ["CueZstd", "CueCrypto", "CueStorage"]),
        module(
            "Stores/CueLibrary",
            bridges + [
                "CueEntitlements", "CueStorage", "CueVault", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "TOMLKit", package: "TOMLKit"),
            ]),
        module(
            "Stores/CueEvents",
            bridges + [
                "CueCrypto", "CueStorage", "CueVault", "CueLibrary", .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        // The plan of a restore is nobody's but the engine's: testable, so that it can be measured all the same.
        module(
            "Engine/CueEngine",
            bridges + ["CueCrypto", "CueText", "CueStorage", "CueVault", "CueLibrary", "CueEvents"],
            [.unsafeFlags(["-enable-testing"])]),
        .target(name: "CCounters"),
        .executableTarget(
            name: "cue-benchmarks",
            dependencies: bridges + [
                "CueCrypto", "CueStorage", "CueVault", "CueLibrary", "CueEvents", "CueEngine", "CCounters",
            ],
            swiftSettings: strict,
            // Without debug information, which older valgrinds cannot read.
            linkerSettings: [.unsafeFlags(["-Xlinker", "-S"])]),
    ]
)
