# The pages of `hdbinspect report` and `diff --format=html`: well-formed, closed to the outside,
# text of files escaped, as many slots in the pictures as in the file, and of bounded size.
# html_test.py HDBINSPECT MAKE_REPORT_FILES FIXTURES SOURCES
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from page import faults_of  # noqa: E402

PROGRAM, MAKER, FIXTURES, SOURCES = sys.argv[1:]
MOST_BYTES = 2 << 20
LARGE_RECORDS = 400_000
cases = 0
failures = 0


def check(name, condition, what):
    global cases, failures
    cases += 1
    if not condition:
        failures += 1
        print(f"{name}: {what}")


def run(*arguments, statuses=(0, 1)):
    done = subprocess.run(
        [PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False
    )
    if done.returncode not in statuses:
        print(
            f"hdbinspect {' '.join(arguments)} ended with {done.returncode}: {done.stderr.decode()}"
        )
        sys.exit(1)
    return done


def source(name):
    with open(os.path.join(SOURCES, name), encoding="utf-8") as file:
        return file.read()


STYLE, SCRIPT = source("style.css"), source("script.js")


def page_of(name, path):
    with open(path, "rb") as file:
        markup = file.read()
    check(name, len(markup) <= MOST_BYTES, f"{len(markup)} bytes")
    page, faults = faults_of(markup.decode("utf-8"), STYLE, SCRIPT)
    for fault in faults[:8]:
        check(name, False, fault)
    check(name, not faults, f"{len(faults)} faults")
    return page


def report(*files):
    path = f"page{cases}.html"
    run("report", *files, "-o", path)
    return page_of(" ".join(os.path.basename(file) for file in files), path)


def cells_of(svg):
    return [
        [int(part) for part in cell.split(",")] for cell in svg.attributes["data-cells"].split(" ")
    ]


def maps_of(page, words):
    return [
        svg
        for svg in page.root.all("svg")
        if svg.attributes.get("data-words", "").startswith(words)
    ]


def check_maps(name, file, page):
    tables = [json.loads(line) for line in run("--json", "ls", file).stdout.splitlines()]
    tables = [table for table in tables if table["slots"] > 0]
    maps = maps_of(page, "live")
    check(name, len(maps) == min(len(tables), 40), f"{len(maps)} maps of {len(tables)} tables")
    if len(maps) != len(tables):
        return
    for table, svg in zip(tables, maps):
        sums = [sum(cell[i] for cell in cells_of(svg)) for i in range(4)]
        expected = [table["live"], table["free"], table["retired"], 0]
        check(name, sums == expected, f"map of {table['table']}: {sums}, not {expected}")
        check(name, len(cells_of(svg)) <= 1024, "too many cells")


def check_differences(name, a, b, page):
    lines = [
        json.loads(line) for line in run("--json", "diff", "--summary", a, b).stdout.splitlines()
    ]
    tables = [line for line in lines if line["type"] == "diff_table"]
    wanted = [
        [t["changed"], t["added"], t["removed"], t["reused"]]
        for t in tables
        if "old_live" in t
        and "new_live" in t
        and t["changed"] + t["added"] + t["removed"] + t["reused"]
    ]
    found = []
    for svg in maps_of(page, "changed"):
        cells = [cell if len(cell) == 4 else [0] * 4 for cell in cells_of(svg)]
        found.append([sum(cell[i] for cell in cells) for i in range(4)])
    check(name, found == wanted, f"the maps of differences show {found}, diff prints {wanted}")


def plot(record, *where):
    run("plot", *where, record, "--force", "-o", "plot.html")
    return page_of(f"plot {record}", "plot.html")


def samples_of(page):
    return [
        [line.split("\t") for line in e.attributes["data-plot"].split("\n")]
        for e in page.root.all()
        if "data-plot" in e.attributes
    ]


def check_plots(series):
    """The pictures show the values that log prints, and from the same saves on."""
    for record, field in (("monsters:0@1", "hp"), ("monsters:1", "name")):
        page = plot(f"{record}.{field}", series)
        wanted = []
        for line in run("--json", "log", series, f"{record}.{field}").stdout.splitlines():
            change = json.loads(line)
            if change["type"] == "log_change":
                new = change["fields"][0]["new"] if "fields" in change else None
                text = "no value" if new is None else json.dumps(new)
                wanted.append((f"{os.path.basename(change['save'])} #{change['sequence']}", text))
        shown = [(save, value) for _, save, value in samples_of(page)[0]]
        check(record, shown == wanted and len(wanted) > 2, f"{shown} is not {wanted}")
    events = [e for e in plot("monsters:1", series).root.all("path") if "event" in e.classes()]
    check("monsters:1", len(events) >= 2, f"{len(events)} lines of events")


def main():
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    subprocess.run([MAKER, "."], check=True)
    subprocess.run([MAKER, ".", str(LARGE_RECORDS)], check=True)
    golden = sorted(
        file for file in os.listdir(os.path.join(FIXTURES, "v0")) if file.endswith(".hdb")
    )
    for file in [os.path.join(FIXTURES, "v0", file) for file in golden] + [
        "game.hdb",
        "large.hdb",
        "hostile.hdb",
    ]:
        check_maps(file, file, report(file))
    for a, b in (
        ("game.hdb", "game_later.hdb"),
        ("hostile.hdb", "hostile_later.hdb"),
        ("game.hdb", "game.hdb"),
        (os.path.join(FIXTURES, "v0/before.hdb"), os.path.join(FIXTURES, "v0/later_version.hdb")),
        (os.path.join(FIXTURES, "v0/three_tables.hdb"), os.path.join(FIXTURES, "v0/empty.hdb")),
    ):
        page = report(a, b)
        check_differences(f"{a} {b}", a, b, page)
        diff = run("diff", "--format=html", a, b)
        with open("diff.html", "wb") as file:
            file.write(diff.stdout)
        shown = page_of(f"diff {a} {b}", "diff.html")
        lines = [
            json.loads(line)
            for line in run("--json", "diff", "--records", a, b).stdout.splitlines()
        ]
        wanted = sum(line["type"] == "diff_record" for line in lines)
        records = [e for e in shown.root.all("article") if "record" in e.classes()]
        check(f"diff {a} {b}", len(records) == wanted, f"{len(records)} of {wanted} records")
        limited = run("diff", "--format=html", "-n", "3", a, b)
        with open("diff.html", "wb") as file:
            file.write(limited.stdout)
        records = [
            e
            for e in page_of("limited", "diff.html").root.all("article")
            if "record" in e.classes()
        ]
        check("limited", len(records) == min(3, wanted), f"{len(records)} records with -n 3")

    many = report("many_tables.hdb")
    check("many_tables.hdb", len(maps_of(many, "live")) == 40, "not 40 maps")

    # Names are there as text, whole, and visible.
    text = report("hostile.hdb").root.text()
    for name in (
        "<script>alert('table')</script>",
        'q" onfocus="alert(3)" autofocus x=\'',
        "right \\u{202e} to left \\u{2066}",
        "esc \\u{1b}[31m bell \\u{7}",
        "]]>--><!-- &lt;b&gt; &amp; {{x}} ${y} @media{} \\\\x3c",
        "W" * 230,
        "\u05e9\u05dc\u05d5\u05dd \u6c49\u5b57 \U0001f47e",
        "</title><script>alert('title')</script>",
        "\"'><svg onload=alert(4)>",
        '"><img src=x onerror=alert(2)>',
    ):
        check("hostile.hdb", name in text, f"{name!r} is not on the page")
    text = report("hostile.hdb", "hostile_later.hdb").root.text()
    diff = run("diff", "--format=html", "hostile.hdb", "hostile_later.hdb").stdout.decode()
    text = faults_of(diff, STYLE, SCRIPT)[0].root.text()
    for value in (
        "</script><script>alert(5)</script>\\u{202e}\\xff",
        "<style>*{display:none}</style>\\u{1b}[2J",
    ):
        check("hostile diff", value in text, f"{value!r} is not on the page")

    # The page reports what cannot be read, and draws the rest.
    done = run("report", "damaged.hdb", "-o", "damaged.html", statuses=(1,))
    check("damaged.hdb", b"damaged" in done.stdout, "not reported on standard output")
    damaged = page_of("damaged.hdb", "damaged.html")
    check("damaged.hdb", "HDB-E" in damaged.root.text(), "no code of a fault")
    unread = sum(cell[3] for svg in maps_of(damaged, "live") for cell in cells_of(svg))
    check("damaged.hdb", unread > 0, "no unreadable slot in any map")

    check_plots(os.path.join(FIXTURES, "v0/series"))
    table = "<script>alert('table')</script>"
    names = [json.loads(line) for line in run("--json", "ls", "hostile.hdb").stdout.splitlines()]
    check("hostile.hdb", table in [each["table"] for each in names], "another table is there")
    for each in names:
        record = run("dump", "hostile.hdb", "-t", each["table"], "--limit", "1").stdout
        if record:
            plot(json.loads(record)["handle"], "hostile.hdb", "hostile_later.hdb")

    # Half a million slots and ten times fewer make pages of like size.
    sizes = []
    for records in (40_000, LARGE_RECORDS):
        subprocess.run([MAKER, ".", str(records)], check=True)
        run("report", "--force", "large.hdb", "-o", "large.html")
        sizes.append(os.path.getsize("large.html"))
    check("large.hdb", sizes[1] < sizes[0] * 1.5 and sizes[1] < 300_000, f"pages of {sizes} bytes")
    print(f"pages: cases={cases} failures={failures}")
    return failures != 0


sys.exit(main())
