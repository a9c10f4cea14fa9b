package import CueBase
package import CueLibrary
package import CueSystem

/// The result of a restore.
package struct RestoreSummary: Sendable {
    /// The number of documents that were asked for and are there now, those included that were there already.
    package var documents = 0
    /// The number of files that were written.
    package var files = 0
    /// The bytes of those files.
    package var bytes: Int64 = 0
    /// The number of files, links and members of bundles that were there already.
    package var kept = 0
    /// Paths that could not be restored, or not entirely, and gaps in the history, with the reasons.
    package var failed: [SkippedPath] = []
    /// Whether the vault is damaged, or a part of its history is missing.
    package var isDamaged = false
    /// Documents and folders that were restored under another name than their own.
    package var copies: [RestoredCopy] = []
    /// Documents that were deleted before.
    package var undeleted: [RelativePath] = []
    /// Deleted documents in the requested folders. They are not restored with the folder.
    package var leftDeleted: [RelativePath] = []
    /// Drafts of runs that were cut off. They were found and removed.
    package var drafts: [RelativePath] = []
    /// Whether everything was there already, and nothing was written.
    package var wasThere = false
    /// Documents that were in the way and in no version: they were stored first.
    package var stored: [StoredFirst] = []
    /// Documents that were in the way in a folder that is no library, and in no version: they have these names now.
    package var aside: [RelativePath] = []
    /// Documents that the undone restore had brought, and that were taken away again.
    package var removed: [RelativePath] = []
    /// Documents that the undone restore had brought, and that were changed since: they stay.
    package var stayed: [RelativePath] = []
    /// Where what came back was stored; nil if that is no document, and for an undo.
    package var source: RestoreSource?
    /// The number of those documents that were there already, and of which nothing was written.
    package var already = 0
    /// What an undo did; nil for a restore.
    package var undone: RestoreUndone?
    /// The folder to which the documents were restored.
    package var target: FilePathBytes
    /// Documents that were put in their places, by path, with their inodes.
    var placed: [RelativePath: UInt64] = [:]
    /// Whether nothing is left under a temporary name. If something is, the journal stays for the next run.
    var isTidy = true
}
