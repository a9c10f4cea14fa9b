import CueRemotes

extension S3SetupError {
    /// The words for a place in S3 that cannot be used. `place`: as it was typed, unless that holds a secret.
    func words(_ place: String) -> CueError {
        switch self {
        case .noBucket:
            CueError(
                .usage, "\(place) names no bucket that can be",
                "an address in S3 looks like s3://bucket/prefix; buckets have 3 to 63 lower-case letters, digits, - and ."
            )
        case .secretInAddress:
            CueError(
                .usage,
                "the address holds a name or a key in front of an @, which would stand in files and lists of commands",
                "put the key into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or into a profile of ~/.aws/credentials, and name that: s3://bucket/prefix?profile=NAME"
            )
        case .unknownOption(let name):
            CueError(
                .usage, "\(place): there is no option \(name)",
                "the options are endpoint, region, profile, style, anonymous and lock, as in s3://bucket/prefix?region=eu-west-1"
            )
        case .badOption(let name, let value):
            CueError(
                .usage, "\(place): \(value.isEmpty ? "nothing" : value) is no value for \(name)", Self.example(name))
        case .badPrefix:
            CueError(
                .usage, "\(place): what stands behind the bucket cannot be part of a key",
                "no part between two slashes may be empty, . or ..")
        case .noCredentials:
            CueError(
                .failed, "there is no key for \(place)",
                "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write both into ~/.aws/credentials; ?anonymous=yes reads a bucket that is open to all"
            )
        case .noProfile(let name):
            CueError(
                .failed, "no profile is called \(name)",
                "~/.aws/config and ~/.aws/credentials were looked at; AWS_PROFILE and ?profile=NAME say which is taken")
        case .foreignCredentials(let profile, let entry):
            CueError(
                .failed, "the profile \(profile) gets its key with \(entry), which only the tools of AWS can do",
                "this hands the key over: eval \"$(aws configure export-credentials --profile \(profile) --format env)\""
            )
        case .halfKey:
            CueError(
                .failed, "one half of the key for \(place) is missing",
                "both are needed: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or aws_access_key_id and aws_secret_access_key in a profile"
            )
        }
    }

    private static func example(_ option: String) -> String {
        switch option {
        case "endpoint": "an endpoint is a scheme and a host, as in ?endpoint=https://s3.example.org:9000"
        case "region": "a region is a word, as in ?region=eu-west-1"
        case "style": "the styles are path (https://host/bucket/…) and virtual (https://bucket.host/…)"
        case "anonymous": "it is ?anonymous=yes or nothing"
        case "lock":
            "a lock is a number of days from \(S3Address.lockRange.lowerBound) to \(S3Address.lockRange.upperBound), as in ?lock=90d"
        default: "an option has a name and a value, as in ?region=eu-west-1"
        }
    }
}
