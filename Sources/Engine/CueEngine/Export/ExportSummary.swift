package import CueBase
package import CueLibrary
package import CueSystem
package import CueText
import CueVault

/// The result of an export.
package struct ExportSummary: Sendable {
    /// A file that was written.
    package struct Draft: Sendable {
        /// The document, in the library.
        package let document: RelativePath
        /// The version whose text it is.
        package let version: VersionID
        /// The file, below the target.
        package let path: RelativePath
        /// In bytes.
        package let size: Int64
        /// The name that the file has not, as something else has it; nil if it has its own.
        package let taken: RelativePath?
    }

    /// A document, or one version of it, that has no text that cue reads.
    package struct PassedOver: Sendable {
        /// In the library.
        package let document: RelativePath
        /// nil for the document: no version that was asked for has a text.
        package let version: VersionID?
        /// Why; nil if its kind of document has no text that cue reads.
        package let reason: TextError?
    }

    /// The folder to which the drafts were written; made only if there was one to write.
    package let target: FilePathBytes
    /// The number of documents of which a draft is there now.
    package var documents = 0
    /// The files that were written, in the order of their documents.
    package var written: [Draft] = []
    /// The number of files that were there already, with the same text.
    package var kept = 0
    /// What was passed over.
    package var passedOver: [PassedOver] = []
    /// Documents that could not be exported, or not entirely, and gaps in the history, with the reasons.
    package var failed: [SkippedPath] = []
    /// Whether the vault is damaged, or a part of its history is missing.
    package var isDamaged = false
    /// Unfinished files of exports that were cut off. They were found and removed.
    package var drafts: [RelativePath] = []
}
