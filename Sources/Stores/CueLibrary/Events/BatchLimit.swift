package import CueBase
package import CueVault

/// The last batch of events that counts of a device that was shut out.
package struct BatchLimit: Codable, Sendable, Equatable {
    /// The device.
    package let device: DeviceID
    /// The generation of the batch; 0 for none.
    package let generation: UInt64
    /// The id of the batch.
    package let batch: CommitID

    /// The limit that a record sets.
    package init(_ shutOut: ShutOut) {
        (device, generation, batch) = (shutOut.device, shutOut.batchGeneration, shutOut.batch)
    }
}
