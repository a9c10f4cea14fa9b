import CueBase
import CueLibrary
import CueVault

/// This device's side of a plan: what it has, and what its run has done so far.
struct LocalSide {
    let device: DeviceID
    /// Its projects, as the local store has them.
    let known: [ProjectID: KnownProject]
    /// The projects whose deletion is not recorded.
    var gone: Set<ProjectID> = []
    /// The projects whose documents are damaged here, so that they are brought again.
    var damaged: Set<ProjectID> = []
    /// The bytes of the lists of members that this run has written.
    var listed = 0

    /// Reads what the local store has.
    init(_ library: OpenLibrary, device: DeviceID) throws {
        (self.device, known) = (device, try StoredEntries(library).everything())
    }
}
