import CueSystem
import Foundation
import Synchronization

/// Stops work that takes too long, as a signal would.
enum TimeLimit {
    /// Runs `body`, and requests an interruption if it still runs after so many seconds.
    static func interrupt(after seconds: Double, _ clock: Clock, _ body: () -> Void) {
        let isOver = Atomic<Bool>(false)
        let timer = Thread {
            let end = clock.seconds + seconds
            while !isOver.load(ordering: .relaxed) {
                if clock.seconds > end { return Interruption.request() }
                Wait.milliseconds(50)
            }
        }
        body()
        isOver.store(true, ordering: .relaxed)
        timer.join()
    }
}
