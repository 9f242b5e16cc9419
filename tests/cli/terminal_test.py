#!/usr/bin/env python3
"""Drives hdbinspect in pseudo-terminals: colours, widths, progress, Ctrl-C, pagers, closed pipes,
hostile names.

terminal_test.py HDBINSPECT FIXTURES LARGE_FILE
"""
import fcntl
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unicodedata

PROGRAM, FIXTURES, LARGE = sys.argv[1:4]
V0 = os.path.join(FIXTURES, "v0")
cases = 0
failures = []


def check(name, good, detail=""):
    global cases
    cases += 1
    if not good:
        failures.append(name)
        print(f"{name}: {detail!r}")


class Terminal:
    """hdbinspect on a terminal of its own; stdout and stderr go there unless they are given."""

    def __init__(self, words, columns=80, environment=(), **files):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        surroundings = {k: v for k, v in os.environ.items() if k not in ("LESS", "NO_COLOR")}
        surroundings.update({"TERM": "xterm", "HDB_PAGER": "cat"}, **dict(environment))
        self.process = subprocess.Popen(
            [PROGRAM, *words],
            stdin=files.get("stdin", slave),
            stdout=files.get("stdout", slave),
            stderr=files.get("stderr", slave),
            env=surroundings,
            cwd=files.get("cwd"),
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(slave, termios.TIOCSCTTY, 0),
        )
        os.close(slave)
        self.text = b""

    def read(self, until=None):
        """Reads until the pattern is there, or the program has closed its terminal."""
        while not (until and re.search(until, self.text)):
            try:
                part = os.read(self.master, 65536)
            except OSError:
                part = b""
            if not part:
                break
            self.text += part
        return self.text

    def type(self, keys):
        os.write(self.master, keys)

    def end(self):
        """The exit status; all that was printed is in `text`."""
        self.read()
        status = self.process.wait()
        os.close(self.master)
        return status


def run(words, **how):
    terminal = Terminal(words, **how)
    status = terminal.end()
    return status, terminal.text.decode("utf-8", "replace").replace("\r\n", "\n")


def shown_columns(line):
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in line
    )


def without_colours(text):
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def colours():
    command = ["diff", f"{V0}/before.hdb", f"{V0}/after.hdb"]
    for name, environment, flags, coloured in [
        ("a terminal is coloured", {}, [], True),
        ("NO_COLOR", {"NO_COLOR": "1"}, [], False),
        ("an empty NO_COLOR says nothing", {"NO_COLOR": ""}, [], True),
        ("TERM=dumb", {"TERM": "dumb"}, [], False),
        ("the flag wins over NO_COLOR", {"NO_COLOR": "1"}, ["--color=always"], True),
        ("the flag wins over the terminal", {}, ["--color=never"], False),
    ]:
        status, text = run(flags + command, environment=environment)
        check(f"colours: {name}", ("\x1b[" in text) == coloured and status == 1, text[:200])
    piped = subprocess.run([PROGRAM, *command], capture_output=True, text=True, check=False)
    _, text = run(command)
    check("colours change nothing else", without_colours(text) == piped.stdout, text[:200])


def commands():
    text = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^  ([a-z-]+) ", text.split("Commands:\n")[1].split("\n\n")[0], re.M)


def help_fits():
    for columns in (40, 60, 80, 132):
        for command in [[], *[[name] for name in commands()]]:
            status, text = run([*command, "--help"], columns=columns)
            widest = max(text.splitlines(), key=len)
            check(
                f"help of {command} in {columns} columns",
                status == 0 and len(widest) <= min(columns, 100),
                widest,
            )
    _, narrow = run(["--help"], columns=20)
    check("help never gets narrower than 40 columns", max(map(len, narrow.splitlines())) > 20)


def mistakes():
    status, text = run(["valdate", "x"], columns=40)
    check("did you mean, on a terminal", status == 2 and "did you mean 'validate'?" in text, text)


def tables_fit():
    for columns in (40, 100):
        _, text = run(["ls", "-v", f"{V0}/odd_names.hdb"], columns=columns)
        widest = max(map(shown_columns, text.splitlines()))
        check(f"ls fits {columns} columns", widest <= columns, text)
        check(
            f"ls prints every value in {columns} columns",
            all(
                word in text
                for word in ("TABLE" if columns == 100 else "LIVE", "POLICIES", "lifo", "RETIRED")
            ),
            text,
        )


def lines_fit():
    for columns in (60, 80):
        _, text = run(["log", "series"], columns=columns, cwd=V0)
        widest = max(map(shown_columns, without_colours(text).splitlines()))
        check(f"log fits {columns} columns", columns - 3 <= widest <= columns, text)
    _, text = run(["log", "-v", "series"], columns=60, cwd=V0)
    check("log -v prints whole lines", 'monsters 3 -1, turn 1 ~1  "Moment 8"' in text, text)


def progress():
    bar = r"^convert (large\.hdb  )?\[[#-]+\] +\d+%"
    for columns in (40, 80, 120):
        status, text = run(
            ["--progress=always", "convert", "--estimate", "--level", "1", LARGE], columns=columns
        )
        drawn = [part for part in text.split("\r") if re.search(bar, part)]
        check(f"a bar in {columns} columns", status == 0 and drawn, text[-300:])
        check(
            f"the bar fits {columns} columns",
            max(map(shown_columns, drawn), default=999) < columns,
            drawn[-1:],
        )
        rest = screen_of(text, columns)
        check(
            f"no bar is left in {columns} columns",
            not re.search(r"\[[#-]{5,}\]", rest) and "MiB" in without_colours(rest),
            rest,
        )
        check("no escape sequences but colours", "\x1b" not in without_colours(text), text)
    for name, flags, how in [
        ("--progress=never", ["--progress=never"], {}),
        ("a dumb terminal", [], {"environment": {"TERM": "dumb"}}),
        ("-q", ["-q"], {}),
    ]:
        _, text = run([*flags, "convert", "--estimate", "--level", "6", LARGE], **how)
        check(f"no bar: {name}", "%" not in text, text)
    for _ in range(3):
        began = time.monotonic()
        _, text = run(["validate", f"{V0}/before.hdb"])
        is_short = time.monotonic() - began < 0.5
        check("no bar for short work", not (is_short and ("%" in text or "\r" in text)), text)
    with tempfile.TemporaryFile() as error:
        run(["validate", LARGE], stderr=error)
        error.seek(0)
        check("no bar where standard error is a file", error.read() == b"")
    with tempfile.TemporaryFile() as out:
        _, text = run(["--progress=always", "dump", LARGE], stdout=out)
        out.seek(0)
        data = out.read()
        check(
            "data and bar do not mix",
            data.count(b"\n") == 192 and b"%" not in data and "%" in text,
            text[-200:],
        )


def screen_of(text, columns):
    """What a terminal shows in the end: carriage returns overwrite."""
    lines = []
    for line in text.split("\n"):
        cells = [" "] * columns
        at = 0
        for c in without_colours(line):
            if c == "\r":
                at = 0
            else:
                if at < columns:
                    cells[at] = c
                else:
                    cells.append(c)
                at += 1
        lines.append("".join(cells).rstrip())
    return "\n".join(lines)


def temporaries(folder):
    return sorted(os.listdir(folder))


def begun(folder, *flags):
    """A conversion of the large file, after it began to write. It would take many seconds."""
    before = len(os.listdir(folder))
    out = f"{folder}/out.hdb"
    terminal = Terminal(
        ["--progress=always", "convert", "--level", "19", LARGE, "-o", out, *flags]
    )
    terminal.read(until=rb"%")
    while len(os.listdir(folder)) == before and terminal.process.poll() is None:
        time.sleep(0.01)
    return terminal


def interrupts():
    for name, number in [
        ("SIGINT", signal.SIGINT),
        ("SIGTERM", signal.SIGTERM),
        ("SIGHUP", signal.SIGHUP),
    ]:
        folder = tempfile.mkdtemp()
        terminal = begun(folder)
        before = temporaries(folder)
        if number == signal.SIGINT:
            terminal.type(b"\x03")
        else:
            terminal.process.send_signal(number)
        status = terminal.end()
        check(
            f"{name}: there was something to remove",
            len(before) >= 1 and "out.hdb" not in before,
            before,
        )
        check(f"{name}: ends by the signal", status == -number, status)
        check(f"{name}: ends soon", b"100%" not in terminal.text, terminal.text[-200:])
        check(f"{name}: no partial output", temporaries(folder) == [], temporaries(folder))
        check(f"{name}: no message", b"hdbinspect:" not in terminal.text, terminal.text[-200:])
        shutil.rmtree(folder)
    old = tempfile.mkdtemp()
    shutil.copy(f"{V0}/before.hdb", f"{old}/out.hdb")
    terminal = begun(old, "--force")
    terminal.type(b"\x03")
    terminal.end()
    with open(f"{old}/out.hdb", "rb") as kept, open(f"{V0}/before.hdb", "rb") as wanted:
        check(
            "the old output is as it was",
            kept.read() == wanted.read() and temporaries(old) == ["out.hdb"],
            temporaries(old),
        )
    shutil.rmtree(old)
    numbers = "with recursive n(x) as (select 1 union all select x + 1 from n)"
    endless = f"select * from ({numbers} select x from n limit 99999) union all "
    endless += f"select * from ({numbers} select max(x) from n)"
    query = ["sql", "--format=csv", f"{V0}/before.hdb", endless]
    for words in (["validate", "-"], ["dump", LARGE], query):
        terminal = Terminal(words)
        terminal.read(until=rb"Ctrl-C|diaries:\d+|9000\r")
        terminal.type(b"\x03")
        check(f"Ctrl-C ends {words[0]}", terminal.end() == -signal.SIGINT, terminal.text[-200:])
    ignored = subprocess.Popen(  # as nohup does
        [PROGRAM, "--progress=always", "convert", "--estimate", "--level", "9", LARGE],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    ignored.stderr.read(1)  # of the bar: the handlers are installed
    ignored.send_signal(signal.SIGHUP)
    ignored.communicate()
    check("an ignored signal stays ignored", ignored.returncode == 0, ignored.returncode)


def pagers():
    folder = tempfile.mkdtemp()
    log = f"{folder}/log"
    pager = f"(echo LESS=$LESS; cat; echo end) > {log}; false"

    def paged(words, chosen=pager, **how):
        """The exit status, what the terminal showed, what the pager got (none: None)."""
        if os.path.exists(log):
            os.remove(log)
        environment = {"NO_COLOR": "1", "HDB_PAGER": chosen, **how.pop("environment", {})}
        status, text = run(words, environment=environment, **how)
        if not os.path.exists(log):
            return status, text, None
        with open(log, encoding="utf-8") as got:
            return status, text, got.read()

    before, after = f"{V0}/before.hdb", f"{V0}/after.hdb"
    long = ["info", before, after, f"{V0}/all_kinds.hdb"]
    whole = subprocess.run([PROGRAM, *long], capture_output=True, text=True, check=True).stdout
    wanted = f"LESS=FRX\n{whole}end\n"
    check("the pager gets all of a long output", paged(long) == (0, "", wanted), paged(long))
    set_less = paged(long, environment={"LESS": "-S"})[2]
    check("LESS stays as it is set", set_less.startswith("LESS=-S\n"), set_less)
    second = paged(long, "", environment={"PAGER": pager})
    check("an empty HDB_PAGER means none", second == (0, whole, None), second)
    differ = ["diff", before, after]
    status, text, got = paged(["--color=always", "--pager=always", *differ])
    check("a pager keeps status and colours", status == 1 and "\x1b[" in got and not text, got)
    for name, words in [
        ("short output", differ[:1] + ["--summary", *differ[1:]]),
        ("JSON", ["--json", "--pager=always", *long]),
        ("--pager=never", ["--pager=never", *long]),
        ("a new file", ["set", before, "monsters[hp > 0].hp=1", "-o", f"{folder}/out.hdb"]),
        ("git", ["git-diff", "--text", before]),
    ]:
        status, text, got = paged(words)
        check(f"not paged: {name}", got is None and 0 <= status <= 1 and text, (status, text))
    check("not paged: TERM=dumb", paged(long, environment={"TERM": "dumb"})[2] is None)
    with open(f"{folder}/file", "w", encoding="utf-8") as out:
        check("not paged: a file", paged(long, stdout=out)[2] is None)
    for name in ("nosuch-pager", f"{folder}/gone"):
        status, text, _ = paged(long, name)
        check("without its pager the output is there", status == 0 and text.endswith(whole), text)
    # A message that comes before the pager is in it, too; later ones are nowhere else.
    status, text, got = paged(["info", f"{folder}/none", *long[1:], f"{folder}/gone"])
    check("messages go to the pager", status == 2 and text.count("hdbinspect: ") == 1, text)
    order = [got.find(part) for part in ("/none: ", "/after.hdb", "/gone: ", "end\n")]
    check("messages keep their place", -1 not in order and order == sorted(order), got)
    with open(f"{folder}/errors", "w+", encoding="utf-8") as error:
        got = paged([*long, f"{folder}/gone"], stderr=error)[2]
        error.seek(0)
        check("messages for a file go there", got == wanted and "/gone: " in error.read(), got)
    for words in (["dump", LARGE], ["validate", *[before] * 30, f"{folder}/gone"]):
        status, text, _ = paged(words, "head -n 1 > /dev/null")
        check(f"a pager may end before {words[0]}", status == 2 * (words[0] != "dump"), status)
        check(f"{words[0]} ends quietly", text == "", text)
    # Ctrl-C stops the work; the pager stays until its user leaves it.
    terminal = Terminal(
        ["dump", LARGE],
        environment={"HDB_PAGER": "trap '' INT; head -n 1; echo shown; read x </dev/tty; echo $x"},
    )
    terminal.read(until=rb"shown")
    terminal.type(b"\x03")
    time.sleep(1.5)  # longer than what is granted after Ctrl-C
    check("the pager outlives Ctrl-C", terminal.process.poll() is None, terminal.text[-200:])
    terminal.type(b"left\n")
    status = terminal.end()
    check("then Ctrl-C is the end", status == -signal.SIGINT, status)
    check("hdbinspect waits for its pager", terminal.text.count(b"left") >= 1, terminal.text[-200:])
    # Where the pager is real, it shows the first screen and leaves the terminal as it was.
    if shutil.which("less"):
        terminal = Terminal(["dump", LARGE], environment={"HDB_PAGER": "less"})
        modes = termios.tcgetattr(terminal.master)
        terminal.read(until=rb"\r.*:\x1b")
        terminal.type(b"q")
        terminal.process.wait()
        same = termios.tcgetattr(terminal.master) == modes
        check("less leaves the terminal sane", same and terminal.end() == 0, terminal.text[-200:])
    shutil.rmtree(folder)


def closed_pipes():
    for words in (
        ["dump", LARGE],
        ["--json", "dump", LARGE],
        ["explain"],
        ["--help"],
        ["completion", "bash"],
    ):
        process = subprocess.Popen(
            [PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        process.stdout.read(10)
        process.stdout.close()
        error = process.stderr.read()
        process.stderr.close()
        check(
            f"a closed pipe ends {words} quietly",
            process.wait() == 0 and error == b"",
            error,
        )


def hostile():
    folder = tempfile.mkdtemp()
    evil = "a\x1b]0;title\x07\x1b[2J\u202ecod\nline.hdb"
    shutil.copy(f"{V0}/odd_names.hdb", os.path.join(folder, evil))
    other = os.path.join(folder, "damaged\x1b[31m.hdb")
    with open(f"{V0}/before.hdb", "rb") as sound, open(other, "wb") as damaged:
        data = bytearray(sound.read())
        data[len(data) // 2] ^= 0x55
        damaged.write(data)
    file = os.path.join(folder, evil)
    for words in (
        ["info", file],
        ["ls", file],
        ["schema", file],
        ["dump", file],
        ["validate", file, other],
        ["diff", file, f"{V0}/before.hdb"],
        ["get", file, "no\x1bsuch:1@1"],
        ["info", file + "\x1b[1m"],
        ["convert", "--estimate", file],
        ["\x1b[31mx"],
        ["ls", "--\x1b[31mx"],
        ["help", "\x1b]0;x\x07"],
        ["--color", "\x1b[5m", "ls"],
        ["--max-memory", "\u202e1", "ls", "x"],
        ["--progress=always", "validate", file],
        ["--json", "info", file],
        ["--json", "validate", file, other],
    ):
        status, text = run(words)
        plain = without_colours(text)
        bad = [
            c
            for c in plain
            if (ord(c) < 32 and c not in "\n\r")
            or 0x7F <= ord(c) < 0xA0
            or 0x202A <= ord(c) <= 0x202E
            or 0x2066 <= ord(c) <= 0x2069
        ]
        check(f"hostile bytes: {words!r}", not bad and 0 <= status <= 3, text)
    shutil.rmtree(folder)


for part in (colours, help_fits, mistakes, tables_fit, lines_fit, progress, interrupts,
             pagers, closed_pipes, hostile):
    began_part = time.monotonic()
    part()
    if os.environ.get("VERBOSE"):
        print(f"{part.__name__}: {time.monotonic() - began_part:.1f} s")
print(f"cases={cases} failures={len(failures)}")
sys.exit(1 if failures else 0)
