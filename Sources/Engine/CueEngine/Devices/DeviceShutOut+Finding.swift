package import CueBase
import CueVault

extension DeviceShutOut {
    /// The device that `run` would shut out for this name, for a question before it does.
    ///
    /// Throws `Refusal`, and what reading the vault throws. Changes nothing.
    package static func find(_ name: String, since: Timestamp?, _ context: EngineContext) throws -> VaultDevice {
        try device(name, but: context.library.device().id, since: since, in: FullHistory.load(context.vault))
    }
}
