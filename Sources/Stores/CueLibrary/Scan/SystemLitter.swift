/// Names of files that systems and programs leave beside documents. They are not the writer's work.
package enum SystemLitter {
    /// The Finder writes this file into every folder that it shows.
    package static let finderFile = Array(".DS_Store".utf8)
    /// The start of names in which macOS keeps attributes on file systems without them.
    static let resourceFork = Array("._".utf8)
    /// Exists while Scrivener has the project open. On another device it would say that the project is open there.
    package static let scrivenerLock = Array("user.lock".utf8)

    /// The names that a scan skips everywhere, as lines of a `.cueignore`.
    static let rules = Array(".DS_Store\n._*\n~$*\n.~lock.*\n*.tmp\n*.swp\n".utf8)
}
