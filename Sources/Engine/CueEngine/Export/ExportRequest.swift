/// What an export is to write.
package struct ExportRequest: Sendable {
    /// A document or a folder as people name it; nil for everything.
    package let name: String?
    /// A snapshot or time as people type it (`SnapshotSelector`); nil for the newest state.
    package var at: String?
    /// Whether every version is written whose text differs from those that it came from. Else one version of each
    /// document is.
    package var allVersions = false
    /// The form of the text.
    package var form: DraftText.Form = .plain

    /// The newest version of each document, as plain text.
    package init(_ name: String?) { self.name = name }
}
