import CueBase
import CueEngine
import CueLibrary
import CueSystem
import Foundation

/// The systemd user unit that runs a watcher for one library while its owner is logged in.
struct WatchUnit {
    private let library: FilePathBytes
    private let program: FilePathBytes
    /// The unit's file name. It has the beginning of the library's id.
    let name: String

    private let options: [String]
    private let places: [VaultLocation]

    /// The variables that the service gets as they are now.
    private static let variables = ["CUE_HOME", "XDG_STATE_HOME"]
    /// The same where a place of the vault is in S3. Those with a key are not among them: the file of a unit is no place
    /// for one.
    private static let variablesOfS3 = [
        "AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_CA_BUNDLE",
        "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE",
    ]

    /// `places`: where the vault is. `options`: further arguments of `cue watch`. Throws `CueError` if the program's own
    /// path is unknown.
    init(_ library: FilePathBytes, _ marker: LibraryMarker, places: [VaultLocation], options: [String]) throws {
        (self.library, self.places, self.options) = (library, places, options)
        guard let program = FilePathBytes("/proc/self/exe").resolved() else {
            throw CueError(
                .failed, "where this program is cannot be told",
                "write a unit by hand: `cue watch FOLDER` is what it runs")
        }
        self.program = program
        name = "cue-\(marker.library.description.prefix(8)).service"
    }

    /// The content of the unit's file.
    var text: String {
        var environment = ""
        for variable in Self.variables + (places.contains(where: \.isInS3) ? Self.variablesOfS3 : []) {
            if let value = Environment.bytes(variable) {
                environment += "Environment=\"\(variable)=\(Self.escaped(Display.text(value)))\"\n"
            }
        }
        return """
            [Unit]
            Description=cue keeps \(library.description.replacing(scalar: "%", with: "%%"))
            StartLimitIntervalSec=0

            [Service]
            ExecStart="\(Self.escaped(program.description))" watch "\(Self.argument(library))"\(options.map { " " + $0 }.joined())
            \(environment)Restart=on-failure
            RestartSec=30
            # The last save may take 20 s.
            TimeoutStopSec=30
            Nice=10
            IOSchedulingClass=idle

            [Install]
            WantedBy=default.target

            """
    }

    /// A place in S3 for which the service would find no key, as only variables of this session have it; nil if there is
    /// none.
    var placeWithoutKey: VaultLocation? {
        places.first { place in
            place.isInS3
                && !place.hasKey { $0 == "HOME" || Self.variablesOfS3.contains($0) ? Environment[$0] : nil }
        }
    }

    /// Escapes quotes and `%`, which begins a specifier in a unit. `Display` writes odd bytes and the backslash in the
    /// form that systemd reads (systemd.syntax(7)).
    private static func escaped(_ text: String) -> String {
        text.replacing(scalar: "\"", with: "\\\"").replacing(scalar: "%", with: "%%")
    }

    /// Also escapes `$`, which begins a variable in arguments, and only there.
    private static func argument(_ path: FilePathBytes) -> String {
        escaped(path.description).replacing(scalar: "$", with: "$$")
    }

    /// The folder of the user's units. Throws `CueError` if HOME is not set.
    private func folder() throws -> FilePathBytes {
        if let config = Environment["XDG_CONFIG_HOME"], !config.isEmpty {
            return FilePathBytes(config).appending("systemd").appending("user")
        }
        guard let home = Environment["HOME"], !home.isEmpty else {
            throw CueError(
                .failed, "HOME is not set, so the unit has no place", "`cue watch --install --print` prints it")
        }
        return FilePathBytes(home).appending(".config").appending("systemd").appending("user")
    }

    /// Writes the unit and starts it. `problem`: a sentence if systemd could not start it; else nil.
    func install() throws -> (path: FilePathBytes, problem: String?) {
        let folder = try folder()
        try folder.makeFolders(mode: 0o755)
        try Folder.open(folder).replace(name, with: Array(text.utf8), mode: 0o644)
        let isStarted = Self.systemctl("daemon-reload") && Self.systemctl("enable --now \(name)")
        return (
            folder.appending(name),
            isStarted
                ? nil
                : "systemd could not start it now; it may with the next log-in, or: systemctl --user enable --now \(name)"
        )
    }

    /// Stops and removes the unit. Returns false if there was none.
    func uninstall() throws -> Bool {
        let folder = try folder()
        guard try folder.appending(name).info() != nil else { return false }
        _ = Self.systemctl("disable --now \(name)")
        try Folder.open(folder).remove(Array(name.utf8))
        _ = Self.systemctl("daemon-reload")
        return true
    }

    /// Whether `systemctl --user` succeeded.
    private static func systemctl(_ arguments: String) -> Bool {
        ShellCommand.output(of: "systemctl --user \(arguments) >/dev/null 2>&1", upTo: 1) != nil
    }
}
