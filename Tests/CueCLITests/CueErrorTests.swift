import CueBase
import CueEngine
import CueLibrary
import CueStorage
import CueSystem
import CueVault
import Testing

@testable import CueCLI

@Suite("Errors for people")
struct CueErrorTests {
    @Test("Only an error of a store that cannot be reached may heal by itself, whatever wraps it")
    func unreachable() {
        let away = StorageError.unreachable("/mnt/usb")
        #expect(CueError.describing(away, vault: "v").heals)
        #expect(CueError.describing(Initialization.NotTied(cause: away), vault: "v").heals)
        #expect(CueError.describing(CueError.describing(away, vault: "v"), vault: "w").printable.heals)
        #expect(CueError.describing(EngineError.vaultNotInFolder("/mnt/usb"), vault: "v").heals)
        #expect(!CueError.describing(StorageError.noSpace, vault: "v").heals)
        #expect(!CueError(.unreachable, "the outcome alone decides nothing").heals)
    }

    @Test("An error of the system has the system's words behind the name, and so has one that an earlier cue kept")
    func system() throws {
        let error = StorageError(SystemError(code: 5, call: "read", subject: "a"), of: "keys")
        let kept = #"1 {"keysUnlisted":{"_0":{"failed":{"_0":"keys: input/output error"}}}}"#

        #expect(error == .system("keys", code: 5) && error.heals == .never)
        #expect(error.words == "keys: input/output error")
        #expect(
            CueError.describing(error, vault: "v").message == "the vault at v does not work: keys: input/output error")
        let old: VaultProblem = try #require(FactCode(factText: kept)?.value())
        #expect(old == .keysUnlisted(.failed("keys: input/output error")))
        #expect(old.sentence == "keys/: keys: input/output error")
        #expect(VaultProblem.keysUnlisted(error).sentence == old.sentence)
        #expect(try FactCode(VaultProblem.keysUnlisted(error)).value() == VaultProblem.keysUnlisted(error))
    }

    @Test("The assurance that nothing was changed is a part of its own, which a watcher leaves out")
    func unchanged() {
        let error = CueError.describing(VaultError.wrongSecret, vault: "v").printable
        #expect(error.message == "wrong passphrase or recovery code, or one that was removed; nothing was changed")
        #expect(error.problem == "wrong passphrase or recovery code, or one that was removed")
    }
}
