/// Arithmetic on numbers that others chose: what is too large becomes the largest number there is, and nothing traps.
extension FixedWidthInteger {
    @inlinable
    public func saturatingAdding(_ other: Self) -> Self {
        let (sum, isOver) = addingReportingOverflow(other)
        return isOver ? (other < 0 ? .min : .max) : sum
    }

    @inlinable
    public func saturatingSubtracting(_ other: Self) -> Self {
        let (difference, isOver) = subtractingReportingOverflow(other)
        return isOver ? (other < 0 ? .max : .min) : difference
    }

    @inlinable
    public func saturatingMultiplied(by other: Self) -> Self {
        let (product, isOver) = multipliedReportingOverflow(by: other)
        return isOver ? ((self < 0) == (other < 0) ? .max : .min) : product
    }
}

extension Sequence where Element: FixedWidthInteger {
    /// The sum, or the number that is nearest to it.
    @inlinable
    public var saturatingSum: Element { reduce(0) { $0.saturatingAdding($1) } }
}
