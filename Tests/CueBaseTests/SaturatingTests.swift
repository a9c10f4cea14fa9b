import CueBase
import Testing

@Suite("Arithmetic that stops at the ends")
struct SaturatingTests {
    @Test("Sums, differences and products beyond the ends are the ends")
    func ends() {
        #expect(Int64.max.saturatingAdding(1) == .max && Int64.min.saturatingAdding(-1) == .min)
        #expect(Int64.min.saturatingSubtracting(1) == .min && Int64.max.saturatingSubtracting(-1) == .max)
        #expect(Int64(0).saturatingSubtracting(.min) == .max)
        #expect(Int64.max.saturatingMultiplied(by: 2) == .max && Int64.max.saturatingMultiplied(by: -2) == .min)
        #expect(Int64.min.saturatingMultiplied(by: -1) == .max)
        #expect(UInt64(1).saturatingSubtracting(2) == 0 && UInt64.max.saturatingAdding(1) == .max)
        #expect([Int64.max, 5, -7].saturatingSum == .max - 7)
        #expect((1...4).saturatingSum == 10)
    }

    @Test(
        "Any two moments can be held against each other, whatever their numbers were",
        arguments: [
            Int64.min, .min + 1, -1, 0, 1, .max - 1, .max,
        ])
    func moments(_ milliseconds: Int64) {
        let moment = Timestamp(milliseconds: milliseconds)
        for other in [Timestamp(milliseconds: .min), Timestamp(milliseconds: .max), moment] {
            let distance = moment.milliseconds - other.milliseconds
            #expect((distance < 0) == (moment < other))
        }
        #expect(Int64(Double(moment.milliseconds)) == moment.milliseconds)
        #expect(Timestamp.years.contains(moment.inYears.milliseconds))
    }

    @Test(
        "A moment that a calendar has is kept to the millisecond",
        arguments: [
            Timestamp.years.lowerBound, -1, 0, 1_790_000_000_123, Timestamp.years.upperBound,
        ])
    func exact(_ milliseconds: Int64) {
        #expect(Timestamp(milliseconds: milliseconds).milliseconds == milliseconds)
        #expect(Timestamp(milliseconds: milliseconds).inYears.milliseconds == milliseconds)
    }
}
