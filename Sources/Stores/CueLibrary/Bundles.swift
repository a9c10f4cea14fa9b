/// Which folders are one document to a writer.
package struct BundleRules: Sendable {
    private static let usual = [".rtfd", ".scriv", ".pages", ".key", ".numbers", ".textbundle", ".ulysses"]

    private let endings: [[UInt8]]

    package init(adding more: [String] = []) {
        endings = (Self.usual + more).map { Array($0.lowercased().utf8) }
    }

    /// Whether a folder of this name is a bundle; upper and lower case are the same, as they are to the programs that write them.
    package func isBundle(_ name: [UInt8]) -> Bool {
        let lowered = name.map { (0x41...0x5a).contains($0) ? $0 + 0x20 : $0 }
        return endings.contains { lowered.count > $0.count && lowered.suffix($0.count).elementsEqual($0) }
    }
}
