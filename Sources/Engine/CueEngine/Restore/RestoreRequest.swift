import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueVault
import Foundation

/// The documents to restore, and from when.
package struct RestoreRequest: Sendable {
    /// Names of documents and folders; everything if empty.
    package var names: [String] = []
    /// A snapshot or time as people type it (`SnapshotSelector`); nil for the newest state.
    package var at: String?
    /// The version to restore, such as `7f3a91c2-14`, or with one name `latest~1`; nil to choose by `names` and `at`.
    package var version: String?
    /// The path of one file in the named bundle; nil for whole documents.
    package var file: String?
    /// Whether files that no version holds may be replaced: in a library they are stored first, in any other folder
    /// they get a name beside.
    package var overwrite = false

    /// Everything in its newest state.
    package init() {}
}
