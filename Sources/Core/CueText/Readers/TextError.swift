/// The reasons why cue cannot read the text of a file.
package enum TextError: Error, Sendable, Equatable, Codable {
    /// The file is larger than `TextLimits.file`.
    case tooLarge
    /// The file would unpack to more than any text has.
    case unpacksTooLarge
    /// The file is protected by a password.
    case protected
    /// The file is protected by a password, or in the format of Word before 2007.
    case protectedOrOld
    /// The file is no document of its kind, or a damaged one.
    case notADocument
    /// The document lacks this part.
    case missing(String)
    /// The archive is damaged.
    case damagedArchive
    /// The XML is damaged.
    case damagedXML
    /// The XML defines entities, which no such document does.
    case hasEntities
    /// The XML is nested or tagged beyond measure.
    case xmlTooComplex
    /// The file is not text.
    case notText
    /// The file is not RTF, whatever its name promises.
    case notRTF
    /// The groups of an RTF file are nested too deeply.
    case groupsTooDeep
}
