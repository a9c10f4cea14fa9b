extension Folder {
    /// Reads a small file whole; nil if it does not exist. Throws `EFBIG` if it has more than `limit` bytes.
    package func contents(of name: [UInt8], upTo limit: Int) throws(SystemError) -> [UInt8]? {
        let file: File
        do {
            file = try self.file(name)
        } catch {
            if error.isNotFound { return nil }
            throw error
        }
        return try file.contents(upTo: limit)
    }

    /// The same for a name as text.
    package func contents(of name: String, upTo limit: Int) throws(SystemError) -> [UInt8]? {
        try contents(of: Array(name.utf8), upTo: limit)
    }

    /// Replaces a small file in one step, durably: after a crash, either the old or the new content is there.
    package func replace(_ name: String, with bytes: [UInt8], mode: UInt16 = 0o600) throws(SystemError) {
        let new = Array((name + ".new").utf8)
        do { try remove(new) } catch { guard error.isNotFound else { throw error } }
        let file = try create(new, mode: mode)
        try file.write(bytes.span)
        try file.synchronize()
        try rename(new, to: self, Array(name.utf8))
        try synchronize()
    }
}
