#!/usr/bin/env python3
"""watch: a line for each save that appears or changes, whatever else is in the folder.

watch_test.py HDBINSPECT FIXTURES
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM, FIXTURES = sys.argv[1:3]
SERIES = os.path.join(FIXTURES, "v0", "series")
work = tempfile.mkdtemp()
cases = 0
failures = []


def check(name, good, detail=""):
    global cases
    cases += 1
    if not good:
        failures.append(name)
        print(f"{name}: {detail!r}")


class Watch:
    """hdbinspect watch, once it has looked at the folder for the first time."""

    def __init__(self, folder, *options):
        self.process = subprocess.Popen(
            [PROGRAM, "watch", folder, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.messages = self.process.stderr.readline()
        if "--json" not in options:
            self.heading = self.line()

    def line(self):
        return self.process.stdout.readline()

    def end(self, sign=None):
        """The exit status, the rest of the output, and all messages."""
        if sign:
            self.process.send_signal(sign)
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, self.messages + err


def folder_of(name, *moments):
    folder = os.path.join(work, name)
    os.mkdir(folder)
    for moment in moments:
        save(folder, moment)
    return folder


def save(folder, moment, name=None, size=None):
    """As a game does it: whole at once. With `size` only the first bytes, in place."""
    path = os.path.join(folder, name or f"auto-{moment}.hdb")
    if size is None:
        shutil.copy(os.path.join(SERIES, f"auto-{moment}.hdb"), path + ".new")
        os.replace(path + ".new", path)
        return
    with open(os.path.join(SERIES, f"auto-{moment}.hdb"), "rb") as file:
        data = file.read(size)
    with open(path, "wb") as file:
        file.write(data)


def new_saves():
    folder = folder_of("new", 3)
    watch = Watch(folder, "-n", "4")
    check("says what it watches", "1 save; the newest is" in watch.messages, watch.messages)
    save(folder, 4)
    line = watch.line()
    check("a new save", "auto-4.hdb" in line and "monsters 3 ~1, turn 1 ~1" in line, line)
    save(folder, 5, "auto-3.hdb")
    line = watch.line()
    check("a save that changed", "auto-3.hdb" in line and "monsters 3 ~2" in line, line)
    # What hangs or confuses others, and copies of saves. What has the name of a save and cannot be
    # one is reported.
    os.mkfifo(os.path.join(folder, "pipe.hdb"))
    os.symlink("loop.hdb", os.path.join(folder, "loop.hdb"))
    os.symlink(".", os.path.join(folder, "inner"))
    os.symlink("/dev/zero", os.path.join(folder, "zero.hdb"))
    with open(os.path.join(folder, "sparse.hdb"), "wb") as file:
        file.truncate(1 << 40)
    shutil.copy(os.path.join(folder, "auto-4.hdb"), os.path.join(folder, "auto-4.hdb.1"))
    save(folder, 6, "evil\x1b[31m\n.hdb")
    line = watch.line()
    check("a strange name", line.startswith("evil\\u{1b}[31m\\n.hdb") and "-1 ~1" in line, line)
    for i in range(10000):
        os.mknod(os.path.join(folder, f"other{i}"))
    save(folder, 7)
    line = watch.line()
    check("among 10,000 files", "auto-7.hdb" in line and "monsters 2 ~2" in line, line)
    status, rest, messages = watch.end()
    check("ends after -n", status == 2 and not rest, (status, rest))
    for name in ("pipe", "loop", "zero"):
        check(f"{name} is reported once", messages.count(f"{name}.hdb: HDB-") == 1, messages)
    check("nothing else is", messages.count("HDB-") == 3, messages)
    check("a save of zeros is noted", "not an hdb save: " + folder in messages, messages)
    check("with its name", messages.count("sparse.hdb") == 1, messages)


def no_saves():
    """A save that became garbage, and one that always was."""
    folder = folder_of("none", 3, 4)
    watch = Watch(folder, "-n", "1")
    for _ in range(2):
        for name in ("auto-3.hdb", "new.hdb", "readme.txt"):
            with open(os.path.join(folder, name), "a", encoding="ascii") as file:
                file.truncate(0)
                file.write("garbage")
        time.sleep(0.6)
    save(folder, 5)
    watch.line()
    status, _, messages = watch.end()
    noted = status == 0 and "not hdb saves: " in messages
    check("files that are not saves are noted", noted, messages)
    for name, times in (("auto-3.hdb", 1), ("new.hdb", 1), ("readme.txt", 0)):
        check(f"{name} {times} times", messages.count(name) == times, messages)


def half_written():
    folder = folder_of("half", 3)
    watch = Watch(folder, "-n", "1")
    for size in (500, 1000, 1500):
        save(folder, 4, size=size)
        time.sleep(0.6)
    save(folder, 4)
    check("a save that became whole", "auto-4.hdb" in watch.line())
    status, _, messages = watch.end()
    check("is reported once", status == 0 and messages.count("HDB-E0103") == 1, messages)
    watch = Watch(folder, "-n", "1")
    save(folder, 5, size=500)
    time.sleep(0.6)
    save(folder, 6)
    watch.line()
    check("one that stays so is trouble", watch.end()[0] == 2)


def ends():
    folder = folder_of("ends")
    watch = Watch(folder)
    status, rest, messages = watch.end(signal.SIGINT)
    check("Ctrl-C", status == -signal.SIGINT and not rest and messages.count("\n") == 1, messages)
    watch = Watch(folder)
    os.rmdir(folder)
    status, _, messages = watch.end()
    check("the folder is gone", status == 2 and "HDB-E0906" in messages, messages)
    for words in ([folder], [SERIES, "-t", "monster"], [os.path.join(SERIES, "auto-1.hdb")]):
        ran = subprocess.run(
            [PROGRAM, "watch", *words], capture_output=True, text=True, check=False
        )
        check(f"refuses {words}", ran.returncode == 2 and "  next    " in ran.stderr, ran.stderr)


def details():
    folder = folder_of("details", 3)
    watch = Watch(folder, "--json", "--fields", "-n", "1", "-t", "monsters")
    save(folder, 4)
    status, out, _ = watch.end()
    lines = [json.loads(line) for line in out.splitlines()]
    types = [line["type"] for line in lines]
    check("JSON", types == ["diff_record", "diff_table", "diff_summary", "log_save"], types)
    check("JSON of a save", status == 0 and lines[-1]["changes"][0]["changed"] == 1, lines[-1])
    watch = Watch(folder, "--records", "-n", "1")
    save(folder, 5)
    status, out, _ = watch.end()
    check("records", status == 0 and "@@ ~ monsters:0@1" in out, out)


try:
    for part in (new_saves, no_saves, half_written, ends, details):
        part()
finally:
    shutil.rmtree(work, ignore_errors=True)
print(f"cases={cases} failures={len(failures)}")
sys.exit(1 if failures else 0)
