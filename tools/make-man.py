#!/usr/bin/env python3
"""Makes the manual pages of cue: cue(1), and one for each command.

    tools/make-man.py CUE FOLDER

Names, arguments and options, with their texts, are what the program CUE itself says of them (--experimental-dump-help),
so that the pages cannot differ from --help. docs/man/cue.1 is the overview, in which a comment stands for the list of
commands. docs/man/more/PAGE.1 has what --help has no room for: paragraphs for the description, and behind a comment
with the name of an option or argument more of that. A name that the command does not have is an error.
"""

import json
import os
import re
import subprocess
import sys

MAN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", "man")


def escaped(text):
    """Plain text as roff shows it: hyphens that can be typed, and no line that is taken for a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("~", "\\(ti").replace("^", "\\(ha")
    text = re.sub(r"`([^`]*)`", r"\\fB\1\\fP", text).replace("'", "\\(aq")
    return "\n".join("\\&" + line if line.startswith(".") else line for line in text.split("\n"))


def sentences(text):
    """Paragraphs, each sentence of which has a line of its own."""
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "\n.PP\n".join(escaped(re.sub(r"(?<=[.:]) +(?=[A-Z-])", "\n", " ".join(p.split()))) for p in paragraphs)


def shown(things):
    return [thing for thing in things or [] if thing.get("shouldDisplay", True)]


def is_general(argument):
    """ArgumentParser's own, which every command has."""
    return argument["kind"] == "flag" and names(argument)[-1] in ["--version", "--help"]


def arguments(command):
    """With those of the command that runs where none is named; without the flag --version where the command has an
    option of that name."""
    all_of_them = shown(command.get("arguments"))
    for one in command.get("subcommands", []):
        if one["commandName"] == command.get("defaultSubcommand"):
            known = [argument["valueName"] for argument in all_of_them]
            all_of_them = [argument for argument in shown(one.get("arguments")) if argument["valueName"] not in known] + all_of_them
    keys = [names(one)[-1] for one in all_of_them if one["kind"] == "option"]
    return [one for one in all_of_them if one["kind"] != "flag" or names(one)[-1] not in keys]


def subcommands(command):
    return [one for one in shown(command.get("subcommands")) if one["commandName"] != "help"]


def typed(name):
    return ("--" if name["kind"] == "long" else "-") + name["name"]


def names(argument):
    """Short names first."""
    return sorted((typed(name) for name in argument.get("names", [])), key=len)


def value(argument):
    return escaped(argument["valueName"]) if argument["kind"] == "option" else ""


def synopsis(path, command):
    lines = ['.SY "%s"' % escaped(" ".join(path))]
    for argument in arguments(command):
        if is_general(argument):
            continue
        if argument["kind"] == "positional":
            name = escaped(argument["valueName"]) + ("\\~.\\|.\\|." if argument["isRepeating"] else "")
            lines.append(".RI [ %s ]" % name if argument["isOptional"] else ".I %s" % name)
        else:
            name = escaped(names(argument)[-1])
            if not argument["isOptional"] and argument["kind"] == "option":
                lines.append(".BI %s\\~ %s" % (name, value(argument)))
            else:
                lines.append((".OP %s %s" % (name, value(argument))).rstrip())
    if subcommands(command):
        lines.append(".I command")
    return lines + [".YS"]


def options(command, more):
    lines = []
    for argument in arguments(command):
        lines.append(".TP")
        if argument["kind"] == "positional":
            key = argument["valueName"]
            lines.append(".I " + escaped(key))
        else:
            key = names(argument)[-1]
            all_names = ", ".join("\\fB%s\\fP" % escaped(name) for name in names(argument))
            lines.append(all_names + (" \\fI%s\\fP" % value(argument) if value(argument) else ""))
        texts = [argument.get("abstract", ""), argument.get("discussion", "")]
        lines += [sentences(text) for text in texts if text]
        if argument.get("defaultValue") and "(default" not in texts[0]:
            lines.append("Without it, %s." % escaped(argument["defaultValue"]))
        lines += [text for text in [more.pop(key, "")] if text]
    return lines


def fragment(page):
    """What docs/man/more has for a page: by the name of an option; the description under the empty name."""
    file = os.path.join(MAN, "more", page + ".1")
    if not os.path.exists(file):
        return {}
    with open(file, encoding="utf-8") as source:
        parts = re.split(r'(?m)^\.\\" (\S+)\n', source.read())
    return {key: text.strip("\n") for key, text in zip([""] + parts[1::2], parts[::2]) if text.strip()}


def page(path, command, head):
    """The page of one command, and those of the commands in it. Gives the names of the pages and their texts."""
    name = "-".join(path)
    more = fragment(name)
    inside = subcommands(command)
    lines = [head % name.upper(), ".SH NAME", "%s \\- %s" % (escaped(name), summary(command)), ".SH SYNOPSIS"]
    lines += synopsis(path, command)
    lines += [".SH DESCRIPTION", sentences(command.get("abstract", ""))]
    for text in [command.get("discussion") and sentences(command["discussion"]), more.pop("", "")]:
        if text:
            lines += [".PP", text]
    if inside:
        lines.append(".SH COMMANDS")
        for one in inside:
            lines += listed(path + [one["commandName"]], one)
            if one["commandName"] == command.get("defaultSubcommand"):
                lines.append("This is what the command alone does.")
    lines += [".SH OPTIONS"] + options(command, more)
    lines += [".SH \"SEE ALSO\""]
    others = ["cue"] + ["-".join(path[:length]) for length in range(2, len(path))]
    others += ["%s-%s" % (name, one["commandName"]) for one in inside]
    lines += [".BR %s (1)%s" % (escaped(other), "," if other != others[-1] else "") for other in others]
    if more:
        sys.exit("make-man.py: docs/man/more/%s.1 has more of %s, which the command does not have" % (name, ", ".join(more)))
    pages = {name: "\n".join(lines) + "\n"}
    for one in inside:
        pages.update(page(path + [one["commandName"]], one, head))
    return pages


def summary(command):
    return escaped(command.get("abstract", "").rstrip(".").replace("\n", " "))


def listed(path, command):
    return [".TP", ".BR %s (1)" % escaped("-".join(path)), sentences(command.get("abstract", ""))]


def main(program, folder):
    info = json.loads(subprocess.run([program, "--experimental-dump-help"], check=True, capture_output=True).stdout)
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    cue = info["command"]
    with open(os.path.join(MAN, "cue.1"), encoding="utf-8") as source:
        overview = source.read()
    date = re.search(r"(?m)^\.TH CUE 1 (\S+)", overview).group(1)
    head = '.TH %%s 1 %s "cue %s" "User Commands"' % (date, version)
    commands = [line for one in subcommands(cue) for line in listed(["cue", one["commandName"]], one)]
    assert '.\\" COMMANDS\n' in overview
    pages = {"cue": re.sub(r"(?m)^\.TH .*$", lambda _: head % "CUE", overview)
             .replace('.\\" COMMANDS\n', "\n".join(commands) + "\n")}
    for one in subcommands(cue):
        pages.update(page(["cue", one["commandName"]], one, head))
    unknown = {name[:-2] for name in os.listdir(os.path.join(MAN, "more"))} - set(pages)
    if unknown:
        sys.exit("make-man.py: docs/man/more has %s, and there is no such command" % ", ".join(sorted(unknown)))
    os.makedirs(folder, exist_ok=True)
    for name, text in pages.items():
        with open(os.path.join(folder, name + ".1"), "w", encoding="utf-8") as target:
            target.write(text)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
