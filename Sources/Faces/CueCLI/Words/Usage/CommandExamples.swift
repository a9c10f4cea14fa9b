/// One command line for each command that does not work without an argument.
enum CommandExamples {
    /// The examples by command, both without `cue`.
    static let all: [String: String] = [
        "init": "init ~/Writing --vault /media/usb/vault",
        "vault add": "vault add s3://my-bucket/writing", "vault remove": "vault remove /media/disk/vault",
        "copy": "copy /media/usb/vault s3://my-bucket/vault",
        "resolve": #"resolve "02 Salt" --keep both"#,
        "key remove": "key remove 2fecf253",
        "device shut-out": "device shut-out \"old laptop\" --since yesterday",
        "diff": #"diff "02 Salt" yesterday"#,
        "find": #"find "milky eye""#,
        "cat": #"cat "02 Salt" --at yesterday"#,
        "export": #"export "02 Salt" --to ~/Drafts --all-versions"#,
        "project set": #"project set "Salt and Iron" --deadline 2026-12-31"#,
        "events add": "events add walk_taken --at 14:30",
        "events import": "events import diary.jsonl",
        "garden plant": #"garden plant "Act one" --on hands-2 --leaf salt --for 2w"#,
        "garden water": #"garden water "Act one" "The quarrel on the quay""#,
        "garden harvest": #"garden harvest "Act one" --result 4"#,
        "garden uproot": #"garden uproot "Act one""#,
        "garden edit": #"garden edit "Act one" --title "Act I""#,
        "garden shine": #"garden shine hands-2 "A good week""#,
        "garden leaf": #"garden leaf hands-2 "Salt and Iron""#,
        "garden seedling add": #"garden seedling add hands-2 "A letter to the ferryman""#,
        "garden seedling edit": #"garden seedling edit "A letter" --title "A letter to the ferryman""#,
        "garden seedling delete": #"garden seedling delete "A letter to the ferryman""#,
        "garden derive": "garden derive --events diary.jsonl",
        "plan import": "plan import cue.plan",
        "plan has": "plan has cloud-storage",
        "plan keygen": "plan keygen --output issuer.key",
        "plan issue": "plan issue --key issuer.key --plan pro --account ada@example.org --device 0123456789abcdef",
    ]
}
