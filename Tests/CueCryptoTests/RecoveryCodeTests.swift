import CueBase
import CueCrypto
import CueSodium
import CueTestSupport
import Testing

@Suite("Recovery codes")
struct RecoveryCodeTests {
    private func secret(_ text: String) -> SecretBytes? { RecoveryCode(Array(text.utf8))?.secret }

    @Test("A code is read back from its text")
    func roundTrip() throws {
        for _ in 0..<200 {
            let code = RecoveryCode.random()
            #expect(code.text.utf8.count == 36 + 8)
            #expect(code.text.split(separator: "-").map(\.count) == [Int](repeating: 4, count: 9))
            #expect(secret(code.text) == code.secret, "\(code.text)")
        }
    }

    @Test("A code is spelled as docs/format.md says")
    func spelling() throws {
        // 20 zero bytes: 32 times 0, then the first 20 bits of their BLAKE2b-256.
        let check = BLAKE2b.hash([UInt8](repeating: 0, count: 20))
        let bits = UInt32(check[0]) << 12 | UInt32(check[1]) << 4 | UInt32(check[2]) >> 4
        let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        let end = [15, 10, 5, 0].map { String(alphabet[Int(bits >> UInt32($0) & 31)]) }.joined()
        let text = String(repeating: "0000-", count: 8) + end

        let code = try #require(RecoveryCode(Array(text.utf8)))

        #expect(code.secret == SecretBytes(copying: [UInt8](repeating: 0, count: 20).span))
        #expect(code.text == text)
    }

    @Test("Case, spaces and hyphens do not matter, and O reads as 0, I and L as 1")
    func leniency() {
        for _ in 0..<200 {
            let code = RecoveryCode.random()
            let bare = code.text.filter { $0 != "-" }
            let spellings = [
                bare, bare.lowercased(), code.text.replacing("-", with: " "), "  \(bare) ", "-\(code.text)-",
                code.text.replacing("0", with: "O"), code.text.replacing("0", with: "o"),
                code.text.replacing("1", with: "I"), code.text.replacing("1", with: "l"),
                bare.map { "\($0) " }.joined(),
            ]
            for spelling in spellings { #expect(secret(spelling) == code.secret, "\(spelling)") }
        }
    }

    @Test("One changed character is found, wherever it is")
    func slips() {
        let code = Array(RecoveryCode.random().text.utf8)
        var accepted: [String] = []

        for at in code.indices where code[at] != UInt8(ascii: "-") {
            for symbol in "0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8 where symbol != code[at] {
                var other = code
                other[at] = symbol
                if RecoveryCode(other) != nil { accepted.append(String(decoding: other, as: UTF8.self)) }
            }
        }

        // A check of 20 bits lets one slip in a million through; these are a thousand.
        #expect(accepted.count <= 1, "\(accepted)")
    }

    @Test("A character that is no digit of the code is refused", arguments: Array("Uu!.,_\t\n\0é*"))
    func otherCharacters(_ character: Character) {
        let text = RecoveryCode.random().text

        #expect(secret(String(character) + text.dropFirst()) == nil)
        #expect(secret(text + String(character)) == nil)
    }

    @Test("A code that is too short or too long is refused")
    func lengths() {
        let text = RecoveryCode.random().text

        #expect(secret("") == nil)
        #expect(secret(String(text.dropLast())) == nil)
        #expect(secret(text + "0") == nil)
    }

    @Test("What a person types is a code if it spells one, else a passphrase")
    func secrets() {
        let code = RecoveryCode.random()

        #expect(Secret(Array(code.text.lowercased().utf8)).kind == .recoveryCode)
        #expect(Secret(Array(code.text.dropLast().utf8)).kind == .passphrase)
        #expect(Secret(Array("correct horse".utf8)).kind == .passphrase)
    }
}
