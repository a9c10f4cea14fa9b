import CueBase
import CueEngine
import CueTerminal

/// What a progress line says.
enum ProgressWords {
    static let opening = "opening the vault …"

    static func verb(_ phase: WorkProgress.Phase) -> String {
        switch phase {
        case .storing: "backing up"
        case .restoring: "restoring"
        case .checking: "checking"
        case .reading: "reading old versions"
        case .copying: "copying"
        }
    }

    /// What stands behind the bar, the most important first. `speed`: bytes a second, or files where their sizes are
    /// unknown; nil as long as it is unknown.
    static func parts(_ progress: WorkProgress, speed: Double?) -> [String] {
        let hasBytes = progress.totalBytes > 0
        var parts: [String] = []
        if hasBytes {
            parts.append("\(Style.bytes(progress.bytes)) of \(Style.bytes(progress.totalBytes))")
        } else {
            parts.append(
                "\(Style.number(progress.files)) of \(Style.count(progress.totalFiles, noun(progress.phase)))")
        }
        if let speed {
            let left =
                hasBytes
                ? Double(progress.totalBytes - progress.bytes) : Double(progress.totalFiles - progress.files)
            // Workers may be ahead of what was counted.
            if left > 0 { parts.append("\(Style.seconds((left / speed).rounded(.up))) left") }
            if hasBytes { parts.append("\(Style.bytes(Int64(speed)))/s") }
        }
        if hasBytes, progress.totalFiles > 1 {
            parts.append(
                "\(Style.number(progress.files)) of \(Style.count(progress.totalFiles, noun(progress.phase)))")
        }
        if let path = progress.path { parts.append(Display.text(path.name)) }
        return parts
    }

    private static func noun(_ phase: WorkProgress.Phase) -> String {
        switch phase {
        case .checking: "pack"
        case .reading: "version"
        case .storing, .restoring: "file"
        case .copying: "object"
        }
    }
}
