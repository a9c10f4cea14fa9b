import CueBase

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A system call that failed: which, with what, and on what.
public struct SystemError: Error, Sendable, Equatable {
    public let code: Int32
    public let call: String
    /// What the call was about, escaped for display; empty when the caller knows.
    public let subject: String

    public init(code: Int32, call: String, subject: String = "") {
        (self.code, self.call, self.subject) = (code, call, subject)
    }

    static func last(_ call: String, _ subject: [UInt8] = []) -> SystemError {
        SystemError(code: errno, call: call, subject: Display.text(subject))
    }

    /// Nothing of the expected kind stands there any more.
    public static var notThere: SystemError { SystemError(code: ENOENT, call: "open") }

    /// Somebody else wrote to a file while it was worked on.
    public static var changedMeanwhile: SystemError { SystemError(code: EBUSY, call: "changed meanwhile") }

    /// A path that is longer than a vault keeps.
    public static var tooLong: SystemError { SystemError(code: ENAMETOOLONG, call: "open") }

    public var isNotFound: Bool { code == ENOENT || code == ENOTDIR }
    public var isAlreadyThere: Bool { code == EEXIST || code == ENOTEMPTY }
    public var isNoPermission: Bool { code == EACCES || code == EPERM }
    public var isReadOnly: Bool { code == EROFS }
    public var isNoSpace: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }
    public var isInvalid: Bool { code == EINVAL || code == ENOSYS || code == ENOTSUP }
    public var isLink: Bool { code == ELOOP }
    public var isNotFolder: Bool { code == ENOTDIR }

    /// What the system says of it, in lower case as our messages are: "no space left on device".
    public var reason: String {
        if self == .changedMeanwhile { return "it was changed meanwhile, and stays as it is" }
        guard let text = unsafe strerror(code) else { return "error \(code)" }
        let sentence = unsafe String(cString: text)
        return sentence.prefix(1).lowercased() + sentence.dropFirst()
    }
}

/// Repeats a call that a signal interrupted.
func retrying<Result: FixedWidthInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}
