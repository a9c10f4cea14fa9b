import CueBase
import CueCrypto
import CueLibrary
import CueStorage
import CueSystem
import CueVault
import Testing

@testable import CueCLI
@testable import CueEngine

@Suite("Sentences about what was left out, and what is damaged")
struct SkipWordsTests {
    private let path = RelativePath(trusted: Array("Notes/new.md".utf8))
    private let denied = SystemError(code: 13, call: "open")

    @Test("A path stands before its reason, and a reason without a path stands alone")
    func paths() {
        #expect(SkippedPath(path: path, reason: .nameTaken).sentence.hasPrefix("Notes/new.md: something else stands"))
        #expect(
            SkippedPath(path: nil, reason: .vaultInUse).sentence == "another device is writing to the vault just now")
    }

    @Test("What is open or changed is told with what the other device did")
    func changes() {
        #expect(
            SkipReason.open(.renamed, by: .lockFile(Array(".~lock.Notes#".utf8))).words
                == "it has another name on another device, and is open here (.~lock.Notes# is there); it is left as it is until that is closed"
        )
        #expect(
            SkipReason.touched(.deleted).words
                == "it was deleted on another device, and was touched here meanwhile; the next sync looks at both")
        #expect(
            SkipReason.touchedMeanwhile(.renamed).words
                == "it was renamed on another device, and was touched here meanwhile")
        #expect(
            SkipReason.holdsIgnored([0x61], more: 2).words
                == "it was deleted or renamed on another device, and still holds a and 2 more, which cue leaves out; it stays here until that is gone"
        )
    }

    @Test("The system's words stand in parentheses; only a path too long names the file in a bundle")
    func systemErrors() {
        #expect(SkipReason.unreadable(denied).words == "it cannot be read (permission denied)")
        let long = SystemError(code: SystemError.tooLong.code, call: "open", subject: "a/b")
        #expect(SkipReason.unreadable(long).words == "it cannot be read (a/b: file name too long)")
        #expect(
            SkipReason.keptBeside([[0x61], [0x62]], .changedMeanwhile).words
                == "it was changed meanwhile; what somebody wrote is kept beside it as a and b")
    }

    @Test("Damage names the part and the reason")
    func damage() {
        let error = VaultError.damaged(.object("packs/a"), .format(.invalid(.repeatedMember)))
        #expect(error.sentence == "packs/a: it holds two members of one name")
        #expect(
            VaultError.cut(.object("packs/a"), size: 3, wanted: 5).sentence
                == "packs/a: it has 3 bytes and should have 5")
        #expect(
            VaultProblem.keySlot(KeyTrouble(slot: "keys/", what: .unlisted)).sentence
                == "keys/: the folder cannot be read")
    }

    @Test("No two flaws of the format have the same words")
    func flaws() {
        #expect(Set(FormatFlaw.allCases.map(\.words)).count == FormatFlaw.allCases.count)
        #expect(Set(JSONFlaw.allCases.map(\.words)).count == JSONFlaw.allCases.count)
    }

    @Test("A problem that the local store keeps comes back the same, and one in words counts as none")
    func stored() throws {
        let position = LogPosition(device: ID16(high: 1, low: 2), generation: 3, commit: CommitID(4))
        let version = VersionID(commit: CommitID(9), number: 3)
        let problems: [VaultProblem] = [
            .gap(.damaged(.cut(.object("packs/a"), size: 1, wanted: 2))), .gap(.missing(position)),
            .keySlot(KeyTrouble(slot: "keys/a", what: .unusable(.invalid(.cutShort)))),
            .falseRecord(ID16(high: 5, low: 6), position), .version(version, .strayParent(.circle)),
            .keysUnlisted(.noPermission("keys")), .document(DamagedDocument(path: path, version: version)), .noCommit,
            .damage(.damaged(.version(version), .seal(.notForThisPlace))),
        ]
        for problem in problems {
            let code = try #require(FactCode(factText: try FactCode(problem).factText))
            #expect(code.value() == problem)
        }
        let skipped = [
            SkippedPath(path: path, reason: .notWritten(denied)), SkippedPath(path: nil, reason: .leftUntidy),
        ]
        #expect(try FactCode(skipped).value() == skipped)
        #expect(FactCode(factText: "a pack is gone, or not whole") == nil)
        #expect(FactCode(factText: "1 pack is gone")?.value(as: VaultProblem.self) == nil)
    }
}
