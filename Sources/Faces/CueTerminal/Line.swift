/// A line for a person, of which some parts stand out: `"\(dim: id)  \(strong: name)"`.
package struct Line: Sendable, Equatable, ExpressibleByStringInterpolation {
    /// What a part is, which decides how it looks.
    package enum Role: String, Sendable {
        case plain = "0"
        /// What few people need, such as an id.
        case dim = "2"
        /// The name of what follows.
        case strong = "1"
        case added = "32"
        case removed = "31"
        /// What was looked for.
        case found = "1;33"
        case error = "1;31"
        case warning = "1;35"
        case hint = "1;36"
    }

    /// A run of text of one role.
    package struct Piece: Sendable, Equatable {
        package var text: String
        package let role: Role
    }

    /// The parts, none of them empty.
    package private(set) var pieces: [Piece] = []

    package init(_ text: String, _ role: Role = .plain) { append(text, role) }
    package init(stringLiteral text: String) { append(text, .plain) }
    package init(stringInterpolation parts: Interpolation) { self = parts.line }

    package mutating func append(_ text: String, _ role: Role) {
        guard !text.isEmpty else { return }
        if let last = pieces.indices.last, pieces[last].role == role {
            pieces[last].text += text
        } else {
            pieces.append(Piece(text: text, role: role))
        }
    }

    package static func + (one: Line, other: Line) -> Line {
        other.pieces.reduce(into: one) { $0.append($1.text, $1.role) }
    }

    /// The text alone.
    package var text: String { pieces.map(\.text).joined() }

    /// The lines of a text that has several.
    package var split: [Line] {
        pieces.reduce(into: [Line("")]) { lines, piece in
            for (number, part) in piece.text.utf8.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated()
            {
                if number > 0 { lines.append("") }
                lines[lines.count - 1].append(String(Substring(part)), piece.role)
            }
        }
    }

    /// The same line with each part's text changed.
    package func map(_ change: (String) -> String) -> Line {
        pieces.reduce(into: Line("")) { $0.append(change($1.text), $1.role) }
    }

    /// The text, for a terminal with the codes that colour it (ECMA-48, section 8.3.117).
    package func drawn(inColour isColoured: Bool) -> String {
        guard isColoured else { return text }
        return pieces.map { $0.role == .plain ? $0.text : "\u{1b}[\($0.role.rawValue)m\($0.text)\u{1b}[0m" }.joined()
    }

    /// Builds a line from a string literal.
    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var line = Line("")

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ text: String) { line.append(text, .plain) }
        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            line.append(value.description, .plain)
        }
        package mutating func appendInterpolation(_ other: Line) { line = line + other }
        package mutating func appendInterpolation(dim text: String) { line.append(text, .dim) }
        package mutating func appendInterpolation(strong text: String) { line.append(text, .strong) }
        package mutating func appendInterpolation(_ text: String, _ role: Role) { line.append(text, role) }
    }
}
