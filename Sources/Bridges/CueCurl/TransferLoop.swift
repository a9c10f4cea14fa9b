import CCurl
import CueSystem
import Synchronization

/// Moves all transfers of a client on one thread of its own, over one multi handle of libcurl, which keeps the
/// connections.
@safe final class TransferLoop: Sendable {
    /// After a stop is requested, what is being sent has so many seconds to arrive. Reads end at once.
    private static let grace = 5.0

    private struct State {
        var waiting: [Transfer] = []
        var thread: Thread?
        var isStopping = false
    }

    // Only `curl_multi_wakeup` is called from other threads, as libcurl allows.
    private nonisolated(unsafe) let multi: UnsafeMutableRawPointer
    private let settings: HTTPSettings
    private let cancellation: Cancellation
    private let state = Mutex(State())

    init(_ settings: HTTPSettings, _ cancellation: Cancellation) {
        // Not safe beside other threads in every build of libcurl; a lazy global runs once.
        _ = Self.isPrepared
        guard let multi = unsafe curl_multi_init() else { preconditionFailure("libcurl has no memory") }
        unsafe self.multi = multi
        (self.settings, self.cancellation) = (settings, cancellation)
        unsafe cue_curl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, settings.connections)
        unsafe cue_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, settings.connections)
    }

    private static let isPrepared: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    deinit { unsafe curl_multi_cleanup(multi) }

    /// Moves a transfer and waits for its end.
    func run(_ transfer: Transfer) -> Result<HTTPAnswer, HTTPError> {
        let isAlone = state.withLock { state in
            state.waiting.append(transfer)
            if state.thread == nil {
                let thread = Thread { [self] in move() }
                if thread.isRunning { state.thread = thread } else { return true }
            }
            return false
        }
        if isAlone {
            // The system has no thread to give.
            state.withLock { $0.waiting.removeAll { $0 === transfer } }
            return .failure(.noMemory)
        }
        unsafe curl_multi_wakeup(multi)
        return transfer.wait()
    }

    /// Ends the thread. No transfer may be on its way.
    func stop() {
        let thread = state.withLock { state in
            state.isStopping = true
            defer { state.thread = nil }
            return state.thread
        }
        unsafe curl_multi_wakeup(multi)
        thread?.join()
    }

    // MARK: On the loop's thread

    private func move() {
        var active: [UnsafeMutableRawPointer: Transfer] = unsafe [:]
        while true {
            let (new, isStopping) = state.withLock { state in
                defer { state.waiting = [] }
                return (state.waiting, state.isStopping)
            }
            if isStopping { return }
            for transfer in new {
                unsafe active[transfer.handle] = transfer
                unsafe curl_multi_add_handle(multi, transfer.handle)
            }
            if !new.isEmpty { unsafe share(active.values) }
            var running: Int32 = 0
            unsafe curl_multi_perform(multi, &running)
            let before = unsafe active.count
            unsafe collect(&active)
            if unsafe active.count != before { unsafe share(active.values) }
            if cancellation.isRequested { unsafe giveUp(&active) }
            var count: Int32 = 0
            // A stop wakes no descriptor of libcurl's, so look for one from time to time.
            unsafe curl_multi_poll(multi, nil, 0, active.isEmpty ? Int32.max : 200, &count)
        }
    }

    /// Ends the transfers that libcurl has finished.
    private func collect(_ active: inout [UnsafeMutableRawPointer: Transfer]) {
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(multi, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE, let handle = unsafe message.pointee.easy_handle else {
                continue
            }
            let code = unsafe cue_curl_result(message)
            unsafe curl_multi_remove_handle(multi, handle)
            unsafe active.removeValue(forKey: handle)?.end(code)
        }
    }

    /// After a stop is requested: ends the reads, and the uploads whose time is over.
    private func giveUp(_ active: inout [UnsafeMutableRawPointer: Transfer]) {
        let now = Clock.system.seconds
        for unsafe(handle, transfer) in unsafe active {
            let end = transfer.stopAfter ?? now + (transfer.method.onlyReads ? 0 : Self.grace)
            transfer.stopAfter = end
            guard end <= now else { continue }
            unsafe curl_multi_remove_handle(multi, handle)
            unsafe active.removeValue(forKey: handle)
            transfer.giveUp()
        }
    }

    /// Divides the limits among the transfers that are on their way.
    private func share(_ transfers: some Collection<Transfer>) {
        guard settings.uploadLimit != nil || settings.downloadLimit != nil else { return }
        let readers = transfers.count { $0.method.onlyReads }
        for transfer in transfers {
            if let limit = settings.uploadLimit {
                let part = limit / max(1, transfers.count - readers)
                unsafe cue_curl_set_size(transfer.handle, CURLOPT_MAX_SEND_SPEED_LARGE, curl_off_t(max(1, part)))
            }
            if let limit = settings.downloadLimit {
                let part = limit / max(1, readers)
                unsafe cue_curl_set_size(transfer.handle, CURLOPT_MAX_RECV_SPEED_LARGE, curl_off_t(max(1, part)))
            }
        }
    }
}
