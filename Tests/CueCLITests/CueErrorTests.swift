import CueBase
import CueEngine
import CueStorage
import CueVault
import Testing

@testable import CueCLI

@Suite("Errors for people")
struct CueErrorTests {
    @Test("Only an error of a store that cannot be reached may heal by itself, whatever wraps it")
    func unreachable() {
        let away = StorageError.unreachable("/mnt/usb")
        #expect(CueError.describing(away, vault: "v").heals)
        #expect(CueError.describing(EngineError.notTied(away), vault: "v").heals)
        #expect(CueError.describing(CueError.describing(away, vault: "v"), vault: "w").printable.heals)
        #expect(!CueError.describing(StorageError.noSpace, vault: "v").heals)
        #expect(!CueError(.unreachable, "the outcome alone decides nothing").heals)
    }

    @Test("The assurance that nothing was changed is a part of its own, which a watcher leaves out")
    func unchanged() {
        let error = CueError.describing(VaultError.wrongSecret, vault: "v").printable
        #expect(error.message == "wrong passphrase or recovery code; nothing was changed")
        #expect(error.problem == "wrong passphrase or recovery code")
    }
}
