#!/usr/bin/env python3
# Runs the hdbinspect commands of a document in a new folder and compares what they print with the
# document.
"""check_commands.py HDBINSPECT PROJECT DOCUMENT, or check_commands.py --self-test

A command is a line of an indented block: `$ hdbinspect ...` with the output in the lines below it,
or a line that begins with hdbinspect, cp, mkdir or printf, whose output is not shown. Exit status 0
or 1 (a finding) is expected. slot1.hdb and slot2.hdb are copies of before.hdb and after.hdb of the
fixtures.
"""
import os
import re
import subprocess
import sys
import tempfile

INDENT = "    "
PLAIN = re.compile(r"(hdbinspect|cp|mkdir|printf) ")


def commands_of(text):
    """Pairs of a command and the output that the document shows, or None."""
    found = []
    shown = None  # the output of the last command with `$`, while it goes on
    for line in text.splitlines() + [""]:
        if not line.startswith(INDENT):
            shown = None
            continue
        line = line[len(INDENT):]
        if line.startswith("$ hdbinspect "):
            shown = []
            found.append((line[2:], shown))
        elif shown is not None:
            shown.append(line)
        elif PLAIN.match(line):
            found.append((line, None))
    return found


def check(text, folder, path):
    """The faults of the commands of a document, which run in `folder`."""
    faults = []
    environment = dict(os.environ, PATH=path, COLUMNS="100")
    for command, shown in commands_of(text):
        done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode not in (0, 1):
            faults.append(f"{command}\n  exit status {done.returncode}: {done.stdout}")
        elif shown is not None and [line.rstrip() for line in done.stdout.splitlines()] != shown:
            faults.append(f"{command}\n  prints:\n{done.stdout}")
    return faults


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        tool = os.path.join(folder, "hdbinspect")
        with open(tool, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\necho \"$1\"\n[ \"$1\" != fails ] || exit 2\n")
        os.chmod(tool, 0o755)
        path = folder + os.pathsep + os.environ["PATH"]
        good = "Text\n\n    $ hdbinspect a\n    a\n\n    hdbinspect b\n\nhdbinspect fails\n"
        assert not check(good, folder, path)
        assert len(check("    $ hdbinspect a\n    b\n", folder, path)) == 1
        assert len(check("    $ hdbinspect a\n", folder, path)) == 1
        failing = "    $ hdbinspect fails\n    fails\n\n    hdbinspect fails\n"
        assert len(check(failing, folder, path)) == 2


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    tool, project, document = (os.path.abspath(argument) for argument in sys.argv[1:])
    with open(document, encoding="utf-8") as file:
        text = file.read()
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.join(project, "fixtures"), os.path.join(folder, "fixtures"))
        for source, copy in (("before", "slot1"), ("after", "slot2")):
            with open(os.path.join(project, "fixtures/v0.10", source + ".hdb"), "rb") as file:
                content = file.read()
            with open(os.path.join(folder, copy + ".hdb"), "wb") as file:
                file.write(content)
        faults = check(text, folder, os.path.dirname(tool) + os.pathsep + os.environ["PATH"])
    count = len(commands_of(text))
    print("\n".join(faults))
    print(f"commands: cases={count} failures={len(faults)}")
    return 1 if faults or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
