/// What shows that a document is open in a program.
package enum DocumentHolder: Sendable, Hashable, Codable {
    /// A process of this name has it open.
    case process(String)
    /// A lock file of this name lies beside it.
    case lockFile([UInt8])
    /// Scrivener's lock lies in it.
    case scrivenerLock
}
