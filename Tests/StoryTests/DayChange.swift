import Foundation

/// The hours of UTC at which what cue says changes by itself: the writer's day ends at six, and nudges come at nine.
enum DayChange {
    private static let hours = [6.0, 9.0]

    /// Where such an hour is so near that a test could begin before it and end after it, waits until it has passed.
    static func letPass(within seconds: Double = 30) {
        let day = Date().timeIntervalSince1970.truncatingRemainder(dividingBy: 86_400)
        for hour in hours where (0..<seconds).contains(hour * 3600 - day) {
            Thread.sleep(forTimeInterval: hour * 3600 - day + 0.5)
        }
    }
}
