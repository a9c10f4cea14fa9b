import CueBase
import CueLibrary
import CueStorage
import CueSystem
import CueVault
import Foundation

/// What shall come back, from when, and where to.
package struct RestoreRequest: Sendable {
    package var names: [String] = []
    package var at: String?
    package var version: String?
    package var file: String?
    package var overwrite = false

    package init() {}
}
