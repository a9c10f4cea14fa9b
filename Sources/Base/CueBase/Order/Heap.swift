/// A binary heap: gives back its elements one by one, the first in an order next, while others come in.
public struct Heap<Element> {
    private var elements: [Element] = []
    private let isBefore: (Element, Element) -> Bool

    /// An empty heap. `isBefore`: whether one element comes out before another.
    public init(_ isBefore: @escaping (Element, Element) -> Bool) { self.isBefore = isBefore }

    /// Adds an element.
    public mutating func insert(_ element: Element) {
        elements.append(element)
        var number = elements.count - 1
        while number > 0, isBefore(elements[number], elements[(number - 1) / 2]) {
            elements.swapAt(number, (number - 1) / 2)
            number = (number - 1) / 2
        }
    }

    /// Removes the first element in the order; nil if there is none.
    public mutating func removeFirst() -> Element? {
        guard let last = elements.popLast() else { return nil }
        guard let first = elements.first else { return last }
        elements[0] = last
        var number = 0
        while true {
            let children = (2 * number + 1..<2 * number + 3).clamped(to: 0..<elements.count)
            guard let next = children.min(by: { isBefore(elements[$0], elements[$1]) }),
                isBefore(elements[next], elements[number])
            else { return first }
            elements.swapAt(number, next)
            number = next
        }
    }
}
