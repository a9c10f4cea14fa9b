import CueBase
import CueCrypto
import CueSodium
import CueTestSupport
import Testing

/// The worked example of docs/format.md §3.
@Suite("The example of the format")
struct FormatExampleTests {
    private let key = VaultKey(SecretBytes(copying: Array(0..<32).span), vault: Sample.vault)

    @Test("The context of a log object is the one in docs/format.md")
    func context() {
        let name = "log/22222222222222222222222222222222/0000000001-3333333333333333"

        let context = SealContext(vault: Sample.vault, kind: .commit, name: Array(name.utf8))

        #expect(
            hexadecimal(context.bytes) == """
                6375652f3100111111111111111111111111111111110340\
                6c6f672f32323232323232323232323232323232323232323232323232323232323232322f\
                303030303030303030312d33333333333333333333333333333333
                """)
    }

    @Test("The subkeys of an epoch's key and its id are the ones in docs/format.md")
    func subkeys() {
        #expect(
            key.first.packs.withBytes { hexadecimal($0.array) }
                == "ef4cb28fc25c0df51618a04165d2383cdf0f53d3ba50ee9a4d0083c61b64f1f6")
        #expect(
            key.first.records.withBytes { hexadecimal($0.array) }
                == "86cebff9d50b12f70d58e14617a7af37441a46db775db34cb3009c0892decd5e")
        #expect(
            key.chunkIDs.withBytes { hexadecimal($0.array) }
                == "131309dfd9d0487afb9e37c89d05dbf86d296a96cef3f70ee1f5a3b259be595b")
        #expect(
            key.first.epochs.withBytes { hexadecimal($0.array) }
                == "c2c2d11347c44c7b53728b4925c88a61e7d2efd19d95f54cd8a3b95578645164")
        #expect(
            key.projectUUIDs.withBytes { hexadecimal($0.array) }
                == "1f6ec2179d331bf076d4fbeb6812f6d6af85b290dff6f67f7b519ca877fb34e1")
        #expect(key.first.id.description == "273576a0ce9b0228")
    }

    @Test("The gear table is made from its own subkey, and has 256 words that differ")
    func gear() {
        let subkey = SecretBytes(
            copying: hexadecimal("50a0d9c84fba303f3230bd9702aefaf75de6c30adae41988720e1fcc905bf55e").span)

        let first = HKDF.expand(subkey, info: Array("gear".utf8), count: 8).withBytes { $0.array }

        #expect(key.gear.first?.hexadecimal == hexadecimal(first))
        #expect(Set(key.gear).count == 256)
    }
}
