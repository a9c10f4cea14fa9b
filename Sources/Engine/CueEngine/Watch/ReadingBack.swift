/// Reads a part of the vault back, once a day and one pack at a time: a sync that is due comes between two of them.
struct ReadingBack {
    private var part: (check: RollingCheck, slice: RollingCheck.Slice)?

    /// Whether a part is being read.
    var isUnderWay: Bool { part != nil }

    /// Begins a part if one is due and none is being read. `days`: as `RollingCheck.begin`; 0 for never.
    mutating func begin(_ context: EngineContext, days: Int) throws {
        let check = RollingCheck(context)
        guard part == nil, days > 0, check.isDue else { return }
        part = (check, try check.begin(days: days))
    }

    /// Reads one pack. Returns the report once all are read. After an error the part is given up; the next one is begun
    /// anew.
    mutating func step() throws -> RollingCheck.Report? {
        guard let (check, begun) = part else { return nil }
        var slice = begun
        part = nil
        try check.step(&slice)
        guard slice.isDone else {
            part = (check, slice)
            return nil
        }
        return try check.finish(slice)
    }
}
