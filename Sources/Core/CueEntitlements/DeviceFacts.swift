package import CueBase

/// The facts of a device that decide about a snapshot.
package struct DeviceFacts: Sendable, Equatable {
    /// The time of the device's clock.
    package var now: Timestamp
    /// The latest time at which anything was ever judged; nil before the first judgement.
    package var highestTime: Timestamp?
    /// The id of this device.
    package var device: DeviceID
    /// The account of the plan that this device has; nil before the first one, and after it was forgotten.
    package var account: String?
    /// The latest `issuedAt` that was ever accepted for the snapshot's account; nil before the first.
    package var lastIssuedAt: Timestamp?

    /// Facts of these parts.
    package init(
        now: Timestamp, highestTime: Timestamp? = nil, device: DeviceID, account: String? = nil,
        lastIssuedAt: Timestamp? = nil
    ) {
        (self.now, self.highestTime, self.device) = (now, highestTime, device)
        (self.account, self.lastIssuedAt) = (account, lastIssuedAt)
    }

    /// The time that counts: a clock that was set back prolongs nothing.
    package var time: Timestamp { max(now, highestTime ?? now) }
}
