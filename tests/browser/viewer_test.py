# Drives the page of `hdbinspect open` in Chromium as a person would: each view with the mouse and
# with keys, in light and dark, narrow and wide; what it shows is compared with hdbinspect, and axe
# looks for what keeps people from using it.
# viewer_test.py HDBINSPECT FIXTURES CHROMIUM CHROMEDRIVER AXE VIEWER
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from chromium import Checks, Page, downloads, requests_of, show, start

PROGRAM, FIXTURES, CHROMIUM, CHROMEDRIVER, AXE, VIEWER = sys.argv[1:]
FILES = pathlib.Path(FIXTURES) / "v0.10"
check = Checks()


def inspect(*words):
    """Objects of JSON lines; a finding is an answer, too."""
    run = subprocess.run([PROGRAM, "--json", *map(str, words)], stdout=subprocess.PIPE, check=False)
    assert run.returncode < 2, words
    return [json.loads(line) for line in run.stdout.splitlines()]


def equal(name, found, expected):
    check(name, [] if found == expected else [f"{found!r} instead of {expected!r}"])


def open_page(driver, files, name="page.html"):
    made = subprocess.run([PROGRAM, "-q", "open", *files, "--force", "-o", name])
    assert made.returncode in (0, 1), made  # 1: a save is damaged
    return Page(driver, name, check)


def choose_file(page, number):
    page.run(
        """const s = document.querySelector('header select'); s.value = arguments[0];
        s.dispatchEvent(new Event('change', {bubbles: true}));""",
        number,
    )


def look_overview(page):
    page.wait("document.querySelector('.verdict.good')", "verdict")
    equal("title", page.texts("h1"), ["Before"])
    (info,) = inspect("info", FILES / "before.hdb")
    facts = dict(zip(page.texts(".facts dt"), page.texts(".facts dd"), strict=True))
    equal("state hash", facts["State hash, stored"], info["state_hash"])
    tables = [row for row in inspect("ls", FILES / "before.hdb") if row["type"] == "table"]
    equal(
        "counts",
        page.texts("nav .tablelink a"),
        [f"{table['table']}{table['live']}" for table in tables],
    )
    page.wait("document.querySelector('[aria-label=References] tbody tr')", "references")
    links = page.texts("[aria-label=References] tbody th")
    equal("links", links, ["monsters.weapon", "monsters.target"])
    equal("graph", len(page.texts("svg.graph .edge")), 2)
    page.wait("document.querySelector('.treemap .box')", "treemap")
    shown = page.texts("[aria-label='Bytes by table'] tbody th")
    check("sizes", [row["table"] for row in tables if row["table"] not in shown])


def look_table(page):
    page.driver.find_element(By.LINK_TEXT, "monsters").click()
    rows = page.rows()
    records = [r for r in inspect("dump", FILES / "before.hdb", "-t", "monsters") if "slot" in r]
    equal("handles", [row[0] for row in rows], [record["handle"] for record in records])
    equal("names", [row[1] for row in rows], [record["fields"]["name"] for record in records])
    # Keys: down twice, the record, a handle in it, and back.
    page.run("document.querySelector('.grid').focus()")
    page.keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ENTER)
    page.wait("document.querySelector('.record .tree')", "record")
    equal("record", page.texts(".record h2"), [records[2]["handle"]])
    equal("its name", page.texts(".tree .leaf .value")[0], records[2]["fields"]["name"])
    page.press("Look")
    page.wait("document.querySelector('.references, .record section .muted')", "who names it")
    referred = inspect("get", "--refs", FILES / "before.hdb", records[2]["handle"])
    names = [each["handle"] for each in referred if each["type"] == "reference"]
    equal("who names it", page.texts(".references li a"), names)
    page.driver.find_element(By.CSS_SELECTOR, ".record .tree a").click()
    page.wait("location.hash.includes('table=weapons')", "follow")
    page.wait_for_record(records[2]["fields"]["weapon"])
    page.driver.back()
    page.wait("location.hash.includes('table=monsters')", "back")
    page.wait("document.querySelector('.record .tree')", "back")
    page.keys(Keys.ESCAPE)
    page.wait("!document.querySelector('.record')", "closed")


def look_filters(page):
    page.go(view="table", table="monsters")
    page.rows()
    for where, count in (("hp < 50", None), ("target is stale", None), ("name ~* 'IM*'", None)):
        field = page.driver.find_element(By.CSS_SELECTOR, ".field input.mono")
        field.clear()
        field.send_keys(where, Keys.ENTER)
        page.wait("!document.querySelector('.rows progress')", where)
        lines = inspect("dump", FILES / "before.hdb", "-t", "monsters", "-w", where)
        count = len([line for line in lines if "slot" in line])
        page.wait(
            f"document.querySelector('.status').textContent.startsWith('{count} record')", where
        )
    page.go(view="table", table="monsters", where="hq < 3")
    page.wait("document.querySelector('[role=alert]')", "a wrong filter")
    (alert,) = page.texts("[role=alert]")
    check("a wrong filter", [] if "hq" in alert and "hp" in alert else [alert])
    page.go(view="table", table="monsters")
    page.rows()
    page.run("document.querySelectorAll('button.sort')[3].click()")
    page.wait("document.querySelector('[aria-sort=ascending]')", "sorted")
    xs = [float(row[3]) for row in page.rows()]
    equal("sorted", xs, sorted(xs))


def look_columns(page):
    """A column that was hidden comes back to its place, with its own values."""
    page.go(view="table", table="monsters")
    rows = page.rows()
    for shown in (False, True):
        page.run("document.querySelector('.choices input').click()")
        page.wait(f"document.querySelector('.choices input').checked === {str(shown).lower()}", "")
        time.sleep(0.2)
    equal("the same columns again", page.rows(), rows)


def look_slots(page):
    page.go(view="slots", table="monsters")
    page.wait("document.querySelector('.cells') && document.querySelector('.gridrow')", "slots")
    (free,) = [row for row in page.rows()]
    equal("free list", free[1], "5")
    (table,) = [r for r in inspect("ls", FILES / "before.hdb") if r.get("table") == "monsters"]
    page.run("document.querySelector('.cells').focus()")
    for keys, slot in (([Keys.HOME], 0), ([Keys.ARROW_RIGHT] * 5, 5), ([Keys.END], 11)):
        page.keys(*keys)
        (readout,) = page.texts(".readout")
        state = "1 free" if slot == 5 else "1 live; generation 1"
        equal(f"readout of slot {slot}", readout, f"Slot {slot}: {state}")
    page.run("document.querySelector('.folded').open = true")
    page.wait("document.querySelector('.folded tbody tr')", "as a table")
    live = sum(map(int, page.texts("[aria-label='Slots of monsters'] td:nth-child(2)")))
    equal("live slots of the map", live, table["live"])
    generations = page.texts("[aria-label='Slots by generation'] td:nth-child(3)")
    equal("live slots by generation", sum(map(int, generations)), table["live"])
    page.run("document.querySelector('.cells').focus()")
    page.keys(Keys.ENTER)
    page.wait("/view=table.*slot=11/.test(location.hash)", "Enter opens the record")


def look_changes(page):
    choose_file(page, 1)
    page.go(view="changes", table="monsters")
    page.wait("document.querySelector('.changes .gridrow')", "changes")
    (table,) = [
        line
        for line in inspect("diff", "--summary", FILES / "before.hdb", FILES / "after.hdb")
        if line.get("table") == "monsters"
    ]
    numbers = page.texts("[aria-label='Tables that differ'] tr[aria-current] td")[2:6]
    equal("numbers", numbers, [str(table[k]) for k in ("added", "removed", "changed", "reused")])
    sums = page.texts(".sum b")
    equal("sums", sums, ["3", "1", "1", "2"])
    page.run("document.querySelector('.changes .cells').focus()")
    page.keys(Keys.HOME, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    equal("readout", page.texts(".readout"), ["Slot 2: 1 changed"])
    page.keys(Keys.ENTER)
    page.wait("document.querySelector('.sides tr.changed')", "both sides of the cell")
    page.run("document.querySelector('[aria-label=\"Close the record\"]').click()")
    page.wait("!document.querySelector('.sides')", "closed")
    page.run("document.querySelectorAll('.changes .gridrow .cell')[3].click()")
    page.wait("document.querySelector('.sides tr.changed')", "both sides")
    choose_file(page, 0)


def look_history(driver):
    """Values over time, by the pointer and by keys; the slot of a record; an axis that is wrong."""
    saves = sorted((FILES / "series").glob("*.hdb"))
    page = open_page(driver, saves, "series.html")
    page.wait("document.querySelector('.verdict.good')", "series")
    page.go(view="table", table="monsters", slot="0")
    page.wait("document.querySelector('.record .tree')", "a record")
    page.driver.find_element(By.CSS_SELECTOR, ".record .bar a").click()
    page.wait("document.querySelectorAll('figure [role=slider]').length > 3", "its history")
    page.go(view="history", field="monsters:0@1.hp")
    picture = "document.querySelector('figure [role=slider]')"
    page.wait("document.querySelectorAll('figure [role=slider]').length === 1", "history")
    log = [
        (f"{pathlib.Path(line['save']).name} #{line['sequence']}", str(line["fields"][0]["new"]))
        for line in inspect("log", FILES / "series", "monsters:0@1.hp")
        if line["type"] == "log_change"
    ]
    page.run(f"{picture}.focus()")
    said = f"{picture}.getAttribute('aria-valuetext')"
    for key, number in ((Keys.HOME, 0), (Keys.RIGHT, 1), (Keys.END, -1), (Keys.LEFT, -2)):
        page.keys(key)
        save, value = log[number]
        page.wait(f"{said}.startsWith('{value} from {save} ')", f"{key!r} {save}")
        output = page.texts("figure output")
        check("output", [] if output[0].startswith(f"{value} from {save}") else output)
    page.run("document.querySelector('figure summary').click()")
    page.wait("document.querySelector('figure tbody td')", "values as a table")
    shown = list(zip(page.texts("figure tbody th"), page.texts("figure tbody td"), strict=True))
    equal("values", shown, log)
    page.driver.find_element(By.CSS_SELECTOR, "[aria-label=Saves] td button").click()
    page.wait("document.querySelector('main h1')?.textContent === 'Changes'", "changes")
    page.go(view="history", field="monsters:1")
    page.wait("document.querySelector('[aria-label=\"What happened to the record\"]')", "events")
    kinds = [line["event"] for line in inspect("log", FILES / "series", "monsters:1")[:-1]]
    rows = page.texts("[aria-label='What happened to the record'] tbody tr")
    equal("events", len(rows), sum(kind in ("born", "erased", "reused") for kind in kinds))
    views = [{"view": "history", "field": field} for field in ("monsters:1", "monsters")]
    look_with_axe(page, views)
    look_at_paper(page, views)
    page.go(view="history", field="nix")
    alert = page.wait("document.querySelector('[role=alert]')?.textContent", "a wrong name")
    check("refusal", [] if "No save has a table nix" in alert else [alert])


def look_at_paper(page, views):
    """On paper, dark or not: dark ink on white, no navigation, nothing cut, all that is folded."""
    show(page.driver, 720, "dark", "print")
    for view in views:
        page.go(**view)
        page.settle(f"{view}")
        page.run("dispatchEvent(new Event('beforeprint'))")
        found = page.run(
            """const seen = (e) => e.checkVisibility();
            const style = getComputedStyle(document.body);
            const cut = [...document.querySelectorAll('.scroll')].filter(
              (e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.getAttribute('aria-label'));
            return [style.backgroundColor, style.color,
              ...[...document.querySelectorAll('nav, header, main progress')].filter(seen)
                .map((e) => e.tagName),
              ...[...document.querySelectorAll('main details:not([open], .menu)')]
                .map((e) => e.textContent),
              ...cut];"""
        )
        equal(f"paper {view}", found, ["rgb(255, 255, 255)", "rgb(0, 0, 0)"])
        page.run("dispatchEvent(new Event('afterprint'))")
    show(page.driver, 1200, "light")


def edit_and_download(page, folder):
    """Set, insert, erase and undo; the downloaded file is sound and differs by the edits alone."""
    page.go(view="table", table="monsters", slot="3")
    page.wait("document.querySelector('.record .tree')", "record")

    def set_field(path, text):
        page.run(f"document.querySelector('[aria-label=\"Edit {path}\"]').click()")
        page.wait("document.querySelector('.edit input')", path)
        field = page.driver.find_element(By.CSS_SELECTOR, ".edit input")
        field.clear()
        field.send_keys(text, Keys.ENTER)

    for wrong in ("many", "99999999999"):
        set_field("hp", wrong)
        page.wait("document.querySelector('.edit .bad')", wrong)
        (message,) = page.texts(".edit .bad")
        check(wrong, [] if wrong in message else [message])
        page.press("Cancel")
    set_field("target", "monsters:5@9")
    page.wait("/names no record/.test(document.querySelector('.edit .bad')?.textContent)", "stale")
    page.press("Cancel")
    set_field("hp", "77")
    page.wait("/1 edit/.test(document.querySelector('.strong')?.textContent)", "one edit")
    set_field("loot[1]", "pearl")
    page.wait("/2 edits/.test(document.querySelector('.strong')?.textContent)", "two edits")
    page.press("New record")
    page.wait("/3 edits/.test(document.querySelector('.strong')?.textContent)", "an insert")
    page.wait("/slot=5/.test(location.hash)", "the new record")
    page.wait_for_record("monsters:5@2")  # the slot that the game would use next
    page.go(view="table", table="monsters", slot="11")
    page.wait_for_record("monsters:11@1")
    page.press("Erase this record")
    page.wait("/4 edits/.test(document.querySelector('.strong')?.textContent)", "an erase")
    page.press("Undo")
    page.wait("/3 edits/.test(document.querySelector('.strong')?.textContent)", "undone")
    page.go(view="overview")
    page.wait("/3 edits/.test(document.querySelector('.verdict.good')?.textContent)", "sound")
    page.driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": folder}
    )
    page.run("document.querySelector('.strong').click()")
    saved = downloads(pathlib.Path(folder) / "before.edited.hdb", check)
    subprocess.run([PROGRAM, "-q", "validate", "--level=deep", saved], check=True)
    lines = inspect("diff", "--fields", FILES / "before.hdb", saved)
    changes = sorted(
        (line["new_handle"], line["mark"], [field["path"] for field in line.get("fields", [])])
        for line in lines
        if line["type"] == "diff_record"
    )
    equal(
        "the difference",
        changes,
        [("monsters:3@1", "~", ["hp", "loot[1]"]), ("monsters:5@2", "+", [])],
    )
    for _ in range(3):
        page.press("Undo")
        time.sleep(0.3)
    page.wait("!document.querySelector('.strong')", "all undone")


VIEWS = [
    {"view": "overview"},
    {"view": "table", "table": "monsters"},
    {"view": "table", "table": "monsters", "slot": "3"},
    {"view": "slots", "table": "monsters"},
    {"view": "changes", "table": "monsters"},
    {"view": "history", "field": "monsters:2@1.hp"},
]


def look_with_axe(page, views):
    """No violation in any view; nothing is wider than the window."""
    for theme in ("light", "dark"):
        for width in (320, 600, 1200):
            show(page.driver, width, theme)
            for view in views:
                page.go(**view)
                page.settle(f"{view}")
                check(f"{width} {theme} {view}", page.faults(AXE))
    show(page.driver, 1200, "light")


def look_at_strange_files(driver):
    """The page without a save takes files; broken and hostile ones are shown as what they are."""
    page = Page(driver, VIEWER, check)
    page.wait("document.querySelector('.choose input')", "start")
    files = [FILES / "odd_names.hdb", *sorted((pathlib.Path(FIXTURES) / "invalid").glob("*.hdb"))]
    driver.find_element(By.CSS_SELECTOR, ".choose input").send_keys("\n".join(map(str, files)))
    page.wait(f"document.querySelectorAll('header option').length === {len(files)}", "all files")
    page.wait("document.querySelector('.verdict.good')", "odd names are sound")
    names = [row["table"] for row in inspect("ls", FILES / "odd_names.hdb")]
    for name in names:
        page.go(view="table", table=name)
        page.wait("document.querySelector('.rows h1')", name)
        page.rows()
    page.go(view="history")
    page.wait("document.querySelector('main figure, [aria-label=Unchanged]')", "odd names")
    shown = page.texts("main figcaption, main th")
    check("bidi", [name for name in shown if any(c in name for c in "\u202e\u2066\x1b")])
    for number in range(1, len(files)):
        choose_file(page, number)
        page.go(view="overview")
        if files[number].name == "read_only_feature.hdb":  # it can be read
            page.wait("document.querySelector('.verdict.good')", files[number].name)
            continue
        found = page.wait(
            "document.querySelector('.refused .bad, .verdict.bad')?.textContent", files[number].name
        )
        check(files[number].name, [] if found and "HDB-E" in found else [f"{found}"])
        title = page.run("return document.querySelector('h1').textContent + document.title")
        check(files[number].name, [] if files[number].stem in title else [title])
    text = page.run("return document.body.textContent")
    check("bidi", [f"{ord(c):x}" for c in text if c in "\u202e\u2066\u2067\u200f\x1b"])
    damaged = bytearray((FILES / "before_stored.hdb").read_bytes())
    damaged[len(damaged) // 2] ^= 1
    pathlib.Path("damaged.hdb").write_bytes(damaged)
    page = open_page(driver, ["damaged.hdb"], "damaged.html")
    verdict = page.wait("document.querySelector('.verdict.bad')?.textContent", "damage")
    check("advice", [] if "hdbinspect repair damaged.hdb" in verdict else [verdict])
    look_at_damage(page)


def look_at_damage(page):
    """Each view of each table shows what is sound, and says in a line what is not."""
    said = 0
    for table in inspect("ls", FILES / "before_stored.hdb"):
        for view in ("table", "slots"):
            page.go(view=view, table=table["table"])
            page.settle(f"{view} of {table['table']}")
            page.wait(
                "document.querySelector('main h1')"
                " && document.querySelector('.damage, .gridrow, .map, main .note')",
                f"{view} of {table['table']}",
            )
            notes = page.texts(".damage")
            said += bool(notes)
            wrong = [note for note in notes if "cannot be read: HDB-E" not in note]
            check(f"{view} of {table['table']}", wrong + page.texts("[role=alert]"))
    check("damage is said", [] if said else ["in no view"])


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        driver = start(folder, CHROMIUM, CHROMEDRIVER)
        try:
            page = open_page(driver, [FILES / "before.hdb", FILES / "after.hdb"])
            for part in (
                look_overview, look_table, look_filters, look_columns, look_slots, look_changes
            ):
                part(page)
            edit_and_download(page, folder)
            look_with_axe(page, VIEWS)
            look_at_paper(page, VIEWS)
            check("log", [entry["message"] for entry in driver.get_log("browser")])
            check("network", requests_of(driver, page.url))
            look_history(driver)
            look_at_strange_files(driver)
            check("log", [entry["message"] for entry in driver.get_log("browser")])
        finally:
            driver.quit()
    print(f"viewer: cases={check.cases} failures={check.failures}")
    return check.failures != 0


sys.exit(main())
