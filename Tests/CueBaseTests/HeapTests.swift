import CueBase
import CueTestSupport
import Testing

@Suite("Heap")
struct HeapTests {
    @Test("Elements come out in order, whatever comes in between", arguments: 1...20 as ClosedRange<UInt64>)
    func order(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var heap = Heap<Int>(>)
        var left: [Int] = []
        for _ in 0..<300 {
            if Bool.random(using: &generator) || left.isEmpty {
                let next = Int.random(in: 0..<50, using: &generator)
                heap.insert(next)
                left.append(next)
            } else {
                let first = heap.removeFirst()
                #expect(first == left.max())
                left.firstIndex(of: first ?? -1).map { _ = left.remove(at: $0) }
            }
        }
        #expect((0..<left.count).map { _ in heap.removeFirst() } == left.sorted(by: >))
        #expect(heap.removeFirst() == nil)
    }
}
