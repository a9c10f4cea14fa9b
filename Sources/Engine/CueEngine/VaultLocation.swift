import CueBase
package import CueStorage
package import CueSystem

/// Where a vault is: what a person gives to `--vault`.
package struct VaultLocation: Sendable, CustomStringConvertible {
    package let path: FilePathBytes

    /// Reads `WHERE`; relative paths are made absolute so that they mean the same from every folder.
    package init(_ text: String) throws {
        if let scheme = ["s3://", "https://", "http://"].first(where: text.hasPrefix) {
            throw EngineError.remoteNotSupported(scheme)
        }
        path = FilePathBytes(ArgumentBytes.bytes(text)).resolvedAsFarAsThere()
    }

    package var description: String { path.description }

    /// How it is written into the marker and read again.
    package var stored: String { Display.text(path.bytes) }

    package init(stored: String) throws { try self.init(ArgumentBytes.text(Display.bytes(stored))) }

    /// Opens the folder; it must be there.
    package func open(writerName: String) throws(StorageError) -> DirectoryStore {
        try DirectoryStore(at: path, writerName: writerName)
    }
}

/// Arguments of the command line as bytes: what is not UTF-8 travels in private-use characters (U+EF80…U+EFFF) and back.
package enum ArgumentBytes {
    package static func text(_ bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self), !text.unicodeScalars.contains(where: isCarrier) {
            return text
        }
        var scalars = String.UnicodeScalarView()
        for byte in bytes {
            scalars.append(byte < 0x80 ? Unicode.Scalar(byte) : Unicode.Scalar(UInt16(0xef00) + UInt16(byte)) ?? "?")
        }
        return String(scalars)
    }

    package static func bytes(_ text: String) -> [UInt8] {
        text.unicodeScalars.flatMap { scalar -> [UInt8] in
            isCarrier(scalar) ? [UInt8(truncatingIfNeeded: scalar.value)] : Array(String(scalar).utf8)
        }
    }

    private static func isCarrier(_ scalar: Unicode.Scalar) -> Bool { (0xef80...0xefff).contains(scalar.value) }
}
