/// Arithmetic on numbers that others chose: a result out of range becomes the nearest one in range, and nothing traps.
extension FixedWidthInteger {
    /// The sum, or the nearest number in range.
    @inlinable
    public func saturatingAdding(_ other: Self) -> Self {
        let (sum, isOver) = addingReportingOverflow(other)
        return isOver ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, or the nearest number in range.
    @inlinable
    public func saturatingSubtracting(_ other: Self) -> Self {
        let (difference, isOver) = subtractingReportingOverflow(other)
        return isOver ? (other < 0 ? .max : .min) : difference
    }

    /// The product, or the nearest number in range.
    @inlinable
    public func saturatingMultiplied(by other: Self) -> Self {
        let (product, isOver) = multipliedReportingOverflow(by: other)
        return isOver ? ((self < 0) == (other < 0) ? .max : .min) : product
    }
}

extension Sequence where Element: FixedWidthInteger {
    /// The sum; each step is cut to the range.
    @inlinable
    public var saturatingSum: Element { reduce(0) { $0.saturatingAdding($1) } }
}
