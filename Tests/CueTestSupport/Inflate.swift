/// Opens the zlib streams (RFC 1950, RFC 1951) in which published vectors are packed.
package enum Inflate {
    package struct Invalid: Error {}

    package static func zlib(_ bytes: [UInt8]) throws -> [UInt8] {
        guard bytes.count >= 6, bytes[0] & 15 == 8, bytes[1] & 0x20 == 0 else { throw Invalid() }
        var stream = Stream(bytes: bytes, position: 2)
        var out: [UInt8] = []
        while !(try stream.block(into: &out)) {}
        stream.align()
        let sum = try (0..<4).reduce(UInt32(0)) { value, _ in value << 8 | UInt32(try stream.bits(8)) }
        guard sum == adler32(out) else { throw Invalid() }
        return out
    }

    private static func adler32(_ bytes: [UInt8]) -> UInt32 {
        var (a, b): (UInt32, UInt32) = (1, 0)
        for start in stride(from: 0, to: bytes.count, by: 5552) {
            // 5,552 is the most that 32 bits take before a division is due (RFC 1950 §9).
            for byte in bytes[start..<min(start + 5552, bytes.count)] {
                a &+= UInt32(byte)
                b &+= a
            }
            (a, b) = (a % 65_521, b % 65_521)
        }
        return b << 16 | a
    }

    private struct Stream {
        let bytes: [UInt8]
        var position: Int
        var buffer = 0
        var available = 0

        mutating func bits(_ count: Int) throws -> Int {
            while available < count {
                guard position < bytes.count else { throw Invalid() }
                buffer |= Int(bytes[position]) << available
                position += 1
                available += 8
            }
            defer {
                buffer >>= count
                available -= count
            }
            return buffer & (1 << count - 1)
        }

        mutating func align() { (buffer, available) = (0, 0) }

        /// Reads one block; true for the last.
        mutating func block(into out: inout [UInt8]) throws -> Bool {
            let isLast = try bits(1) == 1
            switch try bits(2) {
            case 0:
                align()
                let (count, complement) = (try bits(16), try bits(16))
                guard count ^ complement == 0xffff, position + count <= bytes.count else { throw Invalid() }
                out += bytes[position..<position + count]
                position += count
            case 1:
                let lengths = (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 }
                try codes(Code(lengths), Code([Int](repeating: 5, count: 30)), into: &out)
            case 2:
                let (literals, distances) = try tables()
                try codes(literals, distances, into: &out)
            default: throw Invalid()
            }
            return isLast
        }

        private mutating func tables() throws -> (Code, Code) {
            let (literals, distances, count) = (try bits(5) + 257, try bits(5) + 1, try bits(4) + 4)
            let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
            var lengths = [Int](repeating: 0, count: 19)
            for symbol in order.prefix(count) { lengths[symbol] = try bits(3) }
            let code = Code(lengths)
            lengths = []
            while lengths.count < literals + distances {
                switch try symbol(code) {
                case 16:
                    guard let last = lengths.last else { throw Invalid() }
                    lengths += [Int](repeating: last, count: try bits(2) + 3)
                case 17: lengths += [Int](repeating: 0, count: try bits(3) + 3)
                case 18: lengths += [Int](repeating: 0, count: try bits(7) + 11)
                case let length: lengths.append(length)
                }
            }
            guard lengths.count == literals + distances else { throw Invalid() }
            return (Code(Array(lengths[..<literals])), Code(Array(lengths[literals...])))
        }

        private mutating func codes(_ literals: Code, _ distances: Code, into out: inout [UInt8]) throws {
            while true {
                let symbol = try symbol(literals)
                if symbol < 256 {
                    out.append(UInt8(symbol))
                    continue
                }
                if symbol == 256 { return }
                guard symbol < 286 else { throw Invalid() }
                let length = try Self.lengthBase[symbol - 257] + bits(Self.lengthBits[symbol - 257])
                let far = try self.symbol(distances)
                guard far < 30 else { throw Invalid() }
                let extra = max(0, far / 2 - 1)
                let distance = (far < 2 ? far : (2 + far & 1) << extra) + 1 + (try bits(extra))
                guard distance <= out.count else { throw Invalid() }
                for _ in 0..<length { out.append(out[out.count - distance]) }
            }
        }

        private mutating func symbol(_ code: Code) throws -> Int {
            var (value, first, index) = (0, 0, 0)
            for length in 1...15 {
                value |= try bits(1)
                let count = code.counts[length]
                if value - count < first { return code.symbols[index + value - first] }
                index += count
                first = (first + count) << 1
                value <<= 1
            }
            throw Invalid()
        }

        private static let lengthBits = [
            0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
        ]
        private static let lengthBase = [
            3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195,
            227, 258,
        ]
    }

    /// A canonical Huffman code (RFC 1951 §3.2.2).
    private struct Code {
        var counts = [Int](repeating: 0, count: 16)
        var symbols: [Int] = []

        init(_ lengths: [Int]) {
            for length in lengths where length > 0 { counts[length] += 1 }
            for length in 1...15 { symbols += lengths.indices.filter { lengths[$0] == length } }
        }
    }
}
