#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension File {
    /// The whole content of a small file, in bytes. Throws `EFBIG` if there are more than `limit`.
    package borrowing func contents(upTo limit: Int) throws(SystemError) -> [UInt8] {
        let size = Int(try info().size)
        guard size <= limit else { throw SystemError(code: EFBIG, call: "read") }
        var bytes = [UInt8](repeating: 0, count: size)
        var raw = bytes.mutableSpan
        let got = try read(into: &raw)
        return got == size ? bytes : Array(bytes.prefix(got))
    }
}
