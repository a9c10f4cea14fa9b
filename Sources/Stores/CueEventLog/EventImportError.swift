package import CueBase
package import CueEvents
package import CueLibrary

/// The reasons why a file of events is not imported, or not to its end.
package enum EventImportError: Error, Hashable, Sendable {
    /// The file is one array, over 256 MiB long.
    case arrayTooLong
    /// The line of this number is over 4 MiB; `isImported`: what stands before it is imported.
    case lineTooLong(Int, isImported: Bool)
    /// The array is not JSON; with the offset of the flaw in bytes.
    case notJSON(JSONFlaw, at: Int)
    /// There is nothing in the file.
    case empty
    /// Nothing in the file is an event, beginning with this value.
    case noEvent(EventPlace, EventFormError)
}
