package import CueBase
package import CueEvents

extension LocalStore.Transaction {
    /// Adds an event of cue's own. Throws `EventFormError` if `time` is outside of the years 0 to 9999.
    package func note(_ own: OwnEvent, at time: Timestamp) throws {
        _ = try add(try Event.new(own.type, own.payload, at: time, now: time))
    }
}
