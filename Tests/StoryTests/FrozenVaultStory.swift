import CueTestSupport
import Foundation
import Testing

@Suite("Story: vaults of earlier versions")
struct FrozenVaultStory {
    private struct Secrets: Decodable {
        let passphrase: String
        /// Opens a slot that came with the second of three epochs.
        let another: String
        let recoveryCode: String
        let snapshots: [String]
    }

    private static let folder = Project.root + "/fixtures/vault-1"

    private static func secrets() throws -> Secrets {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(Secrets.self, from: Data(contentsOf: URL(fileURLWithPath: folder + "/secrets.json")))
    }

    @Test(
        "The frozen vault of format 2 opens with its passphrase and its code, and gives both states byte for byte",
        arguments: [0, 1])
    func bothStatesComeBack(_ state: Int) throws {
        let cue = Cue()
        let secrets = try Self.secrets()
        let out = cue.folder.appending("out")

        let restore = try cue.run(
            "restore", "--vault", Self.folder + "/vault", "--to", out, "--at", secrets.snapshots[state],
            environment: ["CUE_PASSPHRASE": state == 0 ? secrets.passphrase : secrets.recoveryCode])
        let listing = try Program.run(
            "/usr/bin/env", ["python3", Project.root + "/tools/compare-trees.py", "--list", out])

        #expect(restore.code == 0, "\(restore.errors)")
        #expect(listing.text == (try String(contentsOfFile: Self.folder + "/state-\(state + 1)", encoding: .utf8)))
    }

    @Test("A check with all data read finds the frozen vault whole")
    func isWhole() throws {
        let cue = Cue()
        let check = try cue.run(
            "check", "--vault", Self.folder + "/vault", "--read-data",
            environment: ["CUE_PASSPHRASE": try Self.secrets().another])
        #expect(check.code == 0, "\(check.errors)")
    }
}
