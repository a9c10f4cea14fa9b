import CueEngine

/// A problem of a key slot, in JSON.
struct KeySlotTrouble: Encodable {
    let slot, problem: String
    let mended: Bool

    init(_ trouble: KeyTrouble) {
        slot = trouble.slot
        mended = trouble.isMended
        problem =
            switch trouble.what {
            case .changed: "changed"
            case .missing: "missing"
            case .returned: "returned"
            case .unusable, .unlisted, .epoch: "unusable"
            case .epochsMissing: "missing"
            }
    }
}
