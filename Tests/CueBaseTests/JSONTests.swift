import CueBase
import CueTestSupport
import Testing

@Suite("JSON")
struct JSONTests {
    private func canonical(_ text: String) throws -> String {
        String(decoding: try JSON(parsing: Array(text.utf8)).canonical, as: UTF8.self)
    }

    @Test("Whatever its spelling, a value has one canonical text, with the keys in the order of UTF-16")
    func canonicalText() throws {
        #expect(
            try canonical(#" { "b" : [1, 2.50, -0, true , null], "a":{"z":"","y":[]} } "#)
                == #"{"a":{"y":[],"z":""},"b":[1,2.5,0,true,null]}"#)
        // U+FB33 stands after U+1F600 by UTF-16, and before it by code point (RFC 8785, 3.2.3).
        #expect(
            try canonical(#"{"\ufb33":1,"\ud83d\ude00":2,"\u20ac":3,"\r":4,"1":5}"#)
                == "{\"\\r\":4,\"1\":5,\"\u{20ac}\":3,\"\u{1f600}\":2,\"\u{fb33}\":1}")
    }

    @Test(
        "Numbers are written as ECMAScript writes them",
        arguments: [
            ("5e-324", "5e-324"), ("1.7976931348623157e308", "1.7976931348623157e+308"), ("1e21", "1e+21"),
            ("999999999999999900000.0", "999999999999999900000"), ("1e-6", "0.000001"), ("1e-7", "1e-7"),
            ("9007199254740992.0", "9007199254740992"), ("295147905179352830000.0", "295147905179352830000"),
            ("0.000001234", "0.000001234"), ("123.456", "123.456"), ("-1.5E+3", "-1500"), ("0.0", "0"),
            ("100.0", "100"),
            ("9223372036854775807", "9223372036854775807"), ("18446744073709551616", "18446744073709552000"),
            ("333333333.33333329", "333333333.3333333"), ("4.50", "4.5"), ("2e-3", "0.002"), ("1e23", "1e+23"),
        ])
    func numbers(_ source: String, _ expected: String) throws {
        #expect(try canonical(source) == expected)
    }

    @Test("Strings come back with every escape, and only control characters, quote and backslash are escaped again")
    func strings() throws {
        #expect(
            try canonical(#""\u0041\n\t\/\"\\\u00e9\ud83d\ude00\u0001""#)
                == "\"A\\n\\t/\\\"\\\\\u{e9}\u{1f600}\\u0001\"")
    }

    @Test(
        "What is no JSON, or can be read in two ways, is refused",
        arguments: [
            "", "{", "[1,]", #"{"a":1,}"#, #"{"a":1,"a":2}"#, "01", "1.", ".5", "+1", "1e", "1e999", "nul", "NaN",
            "'a'",
            #""\ud800""#, #""\ud800\u0041""#, #""\udc00""#, #""\x""#, "\"\u{1}\"", "1 2", #"{1:2}"#, "\u{feff}1", "[1}",
            #""abc"#,
            #""\u12g4""#, "-", "[[1]",
        ])
    func badTextIsRefused(_ text: String) {
        #expect(throws: JSONError.self) { try JSON(parsing: Array(text.utf8)) }
    }

    @Test("Bytes that are no UTF-8 are refused, and so is a value of many levels, at any length")
    func hostileTextIsRefused() {
        #expect(throws: JSONError.self) { try JSON(parsing: [0x22, 0xff, 0x22]) }
        #expect(throws: JSONError.self) { try JSON(parsing: Array(String(repeating: "[", count: 1_000_000).utf8)) }
        #expect(throws: JSONError.self) {
            try JSON(
                parsing: Array((String(repeating: #"{"a":"#, count: 73) + "1" + String(repeating: "}", count: 73)).utf8)
            )
        }
    }

    @Test("Two spellings of one letter are two keys, and a key twice is found among many")
    func keysAreBytes() throws {
        let two = try JSON(parsing: Array("{\"\u{e9}\":1,\"e\u{301}\":2}".utf8))
        #expect(two["e\u{301}"]?.integer == 2)

        let many = (0..<100).map { "\"k\($0)\":0" }.joined(separator: ",")
        #expect(try JSON(parsing: Array("{\(many)}".utf8)).members?.count == 100)
        #expect(throws: JSONError.self) { try JSON(parsing: Array("{\(many),\"k50\":1}".utf8)) }
    }

    @Test("Cut anywhere or changed in any byte, a text is read or refused, and never more")
    func mutationsNeverTrap() throws {
        let source = Array(#"{"a":[1,-2.5e3,"x\u00e9\n",{"b":null,"c":true}],"d":""}"#.utf8)
        for length in source.indices { _ = try? JSON(parsing: source[..<length]) }
        for index in source.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = source
                changed[index] = byte
                if let value = try? JSON(parsing: changed) {
                    #expect(try JSON(parsing: value.canonical).canonical == value.canonical)
                }
            }
        }
    }
}
