import CueBase
import CueSystem
import CueVault
import Synchronization

/// The folders and bundles that the local store remembers. It is a copy, so that no transaction is open during a scan.
package struct KnownTree: Sendable {
    /// The entries of each folder, still encoded; nil is the place of the library folder itself.
    let folders: [RelativePath?: [UInt8]]
    /// The key of each bundle as it was stored.
    let bundleKeys: [ProjectID: BundleKey]

    /// Reads the copy; costs memory for the whole tree.
    package init(_ transaction: LocalStore.Transaction) throws {
        (folders, bundleKeys) = (try transaction.folders(), try transaction.bundleKeys())
    }
}
