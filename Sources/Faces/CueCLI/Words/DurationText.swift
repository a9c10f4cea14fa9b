/// Durations as people type them: `30m`, `12h`, `7d`.
enum DurationText {
    private static let units: [Character: Int] = ["m": 60, "h": 3600, "d": 86_400]

    /// The duration in seconds; nil if the text is none.
    static func seconds(_ text: String) -> Int? {
        let digits = text.dropLast()
        guard let unit = text.lowercased().last.flatMap({ units[$0] }), (1...6).contains(digits.count),
            digits.allSatisfy({ ("0"..."9").contains($0) }), let count = Int(digits)
        else { return nil }
        return count * unit
    }
}
