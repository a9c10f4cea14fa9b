import CueLibrary
import CueStorage
import CueSystem
import CueVault

/// What failed, without any sentence: a watcher knows a trouble again by it, in this run and after a restart.
package struct FailureFact: Hashable, Sendable {
    /// The error with its data, as Swift writes values, and the vault.
    private let text: String

    /// `vault`: where the library says its vault is; an error of another vault is another trouble.
    package init(_ error: any Error, vault: String) {
        let fact: any Error =
            switch error {
            // How long it asks to wait changes with every try.
            case StorageError.busy(let place, _): StorageError.busy(place, seconds: 0)
            // A new object has a random name, which changes with every try too.
            case StorageError.noPermission(let name): StorageError.noPermission(Self.kind(of: name))
            case StorageError.alreadyThere(let name): StorageError.alreadyThere(Self.kind(of: name))
            case StorageError.blocked(let name): StorageError.blocked(Self.kind(of: name))
            case StorageError.system(let name, let code): StorageError.system(Self.kind(of: name), code: code)
            case StorageError.service(.denied(let action, let name)):
                StorageError.service(.denied(action, Self.kind(of: name)))
            case StorageError.service(.refused(let status, let code, let name)):
                StorageError.service(.refused(status: status, code: code, Self.kind(of: name)))
            // While a sync service brings things back, these are fewer with every try, or larger.
            case VaultError.wentBack: VaultError.wentBack(missing: 0)
            case VaultError.keysWentBack: VaultError.keysWentBack(missing: 0)
            case VaultError.cut(let part, _, let wanted): VaultError.cut(part, size: 0, wanted: wanted)
            // The vault's folder without its content is the same trouble as no folder: its disk is away.
            case EngineError.vaultNotInFolder(let place): StorageError.unreachable(place)
            // No person sees which call found it. A draft has a random name.
            case let error as SystemError:
                SystemError(
                    code: error.code, call: "",
                    subject: StagedName.isDraft(Array(error.subject.utf8)) ? "" : error.subject)
            default: error
            }
        text = "\(String(reflecting: fact)) \(vault)"
    }

    /// The first part of an object's name: `packs`, `log`.
    private static func kind(of object: String) -> String { String(object.prefix { $0 != "/" }) }

    /// A short name of the fact, the same in every run.
    var name: String {
        // FNV-1a, 64 bits.
        let value = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(value, radix: 16)
    }
}
