import CueBase

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A system call that failed.
public struct SystemError: Error, Sendable, Hashable, Codable {
    /// The `errno` of the call.
    public let code: Int32
    /// The name of the call.
    public let call: String
    /// The name or path that the call was given, escaped for display; empty if the caller knows it.
    public let subject: String

    /// An error of these parts.
    public init(code: Int32, call: String, subject: String = "") {
        (self.code, self.call, self.subject) = (code, call, subject)
    }

    static func last(_ call: String, _ subject: [UInt8] = []) -> SystemError {
        SystemError(code: errno, call: call, subject: Display.text(subject))
    }

    /// Nothing of the expected kind is there any more.
    public static var notThere: SystemError { SystemError(code: ENOENT, call: "open") }

    /// Every name that was tried is that of something else.
    public static var namesTaken: SystemError { SystemError(code: EEXIST, call: "rename") }

    /// Another program wrote to the file during the work on it.
    public static var changedMeanwhile: SystemError { SystemError(code: EBUSY, call: "changed meanwhile") }

    /// A path that is longer than a vault keeps.
    public static var tooLong: SystemError { SystemError(code: ENAMETOOLONG, call: "open") }

    /// The name, or a folder on the way to it, does not exist.
    public var isNotFound: Bool { code == ENOENT || code == ENOTDIR }
    /// The name is taken, or the folder is not empty.
    public var isAlreadyThere: Bool { code == EEXIST || code == ENOTEMPTY }
    /// The user may not do it.
    public var isNoPermission: Bool { code == EACCES || code == EPERM }
    /// The file system is mounted read-only.
    public var isReadOnly: Bool { code == EROFS }
    /// The disk or the quota is full, or the file would be too large.
    public var isNoSpace: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }
    /// The file system does not support the call.
    public var isInvalid: Bool { code == EINVAL || code == ENOSYS || code == ENOTSUP }
    /// A symlink is in the way.
    public var isLink: Bool { code == ELOOP }
    /// A component of the path is not a folder.
    public var isNotFolder: Bool { code == ENOTDIR }

    /// The system's words for the code, in lower case as our messages are: "no space left on device".
    public var systemText: String {
        guard let text = unsafe strerror(code) else { return "error \(code)" }
        let sentence = unsafe String(cString: text)
        return sentence.prefix(1).lowercased() + sentence.dropFirst()
    }
}

/// Repeats a call for as long as a signal interrupts it.
func retrying<Result: FixedWidthInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}
