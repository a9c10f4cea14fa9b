/// Tells bundles from folders, by the endings of their names.
package struct BundleRules: Sendable {
    private static let usual = [".rtfd", ".scriv", ".pages", ".key", ".numbers", ".textbundle", ".ulysses"]

    private let endings: [[UInt8]]

    /// The built-in endings and `more`, each with its dot.
    package init(adding more: [String] = []) {
        endings = (Self.usual + more).map { Array($0.lowercased().utf8) }
    }

    /// Whether a folder of this name is a bundle. ASCII case is ignored, as the programs that write bundles ignore it.
    package func isBundle(_ name: [UInt8]) -> Bool {
        let lowered = name.map { (0x41...0x5a).contains($0) ? $0 + 0x20 : $0 }
        return endings.contains { lowered.count > $0.count && lowered.suffix($0.count).elementsEqual($0) }
    }
}
