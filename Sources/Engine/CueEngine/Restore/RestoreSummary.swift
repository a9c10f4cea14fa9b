package import CueBase
package import CueLibrary
package import CueSystem

/// What a restore did.
package struct RestoreSummary: Sendable {
    package var documents = 0
    package var files = 0
    package var bytes: Int64 = 0
    /// Files and links that were there already.
    package var kept = 0
    /// What could not be read from the vault or written, and why.
    package var failed: [SkippedPath] = []
    package var isDamaged = false
    /// What came back under another name than its own.
    package var copies: [RestoredCopy] = []
    /// Documents that had been deleted.
    package var undeleted: [RelativePath] = []
    /// Documents in folders that were asked for, which were deleted before and do not come back with them.
    package var leftDeleted: [RelativePath] = []
    /// Drafts of runs that were cut off, which were found and removed.
    package var drafts: [RelativePath] = []
    package var target: FilePathBytes
    /// Whether nothing is left under a temporary name; else the journal stays for the next run.
    var isTidy = true
}
