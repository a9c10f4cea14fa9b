extension FilePathBytes {
    /// As `makeFolders`; returns after the names of the new folders are durable.
    package func makeFoldersDurably(mode: UInt16 = 0o700) throws(SystemError) {
        if try info() != nil { return }
        let up = parent
        if up != self { try up.makeFoldersDurably(mode: mode) }
        try makeFolders(mode: mode)
        // A folder may be writable and not listable. Then it cannot be opened, and its names cannot be made durable.
        if let above = try? Folder.open(up) { try above.synchronize() }
    }
}
