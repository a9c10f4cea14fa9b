import CueStorage
import CueTerminal

extension ServiceFault {
    /// The words for what a service refuses. `vault`: where the vault is.
    func words(_ vault: String) -> CueError {
        switch self {
        case .away(let absence, let server):
            CueError(
                .unreachable, "the vault at \(vault) cannot be reached: \(absence.words(server))", absence.hint)
        case .unknownKey:
            CueError(
                .failed, "the service of \(vault) does not know this access key",
                "is it the key of this service and account? `cue doctor --vault WHERE` tries it again")
        case .wrongSecret:
            CueError(
                .failed, "the secret does not belong to the access key, says the service of \(vault)",
                "copy both halves of the key again; no space may be lost or added")
        case .expiredKey:
            CueError(
                .failed, "the key for \(vault) was for a limited time, which is over",
                "get a new one, or take one without a limit: backups go on for years")
        case .wrongRegion(let region):
            CueError(
                .failed, "the bucket of \(vault) is in another region\(region.map { ": \($0)" } ?? "")",
                "add it to the address: ?region=\(region ?? "REGION")")
        case .noBucket(let name):
            CueError(
                .failed, "there is no bucket \(name) at this service",
                "make it there first, best with versioning or object lock; cue makes no buckets")
        case .noLock(let name):
            CueError(
                .failed,
                "the bucket \(name) has no object lock, which the address of \(vault) asks for; nothing was locked",
                "turn object lock on for the bucket, best when it is made (docs/append-only.md); or leave --object-lock, and lock= in the address, out"
            )
        case .denied(let action, let what):
            CueError(.failed, "this key may not \(action.words) \(what) in \(vault)", action.hint)
        case .wrongClock(let seconds):
            CueError(
                .failed,
                "the clock of this device is \(Self.off(seconds)), and the service of \(vault) takes no request so",
                "set the clock, best by the network, then run the command again")
        case .untrusted(let server, let reason):
            CueError(
                .failed, "\(server) cannot prove who it is (\(reason)); nothing was sent to it",
                "a network that wants a log-in first can be the reason. A server with a certificate of its own: name the file of its authority in AWS_CA_BUNDLE"
            )
        case .redirected(let host):
            CueError(
                .failed, "the service of \(vault) sends to another server, \(host), which was not given the key",
                "if that is the right one, name it: ?endpoint=https://\(host), or the right ?region=")
        case .notTheService(let what):
            CueError(
                .unreachable, "what answers at \(vault) does not speak S3 (\(what))",
                "is the address right? A network that wants a log-in first answers like that too; nothing counts as stored"
            )
        case .noRanges:
            CueError(.failed, "the service of \(vault) does not read parts of objects, which a vault needs")
        case .endlessAnswer(let what):
            CueError(
                .damaged, "\(what): the service of \(vault) sends more than there can be",
                "`cue check` says whether the vault is whole; documents on this device are not touched")
        case .refused(let status, let code, let what):
            CueError(
                .failed,
                "the service of \(vault) refuses \(what): \([code, "status \(status)"].filter { !$0.isEmpty }.joined(separator: ", "))",
                "`cue doctor --vault WHERE` tries out what it can do")
        }
    }

    private static func off(_ seconds: Int?) -> String {
        guard let seconds, seconds != 0 else { return "wrong" }
        return "\(Style.seconds(Double(abs(seconds)))) \(seconds > 0 ? "ahead" : "behind")"
    }
}

extension ServiceFault.Absence {
    fileprivate func words(_ server: String) -> String {
        switch self {
        case .unknownHost: "no server \(server) is known"
        case .noConnection: "nothing answers at \(server)"
        case .noTLS: "what answers at \(server) does not speak TLS"
        }
    }

    fileprivate var hint: String {
        switch self {
        case .unknownHost, .noConnection:
            "is there a network, and is the address right? What is saved in the folder is safe there"
        case .noTLS: "is the port right? For a service without TLS: ?endpoint=http://HOST"
        }
    }
}

extension ServiceFault.Action {
    /// Completing "this key may not …".
    fileprivate var words: String {
        switch self {
        case .read: "read"
        case .write: "write"
        case .list: "list what is under"
        case .delete: "delete"
        case .lock: "store and lock"
        }
    }

    fileprivate var hint: String {
        switch self {
        case .read: "it needs s3:GetObject for what is below the prefix"
        case .write:
            "it needs s3:PutObject for what is below the prefix; to look and to restore, a key that only reads is enough"
        case .lock:
            "it needs s3:PutObject and s3:PutObjectRetention for what is below the prefix; without lock= in the address s3:PutObject is enough"
        case .list: "it needs s3:ListBucket for the bucket"
        case .delete:
            "cue deletes key slots alone, when a passphrase is taken away; where that shall be possible, the key needs s3:DeleteObject below the prefix/keys"
        }
    }
}
