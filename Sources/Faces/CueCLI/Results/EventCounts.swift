import CueEngine
import CueEventLog

/// The result of an exchange of events, in JSON.
struct EventCounts: Encodable {
    let pulled, pushed, aside, lostBatches: Int
    let unreadable: [String]

    init(_ summary: EventExchange.Summary) {
        (pulled, pushed, aside) = (summary.pulled, summary.pushed, summary.setAside)
        (lostBatches, unreadable) = (summary.lostBatches, summary.unreadable.map(\.words))
    }
}
