import CueBase

/// The files that processes of this user have open, on systems that report it (Linux).
package enum OpenFiles {
    /// The open files below a folder, relative to it, each with the name of its process.
    ///
    /// This process's own files are left out; the list is empty on other systems.
    package static func below(_ folder: FilePathBytes) -> [(path: [UInt8], process: String)] {
        #if os(Linux)
            guard let processes = try? Folder.open(FilePathBytes("/proc")) else { return [] }
            let own = Array("\(Environment.processID)".utf8)
            let prefix = folder.bytes + [0x2f]
            var found: [(path: [UInt8], process: String)] = []
            for process in (try? processes.names()) ?? [] where process != own && process.allSatisfy(isDigit) {
                // Processes of other users are closed to this one.
                guard let inner = try? processes.folder(process), let files = try? inner.folder(Array("fd".utf8)),
                    let names = try? files.names()
                else { continue }
                for name in names {
                    guard let target = try? files.target(of: name), target.starts(with: prefix) else { continue }
                    found.append((Array(target.dropFirst(prefix.count)), Self.name(of: inner)))
                }
            }
            return found
        #else
            return []
        #endif
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func name(of process: Folder) -> String {
        // Files of /proc report a size of 0.
        var bytes = [UInt8](repeating: 0, count: 64)
        var span = bytes.mutableSpan
        let count = (try? process.file(Array("comm".utf8)).read(into: &span)) ?? 0
        return Display.text(Array(bytes.prefix(count).prefix { $0 != 0x0a }))
    }
}
