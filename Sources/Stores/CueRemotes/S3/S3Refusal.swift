import CueCurl
import CueStorage

/// What an answer of S3 that is no success means (Amazon S3 API Reference, "Error responses").
struct S3Refusal {
    /// The object or folder of the request, as errors call it.
    let name: String
    let action: ServiceFault.Action
    let bucket: String
    /// Where the vault is, as errors that heal call it.
    let place: String

    /// `now`: the seconds since 1970 on this device, to compare with the server's.
    func error(_ answer: HTTPAnswer, now: Int) -> StorageError {
        let document = S3Document(answer.body)
        let isOfS3 = document?.root == "Error"
        let code = isOfS3 ? document?.texts["Code"] ?? "" : ""
        // A bucket without object lock, and a service that knows none.
        let noLock = ["InvalidRequest", "NotImplemented", "ObjectLockConfigurationNotFoundError"]
        if action == .lock, noLock.contains(code) || answer.status == 501 { return .service(.noLock(bucket)) }
        switch code {
        case "InvalidAccessKeyId", "InvalidAccessKey", "NotSignedUp", "InvalidClientTokenId":
            return .service(.unknownKey)
        case "SignatureDoesNotMatch": return clock(answer, now, or: .wrongSecret)
        case "ExpiredToken", "TokenRefreshRequired", "InvalidToken", "RequestExpired": return .service(.expiredKey)
        case "RequestTimeTooSkewed": return .service(.wrongClock(skew(answer, now)))
        case "NoSuchBucket", "InvalidBucketName": return .service(.noBucket(bucket))
        case "NoSuchKey", "NoSuchUpload": return .notFound(name)
        case "AuthorizationHeaderMalformed", "PermanentRedirect", "TemporaryRedirect",
            "IllegalLocationConstraintException":
            return .service(.wrongRegion(document?.texts["Region"] ?? answer.headers["x-amz-bucket-region"]))
        case "QuotaExceeded", "XMinioStorageFull", "EntityTooLarge", "ServiceQuotaExceeded": return .noSpace
        case "AccessDenied", "AllAccessDisabled", "AccountProblem", "MethodNotAllowed", "InvalidObjectState",
            "ObjectLocked", "XMinioObjectLocked":
            return .service(.denied(action, name))
        case "SlowDown", "ServiceUnavailable", "InternalError", "RequestTimeout", "Busy", "OperationAborted",
            "ConditionalRequestConflict":
            return busy(answer)
        default: break
        }
        switch answer.status {
        case 404 where isOfS3 || answer.body.isEmpty: return .notFound(name)
        case 404: return .service(.notTheService(S3Refusal.firstLine(answer)))
        case 301, 307, 308: return .service(.wrongRegion(answer.headers["x-amz-bucket-region"]))
        case 400 where answer.headers["x-amz-bucket-region"] != nil:
            return .service(.wrongRegion(answer.headers["x-amz-bucket-region"]))
        case 401, 403, 405: return clock(answer, now, or: .denied(action, name))
        case 412: return .alreadyThere(name)
        case 416: return .shortRead(name)
        case 507: return .noSpace
        case 408, 429, 500...: return busy(answer)
        default:
            return isOfS3 || answer.body.isEmpty
                ? .service(.refused(status: answer.status, code: code, name))
                : .service(.notTheService(S3Refusal.firstLine(answer)))
        }
    }

    private func busy(_ answer: HTTPAnswer) -> StorageError {
        answer.retryAfter.map { .busy(place, seconds: $0) } ?? .unreachable(place)
    }

    /// A signature depends on the time, and services say so in different ways.
    private func clock(_ answer: HTTPAnswer, _ now: Int, or other: ServiceFault) -> StorageError {
        let skew = skew(answer, now)
        return .service((skew.map(abs) ?? 0) > 900 ? .wrongClock(skew) : other)
    }

    /// How far this device is ahead of the server, in seconds.
    private func skew(_ answer: HTTPAnswer, _ now: Int) -> Int? {
        answer.headers["date"].flatMap { HTTPDate.seconds($0) }.map { now - $0 }
    }

    /// What a server that is no S3 says of itself, for an error.
    static func firstLine(_ answer: HTTPAnswer) -> String {
        let type = answer.headers["content-type"].map { ", \($0.prefix(40))" } ?? ""
        return "status \(answer.status)\(type)"
    }
}
