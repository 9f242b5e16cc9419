#!/usr/bin/env python3
"""Every command with every kind of bad input and every option with bad values: an exit status of 0
to 3, one message, no harm.

bad_input_test.py HDBINSPECT FIXTURES

Commands, arguments and options are taken from the help, so that new ones are swept too.
"""
import concurrent.futures
import glob
import hashlib
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM, FIXTURES = sys.argv[1:3]
SOUND = os.path.join(FIXTURES, "v0", "before.hdb")
HOSTILE = [
    "\x1b[31mred\x1b]0;title\x07",
    "\u202eevil\u2066",
    "<script>alert(1)</script>",
    "=cmd()",
    "a\nb",
    "-",
    "--",
    "",
    "%s%n",
    "'; echo",
    "x" * 5000,
    "../no-such-folder/up",
    "{",
    "*",
]
# A short run tries each n-th case.
STRIDE = 1 if float(os.environ.get("HDB_TEST_SCALE", "1")) >= 1 else 5
work = tempfile.mkdtemp()
cases = 0
failures = []


def fail(what, ran):
    failures.append(what)
    print(
        f"{what}\n  {ran.args[1:]!r}\n  status {ran.returncode}\n"
        f"  out {ran.stdout[:300]!r}\n  err {ran.stderr[:300]!r}"
    )


def hdbinspect(words, **how):
    how.setdefault("stdin", subprocess.DEVNULL)
    # git-setup must not find settings of the user, open no browser.
    user = {"HOME": work, "XDG_CONFIG_HOME": work, "TMPDIR": work}
    browser = {"BROWSER": "", "DISPLAY": "", "WAYLAND_DISPLAY": ""}
    how.setdefault("env", {**os.environ, **user, **browser})
    return subprocess.run(
        [PROGRAM, *words], capture_output=True, check=False, cwd=work, **how
    )


def raw(text):
    """Bytes that a terminal would obey."""
    decoded = text.decode("utf-8", "surrogateescape")
    return [
        c
        for c in decoded
        if (ord(c) < 32 and c != "\n")
        or 0x7F <= ord(c) < 0xA0
        or 0xDC80 <= ord(c) <= 0xDCFF
        or 0x202A <= ord(c) <= 0x202E
        or 0x2066 <= ord(c) <= 0x2069
    ]


def judge(ran, wanted=(0, 1, 2, 3)):
    if ran.returncode not in wanted:
        fail(f"status not of {wanted}", ran)
    messages = len(re.findall(rb"^hdbinspect: ", ran.stderr, re.M))
    if ran.returncode in (2, 3) and (
        messages == 0 or messages > 2 or b"\n  next    " not in ran.stderr
    ):
        fail("no clear message", ran)
    if raw(ran.stdout) or raw(ran.stderr):
        fail("raw control characters", ran)
    if b"unexpected failure" in ran.stderr or b"report this as a bug" in ran.stderr:
        fail("not foreseen", ran)


class Command:
    def __init__(self, name):
        self.name = name
        text = hdbinspect([name, "--help"]).stdout.decode()
        usage = re.search(r"^Usage: hdbinspect \S+ \[OPTIONS\]((?:.|\n {7})*)", text, re.M).group(1)
        self.arguments = [word.strip("[].") for word in usage.split()]
        part = re.search(r"^Options:\n((?:  .*\n)+)", text, re.M)
        self.options = (
            re.findall(r"^  (?:-\w, )?(-{1,2}[\w-]+)(?:[= ]([^ \n]+))?(?: |$)", part.group(1), re.M)
            if part
            else []
        )
        self.writes = any(name == "--output" for name, _ in self.options)
        self.files = [i for i, word in enumerate(self.arguments) if is_file(word)]

    def line(self, file, output=None):
        words = [self.name, *[file if is_file(word) else sample(word) for word in self.arguments]]
        return words + (["-o", output] if self.writes and output else [])


def is_file(word):
    return word in ("FILE", "A", "B", "OLD", "NEW", "OUT", "PATH") or "." in word


def sample(word):
    words = {"SHELL": "bash", "OFFSET": "64", "TOPIC": "diff", "EDIT": "monsters:0@1.hp=3"}
    words["QUERY"] = "select * from monsters"
    return words.get(word, "monsters:0@1" if "HANDLE" in word else "E0231")


def bad_inputs():
    inputs = sorted(
        set(
            glob.glob(f"{FIXTURES}/**/invalid/*", recursive=True)
            + glob.glob(f"{FIXTURES}/regress/*")
        )
    )
    inputs = [path for path in inputs if os.path.isfile(path)]
    with open(SOUND, "rb") as file:
        sound = file.read()

    def add(name, data):
        path = os.path.join(work, name)
        with open(path, "wb") as file:
            file.write(data)
        inputs.append(path)

    noise = random.Random(7)
    add("empty", b"")
    add("one", b"\x89")
    add("random", noise.randbytes(3000))
    add("text", b'{"type":"record"}\n' * 100)
    add("cut", sound[: len(sound) // 2])
    add("long", sound + b"more")
    add("head", sound[:64])
    for at in (9, 70, len(sound) // 2, len(sound) - 9):
        add(f"changed{at}", sound[:at] + bytes([sound[at] ^ 0x41]) + sound[at + 1 :])
    add("name\x1b[31m\u202e<script>\n.hdb", sound[:100])
    os.mkdir(os.path.join(work, "folder"))
    os.mkfifo(os.path.join(work, "fifo"))
    inputs += [
        os.path.join(work, "folder"),
        os.path.join(work, "fifo"),
        os.path.join(work, "missing"),
        "/dev/null",
        "/dev/full",
        "/proc/self/mem",
        os.path.join(SOUND, "below"),
        "",
        "x" * 5000,
        "-",
    ]
    if os.geteuid() != 0:
        add("unreadable", sound)
        os.chmod(inputs[-1], 0)
    return inputs


def digest(path):
    if (
        not path
        or not os.path.isfile(path)
        or path.startswith(("/dev", "/proc"))
        or not os.access(path, os.R_OK)
    ):
        return None
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def sweep_inputs(commands, inputs):
    jobs = []
    for command in commands:
        for file in inputs:
            if not command.files:
                continue
            folder = tempfile.mkdtemp(dir=work)
            jobs.append((command, file, os.path.join(folder, "out.hdb"), digest(file)))
    jobs = jobs[::STRIDE]

    def run(job):
        command, file, output, _ = job
        return hdbinspect(command.line(file, output))

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (command, file, output, before), ran in zip(jobs, pool.map(run, jobs)):
            judge(ran)
            # Salvage may make something of damaged input, and the page of report and open says what
            # is wrong; else nothing is left.
            left = os.listdir(os.path.dirname(output))
            is_report = command.name in ("open", "report")
            if left and ((ran.returncode >= 2 and not is_report) or left != ["out.hdb"]):
                fail(f"files are left: {left}", ran)
            if digest(file) != before:
                fail("the input was written", ran)
            if ran.returncode == 0 and command.name in ("ls", "info", "dump") and before is None:
                fail("nothing to read, and no error", ran)
    return len(jobs)


def sweep_neighbours(inputs):
    """Each bad input as another save of `repair --from`."""
    for file in inputs[::STRIDE]:
        judge(hdbinspect(["repair", SOUND, "--dry-run", "--from", file]))
    return len(inputs[::STRIDE])


def sweep_paths(inputs):
    """Paths through handles and to keys of maps: of bad files, and spelled badly."""
    lines = [
        ["dump", "-t", "monsters", "-w", "target.hp < 3 or target is stale"],
        ["dump", "-t", "monsters", "--sort=-target.hp,size(name),@slot"],
        ["dump", "-w", "skills['aim'] > 1", "--sort=skills['aim']"],
    ]
    jobs = [([*line, file], (0, 1, 2, 3)) for line in lines for file in inputs[::STRIDE]]
    with_map = os.path.join(FIXTURES, "v0", "every_field.hdb")
    texts = HOSTILE + ["", "'", "['", "skills['", "skills['aim", "skills['aim'", "skills['aim']x"]
    texts += ["skills['\\", "skills['\\x", "skills[']", "skills['aim'][0]", "skills[9", "size("]
    texts += ["size(tiny)", "self.", "self.self.self.self.self.tiny", ",", "@", "`", "`tiny"]
    texts += ["either<9>", "self['x']", "skills['" + "x" * 5000 + "']", "skills" + "['a']" * 2000]
    texts += ["self" + ".self" * 5000]
    for text in (text for text in texts if "\0" not in text):
        wanted = (0, 1, 2) if text in HOSTILE else (1, 2)
        jobs.append((["get", "--", with_map, "things:1." + text], wanted))
        jobs.append((["set", "-o", "set.hdb", "--", with_map, f"things:1.{text}=1"], wanted))
        jobs.append((["dump", with_map, "--sort=" + text], (0, 2)))
        jobs.append((["dump", with_map, f"--where={text} == 1"], (0, 2)))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (words, wanted), ran in zip(jobs, pool.map(lambda job: hdbinspect(job[0]), jobs)):
            judge(ran, wanted)
            if words[0] == "set" and os.path.exists(os.path.join(work, "set.hdb")):
                fail("a file was written", ran)
    return len(jobs)


def sweep_outputs(commands):
    count = 0
    for command in commands:
        if not command.writes:
            continue
        folder = tempfile.mkdtemp(dir=work)
        source = os.path.join(folder, "in.hdb")
        shutil.copy(SOUND, source)
        os.link(source, os.path.join(folder, "hard.hdb"))
        os.symlink(source, os.path.join(folder, "soft.hdb"))
        os.mkdir(os.path.join(folder, "folder"))
        shutil.copy(SOUND, os.path.join(folder, "there.hdb"))
        names = sorted(os.listdir(folder))
        before = digest(source)
        for output in (
            "in.hdb",
            "./in.hdb",
            "hard.hdb",
            "soft.hdb",
            "there.hdb",
            "folder",
            "missing/out.hdb",
            "",
            "-",
            "/dev/full",
            "/proc/out.hdb",
            "in.hdb/out",
            "x" * 300,
        ):
            for flags in ([], ["--force"]):
                if flags and (
                    output == "there.hdb"
                    or not any(name == "--force" for name, _ in command.options)
                ):
                    continue
                words = [
                    *flags,
                    "-o",
                    output
                    if output in ("", "-") or output.startswith("/")
                    else os.path.join(folder, output),
                ]
                ran = hdbinspect([*command.line(source), *words])
                count += 1
                judge(ran, (2,))
                if digest(source) != before or sorted(os.listdir(folder)) != names:
                    fail("harm was done", ran)
    return count


def sweep_options(commands):
    jobs = []
    for command in commands:
        line = command.line(SOUND)
        for option, value in command.options:
            jobs.append(([*line, option + "=\x1b[31mx"], (0, 1, 2)))
            if not value:
                jobs.append(([*line, option + "=maybe"], (2,)))
                continue
            jobs.append(([*line, option], (2,)))
            if option == "--output" or is_file(value):
                continue  # sweep_outputs; what is written must not be written just anywhere
            for text in HOSTILE:
                jobs.append(([*line, option, text], (2,) if "|" in value else (0, 1, 2)))
            for text in ("-1", "0", "18446744073709551616", "1e999", "nan", "0x", "1.5.2"):
                jobs.append(([*line, f"{option}={text}"], (2,) if "|" in value else (0, 1, 2)))
        for text in HOSTILE:
            jobs.append(([command.name, text], (0, 1, 2)))
            jobs.append(([*line, text], (0, 1, 2)))
            jobs.append(([command.name, "--" + text], (0, 1, 2)))
        jobs.append(([*line, "--no-such-option"], (2,)))
        jobs.append(([*line, "-Z"], (2,)))
        jobs.append(([command.name[:-1] + "x", *line[1:]], (2,)))
    for text in HOSTILE:
        jobs.append(([text], (0, 2)))
        for option in ("--color", "--progress", "--max-memory"):
            jobs.append(([option, text, "info", SOUND], (2,)))
    for size in ("1", "15M", "1X", "-5M", "18446744073709551615T"):
        jobs.append((["--max-memory", size, "info", SOUND], (2,)))
    jobs = jobs[::STRIDE]

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (_, wanted), ran in zip(jobs, pool.map(lambda job: hdbinspect(job[0]), jobs)):
            judge(ran, wanted)
    return len(jobs)


def sweep_descriptors(commands):
    count = 0
    for command in commands:
        for closed in (0, 1, 2):
            line = command.line("-" if closed == 0 and command.files else SOUND)
            ran = hdbinspect(line, preexec_fn=lambda fd=closed: os.close(fd))
            count += 1
            if ran.returncode not in (0, 1, 2):
                fail(f"descriptor {closed} closed", ran)
        if command.name not in ("convert", "repair", "import", "report", "export"):
            with open("/dev/full", "wb") as full:
                ran = subprocess.run(
                    [PROGRAM, *command.line(SOUND)],
                    stdout=full,
                    stderr=subprocess.PIPE,
                    check=False,
                    stdin=subprocess.DEVNULL,
                )
            ran.stdout = b""
            count += 1
            if ran.returncode == 0 and hdbinspect(command.line(SOUND)).stdout:
                fail("a full disk is not reported", ran)
    return count


def main():
    listing = hdbinspect(["--help"]).stdout.decode().split("Commands:\n")[1].split("\n\n")[0]
    commands = [Command(name) for name in re.findall(r"^  ([a-z-]+) ", listing, re.M)]
    inputs = bad_inputs()
    ran = (
        sweep_inputs(commands, inputs)
        + sweep_neighbours(inputs)
        + sweep_paths(inputs)
        + sweep_outputs(commands)
        + sweep_options(commands)
        + sweep_descriptors(commands)
    )
    print(f"cases={ran} failures={len(failures)}")
    return 1 if failures or len(commands) < 9 or ran < 500 / STRIDE else 0


try:
    status = main()
finally:
    shutil.rmtree(work, ignore_errors=True)
sys.exit(status)
