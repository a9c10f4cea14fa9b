/// The control words of RTF that matter to its text. All others are formatting, and are ignored.
enum RTFWord {
    case character(Unicode.Scalar)
    case paragraph
    /// The end of a page or a column; it also ends a line that has begun.
    case pageEnd
    case unicode, unicodeSkip, binary
    case characterSet(CodePage), ansiCodePage, defaultFont, font, fontCharset, fontCodePage, plain
    case hidden, deleted
    case fontTable, footnote, attachment
    /// The word's group is not text, and is skipped.
    case skipped
    /// The same text twice: in the form for old readers, and then, behind `\ud`, in Unicode.
    case twice, inUnicode
    /// The word is known behind `\*`, and its group is read like the text around it.
    case transparent

    /// Up to 16 letters in one number; no longer word matters.
    typealias Key = UInt128

    static func key(_ word: String) -> Key { word.utf8.reduce(0) { $0 << 8 | Key($1) } }

    static let table: [Key: RTFWord] = {
        let words: [(String, RTFWord)] =
            [
                ("tab", .character("\t")), ("cell", .character("\t")), ("nestcell", .character("\t")),
                ("emdash", .character("—")), ("endash", .character("–")), ("bullet", .character("•")),
                ("lquote", .character("‘")), ("rquote", .character("’")), ("ldblquote", .character("“")),
                ("rdblquote", .character("”")), ("emspace", .character("\u{2003}")),
                ("enspace", .character("\u{2002}")), ("qmspace", .character("\u{2005}")),
                ("zwj", .character("\u{200d}")), ("zwnj", .character("\u{200c}")),
                ("par", .paragraph), ("line", .paragraph), ("row", .paragraph), ("nestrow", .paragraph),
                ("page", .pageEnd), ("column", .pageEnd), ("sect", .pageEnd),
                ("u", .unicode), ("uc", .unicodeSkip), ("bin", .binary),
                ("ansi", .characterSet(.windows1252)), ("mac", .characterSet(.macRoman)),
                ("pc", .characterSet(.dos437)), ("pca", .characterSet(.dos850)), ("ansicpg", .ansiCodePage),
                ("deff", .defaultFont), ("f", .font), ("fcharset", .fontCharset), ("cpg", .fontCodePage),
                ("plain", .plain), ("v", .hidden), ("deleted", .deleted), ("fonttbl", .fontTable),
                ("footnote", .footnote), ("NeXTGraphic", .attachment), ("upr", .twice), ("ud", .inUnicode),
                ("shpinst", .transparent), ("nesttableprops", .transparent),
            ] + skippedGroups.map { ($0, .skipped) }
        return Dictionary(uniqueKeysWithValues: words.map { (key($0.0), $0.1) })
    }()

    private static let skippedGroups = [
        "colortbl", "stylesheet", "info", "pict", "nonshppict", "object", "filetbl", "revtbl", "private", "template",
        "header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf", "ftnsep", "ftnsepc",
        "ftncn", "aftnsep", "aftnsepc", "aftncn", "fldinst", "listtext", "pntext", "nonesttables", "xe", "tc", "rxe",
        "sp", "shprslt", "do", "atnid", "atnauthor", "annotation", "xmlnstbl", "userprops", "listtable",
        "rsidtbl", "generator", "comment",
    ]
}
