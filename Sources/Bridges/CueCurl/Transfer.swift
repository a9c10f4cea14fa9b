import CCurl
import CueSystem

/// One request on its way: an easy handle of libcurl with what it sends and receives.
///
/// The thread that makes it configures it and gives it to a `TransferLoop`. From then on only the loop's thread touches
/// it, until it signals the end.
@safe final class Transfer: @unchecked Sendable {
    /// The bytes of all headers of an answer; real ones have a few hundred.
    private static let headersAtMost = 64 << 10

    let handle: UnsafeMutableRawPointer
    let method: HTTPRequest.Method
    private let request: HTTPRequest
    private let buffer: ReceivingBuffer?
    private let ended = Semaphore()
    private var list: UnsafeMutablePointer<curl_slist>?
    private let reason: UnsafeMutablePointer<CChar>
    /// The bytes of the request's body that were sent.
    private var sent = 0
    private var answer = HTTPAnswer(status: 0, headers: [:], body: [])
    private var headerBytes = 0
    private var isTooLarge = false
    private var error: HTTPError?
    /// When the loop ends the transfer, in seconds of the clock; nil as long as no stop is requested.
    var stopAfter: Double?

    /// Throws `.badAddress` and `.other` if libcurl does not take the request.
    init(_ request: HTTPRequest, _ settings: HTTPSettings, into buffer: ReceivingBuffer?) throws(HTTPError) {
        guard let handle = unsafe curl_easy_init() else { throw .noMemory }
        unsafe self.handle = handle
        (self.request, self.buffer, method) = (request, buffer, request.method)
        unsafe reason = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe reason.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        try configure(settings)
    }

    deinit {
        unsafe curl_easy_cleanup(handle)
        unsafe curl_slist_free_all(list)
        unsafe reason.deallocate()
    }

    // MARK: Options

    private func set(_ option: CURLoption, _ value: Int) throws(HTTPError) {
        try demand(unsafe cue_curl_set_long(handle, option, value))
    }

    private func set(_ option: CURLoption, _ value: String) throws(HTTPError) {
        try demand(unsafe cue_curl_set_text(handle, option, value))
    }

    private func demand(_ code: CURLcode) throws(HTTPError) {
        guard code == CURLE_OK else { throw HTTPError(code, host: host, reason: text(of: code)) }
    }

    private func text(of code: CURLcode) -> String {
        let said = unsafe String(cString: reason)
        return said.isEmpty ? unsafe String(cString: curl_easy_strerror(code)) : said
    }

    private func configure(_ settings: HTTPSettings) throws(HTTPError) {
        // A line break would end the header, and what follows would be another one.
        guard !request.headers.contains(where: { ($0.name + $0.value).utf8.contains { $0 < 0x20 } }) else {
            throw .badAddress(request.label)
        }
        try demand(unsafe cue_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, reason))
        try set(CURLOPT_URL, request.url)
        // Redirects are not followed here: `HTTPClient` decides.
        try set(CURLOPT_PROTOCOLS_STR, "http,https")
        try set(CURLOPT_PATH_AS_IS, 1)
        try set(CURLOPT_NOSIGNAL, 1)
        try set(CURLOPT_USERAGENT, settings.agent)
        try set(CURLOPT_CONNECTTIMEOUT, settings.connectSeconds)
        if let seconds = settings.totalSeconds { try set(CURLOPT_TIMEOUT_MS, max(1, Int(seconds * 1000))) }
        try set(CURLOPT_LOW_SPEED_LIMIT, settings.slowestAllowed)
        try set(CURLOPT_LOW_SPEED_TIME, settings.stallSeconds)
        try set(CURLOPT_TCP_KEEPALIVE, 1)
        try set(CURLOPT_BUFFERSIZE, 256 << 10)
        try set(CURLOPT_UPLOAD_BUFFERSIZE, 256 << 10)
        if let certificates = settings.certificates { try set(CURLOPT_CAINFO, certificates) }
        if let signature = request.signature {
            try set(CURLOPT_AWS_SIGV4, "aws:amz:\(signature.region):\(signature.service)")
            try set(CURLOPT_USERNAME, signature.key)
            try set(CURLOPT_PASSWORD, signature.secret)
        }
        for (name, value) in request.headers {
            // libcurl sends a header without a value only if a semicolon stands behind its name.
            guard let longer = unsafe curl_slist_append(list, value.isEmpty ? "\(name);" : "\(name): \(value)") else {
                throw .noMemory
            }
            unsafe list = longer
        }
        try demand(unsafe cue_curl_set_pointer(handle, CURLOPT_HTTPHEADER, list))
        try setMethod()
        try setCallbacks()
    }

    private func setMethod() throws(HTTPError) {
        switch request.method {
        case .get: try set(CURLOPT_HTTPGET, 1)
        case .head: try set(CURLOPT_NOBODY, 1)
        case .delete: try set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
        case .put:
            try set(CURLOPT_UPLOAD, 1)
            try demand(unsafe cue_curl_set_size(handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(request.body.count)))
        case .post:
            try set(CURLOPT_POST, 1)
            try demand(unsafe cue_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.count)))
            try demand(
                unsafe request.body.withUnsafeBytes { body in
                    // It copies the bytes.
                    unsafe cue_curl_set_pointer(
                        handle, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: body.baseAddress))
                })
        }
    }

    private func setCallbacks() throws(HTTPError) {
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        for option in [CURLOPT_READDATA, CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_SEEKDATA] {
            try demand(unsafe cue_curl_set_pointer(handle, option, me))
        }
        try demand(
            unsafe cue_curl_set_data(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
                unsafe Transfer.from(context)?.receive(bytes, size * count) ?? 0
            })
        try demand(
            unsafe cue_curl_set_data(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
                unsafe Transfer.from(context)?.receiveHeader(bytes, size * count) ?? 0
            })
        guard request.method == .put else { return }
        try demand(
            unsafe cue_curl_set_data(handle, CURLOPT_READFUNCTION) { bytes, size, count, context in
                unsafe Transfer.from(context)?.give(bytes, size * count) ?? 0
            })
        try demand(
            unsafe cue_curl_set_seek(handle) { context, offset, _ in
                unsafe Transfer.from(context)?.rewind(to: Int(offset)) ?? CURL_SEEKFUNC_FAIL
            })
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        unsafe context.map { unsafe Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }

    // MARK: Called by libcurl on the loop's thread

    private func give(_ place: UnsafeMutablePointer<CChar>?, _ room: Int) -> Int {
        guard let place = unsafe place else { return 0 }
        let count = min(room, request.body.count - sent)
        unsafe request.body.withUnsafeBytes { body in
            unsafe UnsafeMutableRawBufferPointer(start: place, count: count)
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: body[sent..<sent + count]))
        }
        sent += count
        return count
    }

    private func rewind(to offset: Int) -> Int32 {
        guard (0...request.body.count).contains(offset) else { return CURL_SEEKFUNC_FAIL }
        sent = offset
        return CURL_SEEKFUNC_OK
    }

    /// Takes bytes of the body. Fewer than it was given end the transfer.
    private func receive(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        guard let bytes = unsafe bytes else { return 0 }
        let piece = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
        if let buffer, buffer.status == status {
            guard unsafe count <= buffer.memory.count - answer.received else { return refuse() }
            unsafe UnsafeMutableRawBufferPointer(rebasing: buffer.memory[answer.received...]).copyMemory(from: piece)
            answer.received += count
        } else {
            guard count <= request.limit - answer.body.count else { return refuse() }
            unsafe answer.body.append(contentsOf: piece)
        }
        return count
    }

    private func receiveHeader(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        headerBytes += count
        guard headerBytes <= Self.headersAtMost, let bytes = unsafe bytes else { return refuse() }
        let line = unsafe String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
        // The head of another answer begins, after an interim one (100) or that of a proxy.
        if line.hasPrefix("HTTP/") { answer.headers = [:] }
        if let colon = line.firstIndex(of: ":") {
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            let end = value.lastIndex { !$0.isWhitespace }.map { value.index(after: $0) } ?? value.startIndex
            answer.headers[line[..<colon].lowercased()] = String(value[..<end])
        }
        return count
    }

    private func refuse() -> Int {
        isTooLarge = true
        return 0
    }

    private var status: Int {
        var status = 0
        _ = unsafe cue_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &status)
        return status
    }

    private var host: String { HTTPAddress(request.url)?.host ?? request.label }

    /// Whether the connection stands, TLS included.
    private var hasConnection: Bool {
        var microseconds: curl_off_t = 0
        return unsafe cue_curl_get_size(handle, CURLINFO_PRETRANSFER_TIME_T, &microseconds) == CURLE_OK
            && microseconds > 0
    }

    // MARK: The end

    /// Notes the result and wakes the thread that waits. Called once, by the loop.
    func end(_ code: CURLcode) {
        if isTooLarge {
            error = .tooLarge
        } else if code == CURLE_OPERATION_TIMEDOUT, !hasConnection {
            error = .noConnection(host)
        } else if code != CURLE_OK {
            error = HTTPError(code, host: host, reason: text(of: code))
        }
        answer.status = status
        var seconds: curl_off_t = 0
        if unsafe cue_curl_get_size(handle, CURLINFO_RETRY_AFTER, &seconds) == CURLE_OK, seconds > 0 {
            answer.retryAfter = Int(min(seconds, 1 << 30))
        }
        ended.signal()
    }

    /// The same for a transfer that was given up.
    func giveUp() {
        error = .interrupted
        ended.signal()
    }

    /// Waits for the end. Called once, by the thread that made it.
    func wait() -> Result<HTTPAnswer, HTTPError> {
        ended.wait()
        return error.map { .failure($0) } ?? .success(answer)
    }

    /// The bytes of the bodies that moved.
    var traffic: (sent: Int, received: Int) {
        (request.method == .post ? request.body.count : sent, answer.received + answer.body.count)
    }
}
