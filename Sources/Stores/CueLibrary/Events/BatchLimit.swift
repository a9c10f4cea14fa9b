package import CueBase
package import CueStorage
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

    /// True if a batch is of another device, or the last one that counts, or of a lower generation.
    package func counts(_ position: LogPosition) -> Bool {
        position.device != device || position.generation < generation
            || position.generation == generation && position.commit == batch
    }
}
