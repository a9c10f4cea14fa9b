/// Bytes of published vectors and worked examples.
package func hexadecimal(_ text: String) -> [UInt8] {
    let digits = text.utf8.filter { $0 != 0x20 && $0 != 0x0a }
    precondition(digits.count % 2 == 0, "hexadecimal digits come in pairs")
    return stride(from: 0, to: digits.count, by: 2).map { at in
        guard let byte = UInt8(String(decoding: digits[at...at + 1], as: UTF8.self), radix: 16) else {
            preconditionFailure("not hexadecimal")
        }
        return byte
    }
}

package func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { byte in
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
    }.joined()
}
