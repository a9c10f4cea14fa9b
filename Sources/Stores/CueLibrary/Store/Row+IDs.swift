import CueBase
import CueStorage
import Foundation
import GRDB

/// Ids, positions and paths as columns hold them: an id or a path is a blob of its bytes, and a number of 64 bits is an
/// integer of the same bits.
extension Row {
    /// The id of a device or pack in a column.
    func id16(_ column: Int) throws(FormatError) -> ID16 {
        var reader = ByteReader(Array(self[column] as Data))
        return try reader.id16()
    }

    /// The id of a commit or batch in a column.
    func commitID(_ column: Int) throws(FormatError) -> CommitID {
        var reader = ByteReader(Array(self[column] as Data))
        return try reader.commitID()
    }

    /// The id of a version or project in a column.
    func versionID(_ column: Int) throws(FormatError) -> VersionID {
        var reader = ByteReader(Array(self[column] as Data))
        return try reader.versionID()
    }

    /// The digest in a column; nil for none.
    func digest(_ column: Int) throws(FormatError) -> CommitDigest? {
        guard let bytes = self[column] as Data? else { return nil }
        var reader = ByteReader(Array(bytes))
        return try reader.id32()
    }

    /// The path in a column, as it was written.
    func path(_ column: Int) -> RelativePath { RelativePath(trusted: Array(self[column] as Data)) }

    /// The number in a column.
    func unsigned(_ column: Int) -> UInt64 { UInt64(bitPattern: self[column]) }

    /// The position whose device, generation and commit are the first three columns.
    func position() throws(FormatError) -> LogPosition {
        LogPosition(device: try id16(0), generation: unsigned(1), commit: try commitID(2))
    }
}

extension ID16 {
    /// The id as `Row.id16` reads it.
    var column: Data { .written { $0.id(self) } }
}

extension CommitDigest {
    /// The digest as `Row.digest` reads it.
    var column: Data { .written { $0.id(self) } }
}

extension CommitID {
    /// The id as `Row.commitID` reads it.
    var column: Data { .written { $0.id(self) } }
}

extension VersionID {
    /// The id as `Row.versionID` reads it.
    var column: Data { .written { $0.id(self) } }
}

extension RelativePath {
    /// The path as `Row.path` reads it.
    var column: Data { Data(bytes) }
}

extension UInt64 {
    /// The number as `Row.unsigned` reads it.
    var column: Int64 { Int64(bitPattern: self) }
}

extension LogPosition {
    /// The position as `Row.position` reads it: device, generation and commit.
    var columns: StatementArguments { [device.column, generation.column, commit.column] }
}

extension Data {
    fileprivate static func written(_ body: (inout ByteWriter) -> Void) -> Data {
        var writer = ByteWriter()
        body(&writer)
        return Data(writer.bytes)
    }
}
