/// How an `HTTPClient` talks with servers. Proxies are those of the environment (`https_proxy`, `no_proxy`).
package struct HTTPSettings: Sendable {
    /// The seconds until a connection must stand.
    package var connectSeconds = 15
    /// The seconds within which a transfer must be over; nil for no limit.
    package var totalSeconds: Double?
    /// A transfer that moves fewer than `slowest` bytes a second for so many seconds is given up.
    package var stallSeconds = 60
    package var slowest = 256
    /// Connections to one server at a time.
    package var connections = 8
    /// How often one request is sent at most.
    package var attempts = 5
    /// The same for a server that is never reached: most often the device is offline.
    package var attemptsOffline = 3
    /// The same for a server that stays silent, or next to that: each try takes `stallSeconds`. The second one finds
    /// out whether the network dropped the connection alone.
    package var attemptsSilent = 2
    /// The most redirects of one request that are followed, each on the same server.
    package var redirects = 3
    /// The longest time, in seconds, for which a server may put off a request.
    package var longestWait = 60
    /// Bytes a second of all uploads and all downloads together; nil for no limit.
    package var uploadLimit: Int?
    package var downloadLimit: Int?
    /// A file of certificates that are trusted in place of the system's.
    package var certificates: String?
    /// What the program calls itself (`User-Agent`).
    package var agent = "cue"

    /// `slowest`, or less where a limit that all transfers share leaves each of them less than that.
    var slowestAllowed: Int {
        let least = [uploadLimit, downloadLimit].compactMap(\.self).min()
        return min(slowest, least.map { $0 / (4 * connections) } ?? slowest)
    }

    /// The usual settings.
    package init() {}
}
