#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The standard streams, and the terminal of the process.
package enum Terminal {
    /// The descriptor of standard output.
    package static let output: Int32 = 1
    /// The descriptor of standard error.
    package static let error: Int32 = 2

    /// Writes all of `bytes`; false if the reader of a pipe has gone, and then no output can reach it.
    package static func write(_ bytes: Span<UInt8>, to stream: Int32) throws(SystemError) -> Bool {
        if stream == output { Pager.begin() }
        var done = 0
        while done < bytes.count {
            let put = unsafe bytes.withUnsafeBytes { all in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: all[done...])
                #if canImport(Darwin)
                    return retrying { unsafe Darwin.write(stream, rest.baseAddress, rest.count) }
                #else
                    return retrying { unsafe Glibc.write(stream, rest.baseAddress, rest.count) }
                #endif
            }
            if put < 0 {
                if errno == EPIPE { return stream == output && Pager.isLeft() }
                throw .last("write")
            }
            done += put
        }
        return true
    }

    /// Waits until the output in a file has reached its disk; a terminal and a pipe have nothing to wait for.
    package static func flush(_ stream: Int32) throws(SystemError) {
        guard retrying({ fsync(stream) }) != 0 else { return }
        guard [EINVAL, ENOTSUP, EROFS].contains(errno) else { throw .last("fsync") }
    }

    /// The width of the terminal; 80 if the stream is not one.
    package static func columns(of stream: Int32) -> Int {
        var size = winsize()
        let terminal = Pager.terminal(behind: stream)
        guard unsafe ioctl(terminal, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Whether a person reads what goes to this stream on a terminal, with or without a pager.
    package static func isTerminal(_ stream: Int32) -> Bool { Environment.isTerminal(Pager.terminal(behind: stream)) }

    /// The height of the terminal; 24 if the stream is not one.
    package static func rows(of stream: Int32) -> Int {
        var size = winsize()
        guard unsafe ioctl(Pager.terminal(behind: stream), UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else {
            return 24
        }
        return Int(size.ws_row)
    }

    /// Whether the process has a terminal to ask on.
    package static var isThere: Bool { (try? Folder.open(FilePathBytes("/dev")).openTerminal()) != nil }

    /// Asks on the terminal; nil without a terminal, at the end of the input, or after Ctrl-C.
    package static func ask(_ question: String) -> String? {
        guard let terminal = try? Folder.open(FilePathBytes("/dev")).openTerminal() else { return nil }
        return terminal.ask(question).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The same without echo, in bytes, since a passphrase need not be UTF-8.
    package static func askSecretly(_ question: String) -> [UInt8]? {
        guard let terminal = try? Folder.open(FilePathBytes("/dev")).openTerminal() else { return nil }
        return terminal.askSecretly(question)
    }
}

extension Folder {
    fileprivate func openTerminal() throws(SystemError) -> File { try openOrCreate(Array("tty".utf8)) }
}

extension File {
    fileprivate borrowing func askSecretly(_ question: String) -> [UInt8]? {
        var before = termios()
        guard unsafe tcgetattr(descriptor, &before) == 0 else { return nil }
        var quiet = before
        quiet.c_lflag &= ~tcflag_t(ECHO)
        unsafe tcsetattr(descriptor, TCSAFLUSH, &quiet)
        defer {
            unsafe tcsetattr(descriptor, TCSAFLUSH, &before)
            try? write(Array("\n".utf8).span)
        }
        try? write(Array(question.utf8).span)
        return readLine()
    }

    fileprivate borrowing func ask(_ question: String) -> [UInt8]? {
        // Input that was typed before the question appeared does not answer it.
        tcflush(descriptor, TCIFLUSH)
        try? write(Array(question.utf8).span)
        return readLine()
    }

    private borrowing func isReadable(within milliseconds: Int32) -> Bool {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&wanted, 1, milliseconds) > 0
    }

    private borrowing func readLine() -> [UInt8]? {
        var line: [UInt8] = []
        var byte = [UInt8](repeating: 0, count: 1)
        while !Interruption.isRequested {
            // Poll, as a plain read would sleep through Ctrl-C and leave the terminal without echo.
            guard isReadable(within: 100) else { continue }
            var span = byte.mutableSpan
            guard let count = try? read(into: &span), count == 1 else { return line.isEmpty ? nil : line }
            if byte[0] == 0x0a { return line }
            line.append(byte[0])
        }
        return nil
    }
}
