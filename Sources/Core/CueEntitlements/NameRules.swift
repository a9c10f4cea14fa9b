enum NameRules {
    /// 1 to 64 characters of `a` to `z`, `0` to `9`, `.` and `-`.
    static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2e || byte == 0x2d
            }
    }
}
