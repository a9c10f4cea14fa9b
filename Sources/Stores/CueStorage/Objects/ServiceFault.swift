/// The reasons why a service on the network does not do what is asked of it. Most need a person who changes something.
public enum ServiceFault: Sendable, Hashable, Codable {
    /// What is wrong with a server that is not reached.
    public enum Absence: String, Sendable, Hashable, Codable {
        /// Its name is not known: there is no such host, or no network.
        case unknownHost
        /// No connection came about.
        case noConnection
        /// What answers does not speak TLS.
        case noTLS
    }

    /// What was to be done with an object.
    public enum Action: String, Sendable, Hashable, Codable {
        case read, write, list, delete, lock
    }

    /// The server of this name or address is not reached. It may heal by itself.
    case away(Absence, String)
    /// The service does not know the access key.
    case unknownKey
    /// The secret does not belong to the access key.
    case wrongSecret
    /// The credentials were for a time that is over.
    case expiredKey
    /// The bucket is in another region; its name, if the service says it.
    case wrongRegion(String?)
    /// There is no bucket of this name.
    case noBucket(String)
    /// The bucket of this name has no object lock.
    case noLock(String)
    /// The credentials do not allow this with this object or folder.
    case denied(Action, String)
    /// The clock of this device is wrong by so many seconds, if that is known; positive if it is ahead.
    case wrongClock(Int?)
    /// The certificate of the server does not verify. The second text is the reason of the TLS library.
    case untrusted(String, String)
    /// The server sends to this other host, which must not receive the credentials.
    case redirected(String)
    /// What answers is no service of this kind; with the first line or status of what it says.
    case notTheService(String)
    /// The service does not read parts of objects.
    case noRanges
    /// The answer has more bytes than any that is right.
    case endlessAnswer(String)
    /// Another refusal, with its status and the service's code for it.
    case refused(status: Int, code: String, String)

    /// True if other objects may be read all the same; false if the service says this of every request.
    package var isOfOneObject: Bool {
        switch self {
        case .denied, .endlessAnswer, .refused: true
        case .away, .unknownKey, .wrongSecret, .expiredKey, .wrongRegion, .noBucket, .noLock, .wrongClock, .untrusted,
            .redirected, .notTheService, .noRanges:
            false
        }
    }
}
