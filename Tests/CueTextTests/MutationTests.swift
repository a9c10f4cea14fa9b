import CueBase
import CueTestSupport
import CueText
import Testing

@Suite("Damaged documents")
struct MutationTests {
    @Test("Whatever happens to a document's bytes, it is read or refused, and never gives more than it can hold")
    func mutations() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        for (number, document) in Documents.all.enumerated() {
            for round in 0..<1_500 {
                let bytes = mutated(document.bytes, &random)
                guard let text = try? TextExtraction.text(of: bytes, as: document.format) else { continue }
                let isBounded = text.utf8.count <= 4 * bytes.count + 8 << 20
                let isWhole = text.isEmpty || text.utf8.last == 0x0a
                #expect(isBounded && isWhole, "seed \(seed), document \(number), round \(round)")
            }
        }
    }

    @Test("Whatever happens to a binder, its project is read or refused")
    func binders() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let (members, load) = try Documents.members(of: Project.root + "/fixtures/library/Novel.scriv")
        for _ in 0..<300 {
            _ = try? DocumentText.sections(name: Array("Novel.scriv".utf8), members: members) { path in
                let bytes = try load(path)
                return path.name == Array("Novel.scrivx".utf8) ? mutated(bytes, &random) : bytes
            }
        }
    }

    @Test("XML that is damaged inside a whole archive is read or refused")
    func innerXML() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let body =
            "<w:document><w:p><w:pPr><w:tabs/><w:rPr><w:del/></w:rPr></w:pPr><w:r><w:t>a&#252;</w:t><w:tab/></w:r><w:del><w:t/></w:del></w:p><![CDATA[x]]></w:document>"
        for round in 0..<3_000 {
            var zip = ZipFile()
            let xml = mutated(Array(body.utf8), &random)
            zip.add("word/document.xml", xml)
            zip.add("content.xml", xml)
            for format in [TextFormat.docx, .odt] {
                let text = try? TextExtraction.text(of: zip.finished(), as: format)
                #expect((text ?? "").utf8.count < 4_096, "seed \(seed), round \(round)")
            }
        }
    }

    /// Some bytes changed, taken out, doubled or cut off.
    private func mutated(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...6, using: &random) where !bytes.isEmpty {
            let at = Int.random(in: 0..<bytes.count, using: &random)
            let end = min(bytes.count, at + Int.random(in: 1...40, using: &random))
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes[at] = UInt8.random(in: 0...255, using: &random)
            case 2: bytes[at] = [0x7b, 0x7d, 0x5c, 0x3c, 0x3e, 0x26, 0x00, 0xff].randomElement(using: &random) ?? 0
            case 3: bytes.removeSubrange(at..<end)
            case 4: bytes.insert(contentsOf: bytes[at..<end], at: Int.random(in: 0...bytes.count, using: &random))
            default: bytes.removeLast(Int.random(in: 0...min(20, bytes.count), using: &random))
            }
        }
        return bytes
    }
}
