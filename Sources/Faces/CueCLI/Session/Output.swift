import CueBase
import CueEngine
import CueSystem
import CueTerminal
import Foundation

/// The output of a command: its result goes to the standard output, as lines or as one JSON object; warnings, hints and
/// progress go to the standard error.
struct Output: Sendable {
    /// Prints JSON instead of lines, and neither warnings nor hints.
    let json: Bool
    /// Prints no result in lines; warnings still come.
    let quiet: Bool

    /// Prints a line of the result. Names in it may hold anything: a terminal gets no control characters of theirs.
    func line(_ text: String = "") { line(Line(text)) }

    /// The same for one with parts that stand out.
    func line(_ line: Line) {
        guard !json && !quiet else { return }
        Output.print(Output.laidOut(line, for: Terminal.output))
    }

    /// The line, or several, as this stream shows them: harmless, broken between words where a person reads them, and
    /// ended.
    static func laidOut(_ line: Line, for stream: Int32) -> String {
        let line = line.map(harmless)
        let isColoured = Colours.areShown(on: stream)
        guard Terminal.isTerminal(stream) else { return line.drawn(inColour: isColoured) + "\n" }
        let width = Terminal.columns(of: stream)
        return line.split.flatMap { LineWrap.lines(of: $0, width: width, hang: 2) }
            .map { $0.drawn(inColour: isColoured) + "\n" }.joined()
    }

    /// The text with everything escaped that a terminal would obey.
    static func harmless(_ text: String) -> String { Display.sentence(ArgumentBytes.bytes(text)) }

    /// Prints the result as JSON: one object, keys sorted, times as ISO 8601 in UTC (docs/json.md). Does nothing
    /// without `--json`.
    func object(_ value: some Encodable) throws {
        if json { Output.print(json: try Self.encoded(value)) }
    }

    /// Shows a recovery code, the only time it is shown, and returns only after it was written. With `--quiet` it
    /// prints the code alone, with `--json` the `result`. Throws `CueError` if the output is closed.
    func showCode(_ code: String, _ result: some Encodable) throws {
        let words = """
            Your recovery code:

                \(code)

            Write it on paper and keep it away from this computer. It opens the vault if the passphrase is forgotten. It is \
            shown this once and kept nowhere. Without the passphrase or this code nobody can read the vault.


            """
        let text = try json ? Self.encoded(result) : quiet ? code + "\n" : Self.wrapped(words, for: Terminal.output)
        do {
            if try Terminal.write(Array(text.utf8).span, to: Terminal.output) {
                return try Terminal.flush(Terminal.output)
            }
        } catch {
            throw CueError(.failed, "the recovery code cannot be shown: \(error.words); nothing was made")
        }
        throw CueError(.failed, "the recovery code cannot be shown: the output was closed; nothing was made")
    }

    /// The value as one line of JSON.
    static func encoded(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.dateEncodingStrategy = .iso8601
        return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
    }

    /// Prints a warning.
    func warning(_ text: String) {
        guard !json else { return }
        Output.complain("cue: \("warning:", .warning) \(text)")
    }

    /// Prints a step that the person can take now.
    func hint(_ text: String) {
        guard !json else { return }
        Output.complain("cue: \("hint:", .hint) \(text)")
    }

    /// Tells a person at a terminal what was taken for granted; a program and a file get the result alone.
    func note(_ text: String) {
        guard !json, !quiet, Terminal.isTerminal(Terminal.error) else { return }
        Output.complain("cue: \(text)")
    }

    /// Prints warnings up to `limit`; the rest is counted.
    func warnings(_ texts: [String], limit: Int = 20) {
        for text in texts.prefix(limit) { warning(text) }
        if texts.count > limit { warning("and \(Style.number(texts.count - limit)) more") }
    }

    /// Prints JSON. On a terminal control characters are escaped, which means the same to a program.
    static func print(json: String) { print(Terminal.isTerminal(Terminal.output) ? Display.json(json) : json) }

    /// Prints a line of canonical JSON; for values whose keys are not cue's own.
    func print(_ json: JSON) { Output.print(json: String(decoding: json.canonical, as: UTF8.self) + "\n") }

    /// Prints to the standard output. If its reader has gone, the program ends with 0: that is no failure.
    static func print(_ text: String) { write(Array(text.utf8).span) }

    /// Writes bytes to the standard output. If its reader has gone, the program ends with 0; on any other error with 1.
    static func write(_ bytes: Span<UInt8>) {
        do {
            guard try !Terminal.write(bytes, to: Terminal.output) else { return }
            Pager.finish()
            exit(0)
        } catch {
            Pager.finish()
            complain("cue: \("error:", .error) the result cannot be written: \(error.words)")
            exit(Outcome.failed.rawValue)
        }
    }

    /// A text of several lines, broken between words where it goes to a terminal. One that ends with a space still does.
    static func wrapped(_ text: String, for stream: Int32 = Terminal.error) -> String {
        guard Terminal.isTerminal(stream) else { return harmless(text) }
        let width = Terminal.columns(of: stream) - 1
        let lines = Line(harmless(text)).split.flatMap { LineWrap.lines(of: $0, width: width) }.map(\.text)
        let shown = lines.joined(separator: "\n")
        return text.hasSuffix(" ") && !shown.hasSuffix(" ") ? shown + " " : shown
    }

    /// Asks on the terminal; nil without one, at the end of the input, or after Ctrl-C. A long question breaks between
    /// words.
    static func ask(_ question: String) -> String? {
        let answer = Terminal.ask(wrapped(question))
        // The cursor still stands behind the question.
        if answer == nil { complain("") }
        return answer
    }

    /// Writes a line to the standard error, and ignores errors.
    static func complain(_ line: Line) { complain(laidOut: laidOut(line, for: Terminal.error)) }

    /// The same for text that is laid out and harmless already.
    static func complain(laidOut text: String) { _ = try? Terminal.write(Array(text.utf8).span, to: Terminal.error) }

    /// Draws progress on a terminal; reports nothing with `--json` or `--quiet`, or without a terminal.
    var reporter: any Reporter {
        !json && !quiet && Terminal.isTerminal(Terminal.error) ? TerminalReporter() : SilentReporter()
    }
}

extension Timestamp {
    /// The nearest moment that a `Timestamp` can hold: a date may be anything.
    init(_ date: Date) {
        let milliseconds = date.timeIntervalSince1970 * 1000
        self.init(milliseconds: milliseconds.isNaN ? 0 : Int64(max(-0x1p53, min(0x1p53, milliseconds))))
    }

    /// The same moment for Foundation.
    var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// Local time: `2026-11-21 14:30`.
    var shown: String {
        let parts = Calendar.current.dateComponents([.year, .month, .day, .hour, .minute], from: date)
        func two(_ number: Int?) -> String {
            Style.right(String(number ?? 0), 2).replacingOccurrences(of: " ", with: "0")
        }
        return "\(parts.year ?? 0)-\(two(parts.month))-\(two(parts.day)) \(two(parts.hour)):\(two(parts.minute))"
    }
}
