package import CueBase
import CueVault

extension DeviceShutOut {
    /// The device that `run` would shut out for this name, for a question before it does.
    ///
    /// Throws `Refusal`, and what reading the vault throws. Changes nothing.
    package static func find(_ name: String, since: Timestamp?, _ context: EngineContext) throws -> VaultDevice {
        let found = try device(name, in: FullHistory.load(context.vault))
        guard try found.id != context.library.device().id else { throw Refusal.own }
        if let before = found.shutOut, since == nil { throw Refusal.already(by: before.by) }
        return found
    }
}
