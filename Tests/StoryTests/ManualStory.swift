import CueTestSupport
import Foundation
import Testing

@Suite("Story: the manual that make install makes")
struct ManualStory {
    /// A folder into which everything was installed.
    private static func install(_ cue: Cue) throws -> String {
        let place = cue.folder.appending("installed")
        let make = ["-C", Project.root, "install-from", "BUILT=\(Cue.binary)", "DESTDIR=\(place)", "PREFIX=/usr"]
        let result = try Running("/usr/bin/env", ["make"] + make + ["PAGES=\(cue.folder.appending("pages"))"]).result()
        #expect(result.code == 0, "\(result.text)\(result.errors)")
        return place + "/usr"
    }

    /// The paths of all commands that the help shows, from the dump of the program.
    private static func commands(_ cue: Cue) throws -> [[String]] {
        func all(_ command: JSON, _ path: [String]) -> [[String]] {
            let inside = command["subcommands"].list.filter {
                $0["shouldDisplay"].bool != false && $0["commandName"].string != "help"
            }
            return [path] + inside.flatMap { all($0, path + [$0["commandName"].string]) }
        }
        return all(try cue.run("--experimental-dump-help").json["command"], [])
    }

    @Test("Each command has a page, with every option of its help and nothing that troff stumbles on")
    func pages() throws {
        let cue = Cue()
        let share = try Self.install(cue) + "/share"
        let man = share + "/man/man1"
        for (script, place) in [
            ("cue.bash", "bash-completion/completions/cue"), ("_cue", "zsh/site-functions/_cue"),
            ("cue.fish", "fish/vendor_completions.d/cue.fish"),
        ] {
            let installed = FileManager.default.contents(atPath: "\(share)/\(place)")
            #expect(installed == FileManager.default.contents(atPath: "\(Project.root)/tools/completions/\(script)"))
        }
        let commands = try Self.commands(cue)
        #expect(commands.count > 40)
        for command in commands {
            let name = (["cue"] + command).joined(separator: "-")
            let page = try String(contentsOfFile: "\(man)/\(name).1", encoding: .utf8).replacing("\\-", with: "-")
            guard !command.isEmpty else {
                for other in commands where other.count == 1 { #expect(page.contains("cue-\(other[0]) (1)")) }
                continue
            }
            let help = try cue.start(command + ["--help"]).result().text
            // The usage line names them too; options stand at the beginning of lines.
            let options = help.matches(of: /(?m)^  (?:-[a-z], )?(--[a-z-]+)/).map { String($0.output.1) }
            #expect(options.contains("--help"))
            for option in options { #expect(page.contains("\\fB\(option)\\fP"), "\(name): \(option)") }
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: man)
        #expect(files.count == commands.count, "\(files)")
        guard Machine.has("groff") else { return print("No groff is here: that it takes the pages was not tried.") }
        let words = try cue.shell(
            "cd \"$1\" && for p in *.1; do groff -man -ww -Tutf8 -Kutf8 \"$p\" >/dev/null; done", man)
        #expect(words.code == 0 && words.errors == "", "\(words.errors)")
    }
}
