#!/usr/bin/env python3
"""G17: no string of a file becomes a path, a command, markup, a formula or a control sequence.

hostile_names_test.py HDBINSPECT MAKE_HOSTILE_NAMES

Runs each command in each of its formats on files full of hostile strings, and looks at all that it
prints and writes.
"""
import csv
import functools
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import unicodedata

PROGRAM, MAKER = map(os.path.abspath, sys.argv[1:3])
cases = 0
failures = []
used = set()  # the commands that were run


def check(name, good, detail=""):
    global cases
    cases += 1
    if not good:
        failures.append(name)
        print(f"{name}: {detail}")


def is_control(character):
    """Steers a terminal, or is there without being seen."""
    return character != "\n" and unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp", "Cs")


def check_text(name, raw):
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        check(name, False, f"not UTF-8: {error}")
        return ""
    found = sorted({f"U+{ord(c):04X}" for c in text if is_control(c)})
    check(name, not found, f"prints {found}")
    # A line that a file forges begins as one of the tool's.
    forged = [line for line in text.splitlines() if line.startswith("hdbinspect: forged")]
    check(name, not forged, forged)
    return text


def check_json(name, text):
    for line in text.splitlines():
        try:
            value = json.loads(line)
        except ValueError as error:
            check(name, False, f"not JSON: {error}: {line[:80]}")
            return
        kind = value.get("type", "") if isinstance(value, dict) else ""
        check(name, kind != "forged", line[:80])


def check_csv(name, text):
    for row in csv.reader(io.StringIO(text)):
        for cell in row:
            bare = unicodedata.normalize("NFKC", cell).lstrip(" \t\"\u00a0")
            is_number = bare.lstrip("-").replace(".", "").isdigit()
            check(name, is_number or not bare.startswith(("=", "+", "-", "@")), repr(cell))


def check_page(name, markup):
    """The page without a save, and elements that hold base64, JSON without a `<`, or a view."""
    def check_lines(found):
        for line in found[2].decode("utf-8").splitlines():
            check(name, isinstance(json.loads(line), dict), line[:80])
        return b""

    saves = rb'<script type="application/x-hdb" data-name="[\w+/=]*">[\w+/=]*</script>\n'
    views = rb'<script type="application/x-hdb-view">[a-z=]+</script>\n'
    lines = rb'<script type="application/x-hdb-(plot|diff)">([^<]*)</script>\n'
    rest = re.sub(views, b"", re.sub(saves, b"", markup))
    check(name, rest != markup or b"x-hdb-" in markup, "nothing is in the page")
    check(name, re.sub(lines, check_lines, rest) == empty_page(), "more than saves and JSON")


@functools.cache
def empty_page():
    subprocess.run([PROGRAM, "-q", "open", "-o", "empty.html", "--force"], check=True)
    return read("empty.html")


def run(name, *words, reads=None, form="text"):
    used.update(words)
    done = subprocess.run([PROGRAM, *words], input=reads, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    check(name, done.returncode in (0, 1, 2, 3), f"ended with {done.returncode}")
    check_text(name + " (messages)", done.stderr)
    if form == "html":
        check_page(name, done.stdout)
        return done
    # Lines of CSV end with CR and LF.
    printed = done.stdout.replace(b"\r\n", b"\n") if form == "csv" else done.stdout
    text = check_text(name, printed)
    if form == "json":
        check_json(name, text)
    if form == "csv":
        check_csv(name, text)
    return done


def commands(file, other):
    """Every command with each of its formats; what it writes goes to `out`."""
    yield "info", ["info", "--blocks", "-v"], [file]
    yield "ls", ["ls", "-v"], [file]
    yield "schema", ["schema"], [file]
    yield "dump", ["dump"], [file]
    yield "diff", ["diff"], [file, other]
    yield "diff of records", ["diff", "--records"], [file, other]
    yield "compat", ["compat"], [file, other]
    yield "validate", ["validate", "--level=deep", "-v"], [file]
    yield "repair", ["repair", "--dry-run", "-v"], [file]
    yield "convert", ["convert", "--estimate"], [file]
    yield "explain", ["explain"], [file, "5000"]
    yield "log", ["log"], [file, other, "../../escaped:1@1"]
    yield "log of saves", ["log"], [file, other]
    yield "log of leaks", ["log", "--leaks", "--grew", "1"], [file, other]
    yield "log of all fields", ["log"], [file, other, "=cmd|' /C calc'!A0:2@1.*"]
    yield "blame", ["blame"], [file, other, "$(touch hdb_escaped):1@1"]
    yield "bisect", ["bisect"], [file, other, "hp == 2"]
    yield "grep", ["grep"], [file, other, "hp > 0"]


def read(path):
    with open(path, "rb") as file:
        return file.read()


def tree(folder):
    return sorted(os.path.join(place, name) for place, _, names in os.walk(folder)
                  for name in names)


def check_commands(file, other):
    for name, words, files in commands(file, other):
        label = f"{name} {file}"
        run(label, *words, *files)
        run(label + " --json", "--json", *words, *files, form="json")
    run(f"dump csv {file}", "dump", "--format=csv", "-t", "../../escaped", file, form="csv")
    run(f"dump json {file}", "dump", "--format=json", file)
    run(f"dump exact {file}", "dump", "--exact", file, form="json")
    run(f"schema json {file}", "schema", "--format=json", file)
    run(f"diff ndjson {file}", "diff", "--format=ndjson", file, other, form="json")
    run(f"diff html {file}", "diff", "--format=html", file, other,
        form="html" if file == "hostile.hdb" else "text")


def check_written(file, other):
    """Files that commands write: where they were told to, and free of markup."""
    before = tree("..")
    run("report", "report", file, other, "-o", "out.html", "--force")
    check_page("report", read("out.html"))
    run("open", "open", file, other, "-o", "page.html", "--force")
    check_page("open", read("page.html"))
    made = run("plot", "plot", file, other, "../../escaped:1@1.hp", "-o", "plot.html", "--force")
    check("plot", made.returncode == 0, made.stderr)
    check_page("plot", read("plot.html"))
    made = run("plot of tables", "plot", file, other, "*", "-o", "plot.html", "--force")
    check("plot of tables", made.returncode == 0, made.stderr)
    check_page("plot of tables", read("plot.html"))
    run("repair -o", "repair", "damaged.hdb", "-o", "out.hdb", "--lost", "out.lost", "--force")
    if os.path.exists("out.lost"):
        check_json("lost", check_text("lost", read("out.lost")))
    run("repair --from", "repair", "damaged.hdb", "--dry-run", "--from", file, "--from", other)
    run("repair --from --json", "--json", "repair", "damaged.hdb", "--dry-run", "--from", file,
        form="json")
    run("convert -o", "convert", file, "-o", "out2.hdb", "--force")
    dumped = run("dump --exact", "dump", "--exact", file).stdout
    run("import", "import", "-", "-o", "out3.hdb", "--force", reads=dumped)
    edited = run("set", "set", file, "../../escaped:1@1.hp=7", "-o", "out4.hdb", "--force")
    check("set", edited.returncode == 0, edited.stderr)
    run("export", "export", file, "-o", "out5.sqlite", "--force")
    words = ["\x1b[31m\u202e", file, "0", "\x1b", other, "0", "\n", "*", "\r"]
    run("git-diff", "git-diff", "--", *words)
    run("git-diff --text", "git-diff", "--text", "--", file)
    new = sorted(set(tree("..")) - set(before))
    names = ("out.html", "plot.html", "out.hdb", "out.lost", "out2.hdb", "out3.hdb", "out4.hdb",
             "out5.sqlite", "page.html", "empty.html")
    told = sorted(f"../{os.path.basename(os.getcwd())}/{name}" for name in names)
    check("files written", set(new) <= set(told) and "/out3.hdb" in "".join(new), new)


def check_watch(file, other):
    """Hostile saves that appear in a folder which is watched."""
    for name, words, form in (("", ["watch", "--fields"], "text"),
                              (" --json", ["--json", "watch", "--fields"], "json")):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(file, folder)
            writer = threading.Timer(2, shutil.copy, (other, folder))
            writer.start()
            run("watch" + name, *words, folder, "-n", "1", form=form)
            writer.join()
def check_metrics(printed):
    """The text format of Prometheus: each metric once, its head before its values."""
    help_of, type_of, values = [], [], {}
    for line in printed.decode("ascii").splitlines():
        head = re.fullmatch(r"# (HELP|TYPE) (hdb_archive_[a-z_]+) (.+)", line)
        value = re.fullmatch(
            r'(hdb_archive_[a-z_]+)(\{world="(?:[^"\\\n]|\\[\\"n])*"\})? (-?[0-9]+(?:\.[0-9]+)?)',
            line)
        check("metrics", bool(head) != bool(value), line)
        if head:
            (help_of if head[1] == "HELP" else type_of).append(head[2])
            check("metrics, type", head[1] == "HELP" or head[3] == "gauge", line)
        if value:
            check("metrics, in groups", value[1] == help_of[-1] == type_of[-1], line)
            check("metrics, once", value.group(1, 2) not in values, line)
            values[value.group(1, 2)] = float(value[3])
    check("metrics, heads", help_of == type_of == sorted(set(help_of), key=help_of.index), help_of)
    check("metrics, values", values.get(("hdb_archive_world_saves", '{world="gate"}')) == 2.0,
          values)
    check("metrics, end", printed.endswith(b"\n"), printed[-20:])


def check_archive(file, other):
    """Hostile saves in an archive; the archive has no files but its own."""
    before = tree("..")
    stored = run("archive put", "archive", "put", "out.hdba", file, other, "--world", "gate")
    check("archive put", stored.returncode == 0, stored.stderr)
    for name, words in (("list", ["list", "out.hdba"]), ("share", ["share", "out.hdba"]),
                        ("verify", ["verify", "out.hdba"]), ("gc", ["gc", "out.hdba"]),
                        ("copy", ["copy", "out.hdba", "out.hdba-copy.hdba"]),
                        ("thin", ["thin", "out.hdba", "--keep-last", "1", "--dry-run"]),
                        ("remove", ["remove", "out.hdba", "../../escaped/1..2"]),
                        ("metrics", ["metrics", "out.hdba", "--world", "*"])):
        run(f"archive {name}", "archive", *words)
        run(f"archive {name} --json", "--json", "archive", *words, form="json")
    # Saves that another program of the database made up.
    with sqlite3.connect("out.hdba") as database:
        for world in ('a"} 7\nforged 1\n#', "\\", "../../escaped", "\u202e", "\x1b[2J"):
            database.execute("INSERT INTO hdb_save SELECT ?, sequence, title, saved_at, manifest "
                             "FROM hdb_save WHERE world = 'gate' LIMIT 1", (world,))
    database.close()
    check_metrics(run("metrics", "archive", "metrics", "out.hdba", "--world", "*").stdout)
    run("archive, a world", "archive", "list", "out.hdba@../../escaped")
    run("log of an archive", "log", "out.hdba", "../../escaped:1@1")
    new = set(tree("..")) - set(before)
    check("files of the archive", new and all("/out.hdba" in path for path in new), new)


def check_completion(file):
    """A shell obeys the words that it inserts."""
    for words in (["get"], ["dump", "-t"], ["dump", "-f"]):
        ran = run("completion", "completion", "words", "--", words[0], file, *words[1:], "")
        shown = ran.stdout.decode("utf-8").splitlines()
        good = all(re.fullmatch(r"[][\w.:@/-]+", word, re.A) for word in shown)
        check("completion", shown and good, shown)


def check_keys(file, table):
    """Each key of a map in paths, as it is and in escapes, of its record and of another one."""
    dumped = run("dump", "dump", f"--table={table}", "--", file).stdout.decode("utf-8")
    records = [json.loads(line) for line in dumped.splitlines()]
    for record, other in zip(records, records[1:]):
        key = record["fields"]["map"][0]["key"]
        if not isinstance(key, str) or "\ufffd" in key:
            continue  # not UTF-8
        plain = "".join(f"\\x{ord(c):02x}" if c in "'\\\0" else c for c in key)
        bytewise = "".join(f"\\x{byte:02x}" for byte in key.encode("utf-8"))
        for path in (f"map['{plain}']", f"map['{bytewise}']"):
            got = run("get a key", "get", "--", file, f"{record['handle']}.{path}")
            check("get a key", got.returncode == 0, got.stderr)
            got = run("get another key", "get", "--", file, f"{other['handle']}.{path}")
            check("get another key", got.returncode == 1, got.stderr)
            got = run("sort by a key", "dump", f"--table={table}", "-w", f"{path} ~ '*'",
                      f"--sort={path}", "--", file, form="json")
            check("sort by a key", got.returncode == 0 and got.stdout.count(b"\n") == 1, got.stderr)


def check_get(file):
    """Each record by each way to name it, with the names that the tool itself prints."""
    lines = run("ls", "--json", "ls", file).stdout.decode("utf-8").splitlines()
    tables = [json.loads(line)["table"] for line in lines]
    check("tables", len(tables) >= 20, tables)
    for table in tables:
        shown = run(f"get {table!r}", "get", "--", file, f"{table}:1")
        run(f"get --json {table!r}", "--json", "get", "--refs", "--", file, f"{table}:1",
            form="json")
        run(f"csv {table!r}", "dump", "--format=csv", f"--table={table}", "--", file, form="csv")
        run(f"csv, one field {table!r}", "dump", "--format=csv", f"--field={table}", "--", file,
            form="csv")
        run(f"sort {table!r}", "dump", f"--sort=-{table}", f"--table={table}", "--", file,
            form="json")
        quoted = table.replace('"', '""')
        for form in ("text", "csv", "json"):
            words = [] if form == "text" else [f"--format={form.replace('json', 'ndjson')}"]
            run(f"sql {form} {table!r}", "sql", *words, "--", file, f'select * from "{quoted}"',
                form=form)
        check(f"get {table!r}", shown.returncode in (0, 1, 2), shown.returncode)
    check_keys(file, tables[0])


with tempfile.TemporaryDirectory() as top:
    folder = os.path.join(top, "deep", "work")
    os.makedirs(folder)
    subprocess.run([MAKER, folder], check=True)
    os.chdir(folder)
    check_commands("hostile.hdb", "later.hdb")
    check_commands("damaged.hdb", "hostile.hdb")
    check_commands("cut.hdb", "hostile.hdb")
    check_archive("hostile.hdb", "later.hdb")
    check_watch("hostile.hdb", "later.hdb")
    check_get("hostile.hdb")
    check_completion("hostile.hdb")
    for name in sorted(os.listdir(".")):
        if name.startswith("refused"):
            run(f"validate {name}", "validate", name)
            run(f"ls {name}", "--json", "ls", name, form="json")
            run(f"repair {name}", "repair", "--dry-run", name)
    check_written("hostile.hdb", "later.hdb")
    shown = run("help", "help").stdout.decode("utf-8")
    listed = re.findall(r"^  ([a-z-]+) {2,}", shown.split("Commands:")[1].split("Global")[0], re.M)
    unused = set(listed) - used - {"git-setup"}  # which reads no save
    check("commands", len(listed) > 10 and not unused, f"this test does not run {unused}")
    escaped = [path for path in tree(top) if "escaped" in path]
    check("no file elsewhere", not escaped and not os.path.exists("/tmp/hdb_escaped"), escaped)

print(f"G17: cases={cases} failures={len(failures)}")
sys.exit(1 if failures else 0)
