/// The meaning of the bytes from 0x80 in the code pages that RTF and old plain text use.
///
/// The tables are those of unicode.org (`MAPPINGS/VENDORS`); a byte without a meaning is U+FFFD.
enum CodePage: Int, CaseIterable {
    case windows1252
    case dos437
    case dos850
    case windows874
    case windows1250
    case windows1251
    case windows1253
    case windows1254
    case windows1255
    case windows1256
    case windows1257
    case windows1258
    case macRoman
    /// Shift-JIS, GBK, Big5, Korean: two bytes for a character, here U+FFFD. A program that writes them in RTF also
    /// writes the characters as `\uN`.
    case doubleByte

    /// Takes the number that `\ansicpg` and `\cpg` give; nil if it is unknown.
    init?(number: Int) {
        switch number {
        case 437: self = .dos437
        case 850: self = .dos850
        case 874: self = .windows874
        case 932, 936, 949, 950, 1361: self = .doubleByte
        case 1250: self = .windows1250
        case 1251: self = .windows1251
        case 1252: self = .windows1252
        case 1253: self = .windows1253
        case 1254: self = .windows1254
        case 1255: self = .windows1255
        case 1256: self = .windows1256
        case 1257: self = .windows1257
        case 1258: self = .windows1258
        case 10000: self = .macRoman
        default: return nil
        }
    }

    /// Takes the number that `\fcharset` gives; nil if it is unknown.
    init?(charset: Int) {
        switch charset {
        case 0, 2: self = .windows1252
        case 77: self = .macRoman
        case 128, 129, 130, 134, 136: self = .doubleByte
        case 161: self = .windows1253
        case 162: self = .windows1254
        case 163: self = .windows1258
        case 177: self = .windows1255
        case 178: self = .windows1256
        case 186: self = .windows1257
        case 204: self = .windows1251
        case 222: self = .windows874
        case 238: self = .windows1250
        case 254: self = .dos437
        case 255: self = .dos850
        default: return nil
        }
    }

    func scalar(_ byte: UInt8) -> Unicode.Scalar {
        byte < 0x80 ? Unicode.Scalar(byte) : Self.tables[rawValue][Int(byte - 0x80)]
    }

    private static let tables: [[Unicode.Scalar]] = allCases.map { Array($0.upperHalf.unicodeScalars) }

    /// The characters of the bytes 0x80 to 0xff.
    private var upperHalf: String {
        switch self {
        case .dos437:
            """
            ÇüéâäàåçêëèïîìÄÅ\
            ÉæÆôöòûùÿÖÜ¢£¥₧ƒ\
            áíóúñÑªº¿⌐¬½¼¡«»\
            ░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
            └┴┬├─┼╞╟╚╔╩╦╠═╬╧\
            ╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀\
            αßΓπΣσµτΦΘΩδ∞φε∩\
            ≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}
            """
        case .dos850:
            """
            ÇüéâäàåçêëèïîìÄÅ\
            ÉæÆôöòûùÿÖÜø£Ø×ƒ\
            áíóúñÑªº¿®¬½¼¡«»\
            ░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐\
            └┴┬├─┼ãÃ╚╔╩╦╠═╬¤\
            ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀\
            ÓßÔÒõÕµþÞÚÛÙýÝ¯´\
            \u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}
            """
        case .windows874:
            """
            €\u{fffd}\u{fffd}\u{fffd}\u{fffd}…\u{fffd}\u{fffd}\
            \u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\
            \u{fffd}‘’“”•–—\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\
            \u{a0}กขฃคฅฆงจฉชซฌญฎฏ\
            ฐฑฒณดตถทธนบปผฝพฟ\
            ภมยรฤลฦวศษสหฬอฮฯ\
            ะ\u{e31}าำ\u{e34}\u{e35}\u{e36}\u{e37}\u{e38}\u{e39}\u{e3a}\u{fffd}\u{fffd}\u{fffd}\u{fffd}฿\
            เแโใไๅๆ\u{e47}\u{e48}\u{e49}\u{e4a}\u{e4b}\u{e4c}\u{e4d}\u{e4e}๏\
            ๐๑๒๓๔๕๖๗๘๙๚๛\u{fffd}\u{fffd}\u{fffd}\u{fffd}
            """
        case .windows1250:
            """
            €\u{fffd}‚\u{fffd}„…†‡\u{fffd}‰Š‹ŚŤŽŹ\
            \u{fffd}‘’“”•–—\u{fffd}™š›śťžź\
            \u{a0}ˇ˘Ł¤Ą¦§¨©Ş«¬\u{ad}®Ż\
            °±˛ł´µ¶·¸ąş»Ľ˝ľż\
            ŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎ\
            ĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢß\
            ŕáâăäĺćçčéęëěíîď\
            đńňóôőö÷řůúűüýţ˙
            """
        case .windows1251:
            """
            ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏ\
            ђ‘’“”•–—\u{fffd}™љ›њќћџ\
            \u{a0}ЎўЈ¤Ґ¦§Ё©Є«¬\u{ad}®Ї\
            °±Ііґµ¶·ё№є»јЅѕї\
            АБВГДЕЖЗИЙКЛМНОП\
            РСТУФХЦЧШЩЪЫЬЭЮЯ\
            абвгдежзийклмноп\
            рстуфхцчшщъыьэюя
            """
        case .windows1252:
            """
            €\u{fffd}‚ƒ„…†‡ˆ‰Š‹Œ\u{fffd}Ž\u{fffd}\
            \u{fffd}‘’“”•–—˜™š›œ\u{fffd}žŸ\
            \u{a0}¡¢£¤¥¦§¨©ª«¬\u{ad}®¯\
            °±²³´µ¶·¸¹º»¼½¾¿\
            ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏ\
            ÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß\
            àáâãäåæçèéêëìíîï\
            ðñòóôõö÷øùúûüýþÿ
            """
        case .windows1253:
            """
            €\u{fffd}‚ƒ„…†‡\u{fffd}‰\u{fffd}‹\u{fffd}\u{fffd}\u{fffd}\u{fffd}\
            \u{fffd}‘’“”•–—\u{fffd}™\u{fffd}›\u{fffd}\u{fffd}\u{fffd}\u{fffd}\
            \u{a0}΅Ά£¤¥¦§¨©\u{fffd}«¬\u{ad}®―\
            °±²³΄µ¶·ΈΉΊ»Ό½ΎΏ\
            ΐΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟ\
            ΠΡ\u{fffd}ΣΤΥΦΧΨΩΪΫάέήί\
            ΰαβγδεζηθικλμνξο\
            πρςστυφχψωϊϋόύώ\u{fffd}
            """
        case .windows1254:
            """
            €\u{fffd}‚ƒ„…†‡ˆ‰Š‹Œ\u{fffd}\u{fffd}\u{fffd}\
            \u{fffd}‘’“”•–—˜™š›œ\u{fffd}\u{fffd}Ÿ\
            \u{a0}¡¢£¤¥¦§¨©ª«¬\u{ad}®¯\
            °±²³´µ¶·¸¹º»¼½¾¿\
            ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏ\
            ĞÑÒÓÔÕÖ×ØÙÚÛÜİŞß\
            àáâãäåæçèéêëìíîï\
            ğñòóôõö÷øùúûüışÿ
            """
        case .windows1255:
            """
            €\u{fffd}‚ƒ„…†‡ˆ‰\u{fffd}‹\u{fffd}\u{fffd}\u{fffd}\u{fffd}\
            \u{fffd}‘’“”•–—˜™\u{fffd}›\u{fffd}\u{fffd}\u{fffd}\u{fffd}\
            \u{a0}¡¢£₪¥¦§¨©×«¬\u{ad}®¯\
            °±²³´µ¶·¸¹÷»¼½¾¿\
            \u{5b0}\u{5b1}\u{5b2}\u{5b3}\u{5b4}\u{5b5}\u{5b6}\u{5b7}\
            \u{5b8}\u{5b9}\u{fffd}\u{5bb}\u{5bc}\u{5bd}\u{5be}\u{5bf}\
            \u{5c0}\u{5c1}\u{5c2}\u{5c3}\u{5f0}\u{5f1}\u{5f2}\u{5f3}\
            \u{5f4}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\
            \u{5d0}\u{5d1}\u{5d2}\u{5d3}\u{5d4}\u{5d5}\u{5d6}\u{5d7}\
            \u{5d8}\u{5d9}\u{5da}\u{5db}\u{5dc}\u{5dd}\u{5de}\u{5df}\
            \u{5e0}\u{5e1}\u{5e2}\u{5e3}\u{5e4}\u{5e5}\u{5e6}\u{5e7}\
            \u{5e8}\u{5e9}\u{5ea}\u{fffd}\u{fffd}\u{200e}\u{200f}\u{fffd}
            """
        case .windows1256:
            """
            €\u{67e}‚ƒ„…†‡ˆ‰\u{679}‹Œ\u{686}\u{698}\u{688}\
            \u{6af}‘’“”•–—\u{6a9}™\u{691}›œ\u{200c}\u{200d}\u{6ba}\
            \u{a0}،¢£¤¥¦§¨©\u{6be}«¬\u{ad}®¯\
            °±²³´µ¶·¸¹\u{61b}»¼½¾\u{61f}\
            \u{6c1}\u{621}\u{622}\u{623}\u{624}\u{625}\u{626}\u{627}\
            \u{628}\u{629}\u{62a}\u{62b}\u{62c}\u{62d}\u{62e}\u{62f}\
            \u{630}\u{631}\u{632}\u{633}\u{634}\u{635}\u{636}×\
            \u{637}\u{638}\u{639}\u{63a}\u{640}\u{641}\u{642}\u{643}\
            à\u{644}â\u{645}\u{646}\u{647}\u{648}çèéêë\u{649}\u{64a}îï\
            \u{64b}\u{64c}\u{64d}\u{64e}ô\u{64f}\u{650}÷\u{651}ù\u{652}ûü\u{200e}\u{200f}\u{6d2}
            """
        case .windows1257:
            """
            €\u{fffd}‚\u{fffd}„…†‡\u{fffd}‰\u{fffd}‹\u{fffd}¨ˇ¸\
            \u{fffd}‘’“”•–—\u{fffd}™\u{fffd}›\u{fffd}¯˛\u{fffd}\
            \u{a0}\u{fffd}¢£¤\u{fffd}¦§Ø©Ŗ«¬\u{ad}®Æ\
            °±²³´µ¶·ø¹ŗ»¼½¾æ\
            ĄĮĀĆÄÅĘĒČÉŹĖĢĶĪĻ\
            ŠŃŅÓŌÕÖ×ŲŁŚŪÜŻŽß\
            ąįāćäåęēčéźėģķīļ\
            šńņóōõö÷ųłśūüżž˙
            """
        case .windows1258:
            """
            €\u{fffd}‚ƒ„…†‡ˆ‰\u{fffd}‹Œ\u{fffd}\u{fffd}\u{fffd}\
            \u{fffd}‘’“”•–—˜™\u{fffd}›œ\u{fffd}\u{fffd}Ÿ\
            \u{a0}¡¢£¤¥¦§¨©ª«¬\u{ad}®¯\
            °±²³´µ¶·¸¹º»¼½¾¿\
            ÀÁÂĂÄÅÆÇÈÉÊË\u{300}ÍÎÏ\
            ĐÑ\u{309}ÓÔƠÖ×ØÙÚÛÜƯ\u{303}ß\
            àáâăäåæçèéêë\u{301}íîï\
            đñ\u{323}óôơö÷øùúûüư₫ÿ
            """
        case .macRoman:
            """
            ÄÅÇÉÑÖÜáàâäãåçéè\
            êëíìîïñóòôöõúùûü\
            †°¢£§•¶ß®©™´¨≠ÆØ\
            ∞±≤≥¥µ∂∑∏π∫ªºΩæø\
            ¿¡¬√ƒ≈∆«»…\u{a0}ÀÃÕŒœ\
            –—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ\
            ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\
            \u{f8ff}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ
            """
        case .doubleByte: String(repeating: "\u{fffd}", count: 128)
        }
    }
}
