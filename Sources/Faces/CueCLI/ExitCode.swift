/// What a command tells the shell. A promise: docs/json.md and the manual name the same.
enum Outcome: Int32 {
    case done = 0
    case failed = 1
    case usage = 2
    case incomplete = 3
    case conflict = 4
    case wrongSecret = 5
    case damaged = 6
    case unreachable = 7
    case interrupted = 130
}
