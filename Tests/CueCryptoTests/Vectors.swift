import CueTestSupport
import Foundation
import Testing

/// A file of published vectors, in Wycheproof's form; only what these tests use.
struct VectorFile: Decodable {
    struct Group: Decodable {
        var keySize: Int?
        var ivSize: Int?
        var tagSize: Int?
        let tests: [Vector]
    }

    struct Vector: Decodable, CustomStringConvertible {
        let tcId: Int
        let comment: String
        let result: String
        var key: String?
        var iv: String?
        var aad: String?
        var msg: String?
        var ct: String?
        var tag: String?
        var ctx: String?
        var msgLength: Int?
        var msgSha512: String?
        var ikm: String?
        var salt: String?
        var info: String?
        var size: Int?
        var okm: String?

        var isValid: Bool { result == "valid" }
        var description: String { "\(tcId): \(comment)" }
    }

    let algorithm: String
    let testGroups: [Group]

    /// All groups of one algorithm, from every file of the folder that `CUE_VECTORS` names.
    static func groups(of algorithm: String) throws -> [Group] {
        let folder = try #require(Project.vectors)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".json") }
        return files.flatMap { file -> [Group] in
            guard let data = FileManager.default.contents(atPath: "\(folder)/\(file)"),
                let vectors = try? JSONDecoder().decode(VectorFile.self, from: data)
            else { return [] }
            return vectors.algorithm == algorithm ? vectors.testGroups : []
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// For tests of vectors that are published elsewhere and never copied here.
    static var withVectors: Self {
        .enabled(if: Project.vectors != nil, "skipped: CUE_VECTORS names no folder of published vectors")
    }
}
