# The pages that report, plot and diff --format=html make of a game, hostile names, many tables and
# damage, in Chromium: each view that they begin with, at three widths, in light and dark and on
# paper; a save that changes while it is open; two tabs that edit one save.
# pages_test.py HDBINSPECT MAKE_PAGE_FILES FIXTURES CHROMIUM CHROMEDRIVER AXE
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from unicodedata import category

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from chromium import Checks, Page, downloads, requests_of, show, start

PROGRAM, MAKER, FIXTURES, CHROMIUM, CHROMEDRIVER, AXE = sys.argv[1:]
SERIES = pathlib.Path(FIXTURES) / "v0" / "series"
check = Checks()


def made(*words, statuses=(0, 1)):
    done = subprocess.run([PROGRAM, "-q", *map(str, words)], check=False)
    check(" ".join(map(str, words)), [] if done.returncode in statuses else [done.returncode])


def inspect(*words):
    run = subprocess.run([PROGRAM, "--json", *map(str, words)], stdout=subprocess.PIPE, check=False)
    return [json.loads(line) for line in run.stdout.splitlines()]


def look_at(driver, name, ready, texts=(), views=()):
    """Opens a page, waits for `ready`, looks with axe at all widths, and at paper."""
    page = Page(driver, f"{name}.html", check)
    page.wait(ready, name)
    page.settle(name)
    shown = page.run("return document.body.innerText")
    for text in texts:
        check(f"{name}: {text[:40]}", [] if text in shown else [f"not shown in {shown[:300]}"])
    steering = {f"U+{ord(c):04X}" for c in shown
                if c not in "\n\t" and category(c) in ("Cc", "Cf")}
    check(f"{name} steering", sorted(steering))
    for theme in ("light", "dark"):
        for width in (360, 800, 1600):
            show(driver, width, theme)
            for view in [None, *views]:
                if view:
                    page.go(**view)
                page.settle(name)
                check(f"{name} {theme} {width} {view}", page.faults(AXE))
    show(driver, 1000, "dark", "print")
    ground = page.run("return getComputedStyle(document.body).backgroundColor")
    check(f"{name} paper", [] if ground == "rgb(255, 255, 255)" else [f"paper is {ground}"])
    show(driver, 1200, "light")
    page.load()
    page.wait(ready, name)
    check(f"{name} log", [entry["message"] for entry in driver.get_log("browser")])
    check(f"{name} network", requests_of(driver, page.url))
    return page


def look_at_reports(driver):
    made("report", "game.hdb", "-o", "game.html")
    look_at(driver, "game", "document.querySelector('.verdict.good')",
            views=[{"view": "slots", "table": "creatures"}])
    made("report", "game.hdb", "game_later.hdb", "-o", "moves.html")
    page = look_at(driver, "moves", "document.querySelector('[aria-label=\"Tables that differ\"]')")
    check("moves title", [] if "game_later" in driver.title else [driver.title])
    rows = [line for line in inspect("diff", "--summary", "game.hdb", "game_later.hdb")
            if line["type"] == "diff_table" and line["differs"]]
    cells = page.run(
        """return [...document.querySelectorAll('[aria-label="Tables that differ"] tbody tr')]
          .map((row) => [...row.children].slice(0, 7).map((cell) =>
            cell.textContent.replace(/\\u2009/g, '')))"""
    )
    wanted = [[row["table"], *(str(row[key]) for key in (
        "old_live", "new_live", "added", "removed", "changed", "reused"))] for row in rows]
    check("moves rows", [] if cells == wanted else [f"{cells} instead of {wanted}"])
    made("report", "damaged.hdb", "-o", "damaged.html", statuses=(1,))
    look_at(driver, "damaged", "document.querySelector('.verdict.bad')",
            ["HDB-E", "hdbinspect repair"])
    made("report", "many_tables.hdb", "-o", "many.html")
    look_at(driver, "many", "document.querySelector('.verdict.good')")
    made("report", "hostile.hdb", "hostile_later.hdb", "-o", "hostile.html")
    look_at(driver, "hostile", "document.querySelector('[aria-label=\"Tables that differ\"]')",
            ["<script>alert('table')</script>"], views=[{"view": "overview"}])


def look_at_diffs(driver):
    for name in ("game", "hostile"):
        made("diff", "--format=html", f"{name}.hdb", f"{name}_later.hdb", "-o",
             f"diff_{name}.html")
        page = look_at(driver, f"diff_{name}",
                       "document.querySelector('[aria-label=\"Tables that differ\"]')")
        records = sum(line["type"] == "diff_record" for line in
                      inspect("diff", "--records", f"{name}.hdb", f"{name}_later.hdb"))
        found = sum(int(text.replace("\u2009", "")) for text in page.texts("ul.sum b"))
        check(f"diff_{name} records", [] if found == records else [f"{found}, not {records}"])
    made("diff", "--format=html", "-n", "3", "game.hdb", "game_later.hdb", "-o", "few.html")
    page = Page(driver, "few.html", check)
    page.wait("document.querySelector('[aria-label=\"Tables that differ\"]')", "few")
    text = page.run("return document.body.innerText")
    check("records left out are said", [] if "first 3 records of" in text else [text[:600]])
    made("diff", "--format=html", "game.hdb", "game.hdb", "-o", "equal.html")
    page = Page(driver, "equal.html", check)
    page.wait("document.querySelector('.verdict.good')", "equal")


def look_at_plots(driver):
    for name, record in (("plot", "monsters:1"), ("plot_field", "monsters:0@1.pos.*"),
                         ("plot_table", "monsters")):
        made("plot", SERIES, record, "-o", f"{name}.html")
        look_at(driver, name, "document.querySelector('main figure')")
    for number, row in enumerate(inspect("ls", "hostile.hdb")):
        name = f"plot_hostile_{number}"
        if row["live"] == 0:
            continue
        made("plot", "hostile.hdb", "hostile_later.hdb", f"{row['table']}:0", "-o", f"{name}.html")
        if pathlib.Path(f"{name}.html").exists():
            page = Page(driver, f"{name}.html", check)
            page.wait("document.querySelector('main figure, main table')", name)


def change_under_the_page(driver):
    """A save that is replaced while it is open: said, and nothing of both is mixed."""
    save = pathlib.Path("open.hdb")
    save.write_bytes(pathlib.Path("game.hdb").read_bytes())
    made("open", "-o", "viewer.html")
    page = Page(driver, "viewer.html", check)
    page.wait("document.querySelector('.choose input')", "start")
    driver.find_element(By.CSS_SELECTOR, ".choose input").send_keys(str(save.resolve()))
    page.wait("document.querySelector('.verdict.good')", "open")
    save.write_bytes(pathlib.Path("game_later.hdb").read_bytes())
    page.go(view="slots", table="creatures")
    found = page.wait("document.querySelector('main .bad')?.textContent", "changed")
    check("a changed file", [] if found and "changed" in found else [str(found)])


def edit_in_two_tabs(driver, folder):
    """Each tab has edits of its own, and each downloads a save with them alone."""
    made("open", "game.hdb", "-o", "tabs.html")
    driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": folder}
    )
    tabs = [driver.current_window_handle]
    driver.switch_to.new_window("tab")
    tabs.append(driver.current_window_handle)
    live = [line for line in inspect("dump", "game.hdb", "-t", "creatures", "--limit", "2")
            if line["type"] == "record"]
    pages = []
    for tab, record in zip(tabs, live, strict=True):
        driver.switch_to.window(tab)
        page = Page(driver, "tabs.html", check)
        page.go(view="table", table="creatures", slot=str(record["slot"]))
        page.wait("document.querySelector('.record .tree')", "record")
        page.run("document.querySelector('[aria-label=\"Edit hp\"]').click()")
        page.wait("document.querySelector('.edit input')", "edit")
        field = driver.find_element(By.CSS_SELECTOR, ".edit input")
        field.clear()
        field.send_keys("12345", Keys.ENTER)
        page.wait("/1 edit/.test(document.querySelector('.strong')?.textContent)", "one edit")
        pages.append(page)
    for tab, record, page in zip(tabs, live, pages, strict=True):
        driver.switch_to.window(tab)
        page.run("document.querySelector('.strong').click()")
        saved = downloads(pathlib.Path(folder) / "game.edited.hdb", check)
        made("validate", "--level=deep", saved, statuses=(0,))
        changed = [line["new_handle"] for line in inspect("diff", "--records", "game.hdb", saved)
                   if line["type"] == "diff_record"]
        check("one edit a tab", [] if changed == [record["handle"]] else [str(changed)])
        saved.unlink()


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        subprocess.run([MAKER, "."], check=True)
        driver = start(folder, CHROMIUM, CHROMEDRIVER)
        try:
            look_at_reports(driver)
            look_at_diffs(driver)
            look_at_plots(driver)
            change_under_the_page(driver)
            driver.get_log("browser")  # the refused read is in it
            edit_in_two_tabs(driver, folder)
        finally:
            driver.quit()
    print(f"pages: cases={check.cases} failures={check.failures}")
    return check.failures != 0


sys.exit(main())
