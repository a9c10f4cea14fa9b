import CueBase
import CueSodium
import Testing

@testable import CueCrypto

@Suite("Passphrases")
struct PassphraseTests {
    @Test("The word list has 7,776 words, each once, of small letters and at most a hyphen")
    func list() {
        let words = WordList.words.map { String(decoding: $0, as: UTF8.self) }

        #expect(words.count == 7776 && Set(words).count == 7776)
        #expect(words.allSatisfy { $0.wholeMatch(of: /[a-z]+(-[a-z]+)?/) != nil && $0.count >= 3 })
    }

    @Test("Six words are drawn from the whole list, each time others")
    func drawing() {
        let drawn = Set((0..<200).map { _ in RandomWords().text })
        let words = drawn.flatMap { $0.split(separator: " ").map(String.init) }

        #expect(drawn.count == 200 && words.count == 1200)
        // 1,200 draws of 7,776 words: about 1,112 different ones, give or take 9.
        #expect((1040...1180).contains(Set(words).count))
        #expect(words.contains { $0 < "b" } && words.contains { $0 > "w" })
        #expect(drawn.allSatisfy { !PassphraseEstimate(of: Array($0.utf8)).isWeak })
    }

    @Test(
        "What people think of first is weak",
        arguments: [
            "a", "abc", "hunter2", "Hunter2!", "password", "P@ssw0rd123", "qwertyuiop", "123456789012", "Maria1987",
            "letmeinletmeinletmein", "aaaaaaaaaaaaaaaaaaaaaaaa", "12.03.1987", "Sonnenschein", "my dog rex",
            "asdfghjkl;",
            "iloveyou iloveyou iloveyou iloveyou", "Liverpool2024!", "abcdefghijklmnopqrstuvwxyz", " ",
        ])
    func weak(passphrase: String) {
        let estimate = PassphraseEstimate(of: Array(passphrase.utf8))
        #expect(estimate.isWeak, "\(estimate.bits)")
    }

    @Test(
        "What holds is not called weak",
        arguments: [
            "correct horse battery staple", "gT7#kq9Lw!2xZp", "x8fj2kq0vnw3bzt7", "Donau Flieder Rucksack Ziegel Nebel",
            "sixteen blue lanterns over the frozen harbour", "kUebel-Laterne-Ostwind-Zwieback",
        ])
    func strong(passphrase: String) {
        let estimate = PassphraseEstimate(of: Array(passphrase.utf8))
        #expect(!estimate.isWeak, "\(estimate.bits)")
    }
}
