import CueBase

/// Files that processes of this person have open now, where the system tells.
package enum OpenFiles {
    /// The paths below a folder, as the kernel names them, with the name of the process; this process's own are left out.
    package static func below(_ folder: FilePathBytes) -> [(path: [UInt8], process: String)] {
        #if os(Linux)
            guard let processes = try? Folder.open(FilePathBytes("/proc")) else { return [] }
            let own = Array("\(Environment.processID)".utf8)
            let prefix = folder.bytes + [0x2f]
            var found: [(path: [UInt8], process: String)] = []
            for process in (try? processes.names()) ?? [] where process != own && process.allSatisfy(isDigit) {
                // Other people's processes are closed to us.
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
        // Files of /proc say that they are empty.
        var bytes = [UInt8](repeating: 0, count: 64)
        var span = bytes.mutableSpan
        let count = (try? process.file(Array("comm".utf8)).read(into: &span)) ?? 0
        return Display.text(Array(bytes.prefix(count).prefix { $0 != 0x0a }))
    }
}
