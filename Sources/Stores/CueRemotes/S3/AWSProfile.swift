/// The entries of one profile in the files of AWS (`~/.aws/config`, `~/.aws/credentials`).
struct AWSProfile {
    private(set) var entries: [String: String] = [:]
    /// False if neither file has the profile.
    private(set) var isThere = false

    /// Reads both files; nil for one that is not there. The credentials win over the configuration, as they do in the
    /// tools of AWS.
    init(_ name: String, config: String?, credentials: String?) {
        read(config ?? "", section: name == "default" ? ["default", "profile default"] : ["profile \(name)"])
        read(credentials ?? "", section: [name])
    }

    /// Lines that begin with a space belong to a nested entry, which nothing here needs.
    private mutating func read(_ text: String, section names: Set<String>) {
        var isInside = false
        for line in text.split(whereSeparator: \.isNewline) {
            let isNested = line.first?.isWhitespace ?? false
            let line = line.trimmed
            if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { continue }
            if line.hasPrefix("["), let end = line.firstIndex(of: "]") {
                let title = line[line.index(after: line.startIndex)..<end].split(separator: " ").joined(separator: " ")
                isInside = names.contains(title)
                isThere = isThere || isInside
            } else if isInside, !isNested, let equals = line.firstIndex(of: "=") {
                entries[line[..<equals].trimmed.lowercased()] = String(line[line.index(after: equals)...].trimmed)
            }
        }
    }
}

extension StringProtocol {
    fileprivate var trimmed: SubSequence {
        let start = firstIndex { !$0.isWhitespace } ?? endIndex
        let end = lastIndex { !$0.isWhitespace }.map { index(after: $0) } ?? start
        return self[start..<end]
    }
}
