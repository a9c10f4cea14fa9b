/// The reasons why a place `s3://…` is not used, found before any request.
package enum S3SetupError: Error, Sendable, Hashable {
    /// The address has no bucket, or one whose name cannot be.
    case noBucket
    /// The address holds a key or a password.
    case secretInAddress
    /// The address has an option of this name, which there is not.
    case unknownOption(String)
    /// The option of this name has a value that cannot be.
    case badOption(String, String)
    /// A part of the path is empty, `.` or `..`, or holds control characters.
    case badPrefix
    /// Neither the environment nor a profile has a key.
    case noCredentials
    /// No file of AWS has this profile.
    case noProfile(String)
    /// The profile gets its key in a way that only the tools of AWS know; with the name of the entry.
    case foreignCredentials(String, String)
    /// The profile, or the environment, has one half of the key only.
    case halfKey
}
