# The documentation site in Chromium: pages of each kind at two widths, light and dark, with axe;
# the search, by keys; the choice of light or dark, which the next page keeps.
# site_test.py SITE CHROMIUM CHROMEDRIVER AXE [PAGE...]
import pathlib
import sys
import tempfile

from selenium.webdriver.common.keys import Keys

from chromium import Checks, Page, requests_of, show, start

SITE, CHROMIUM, CHROMEDRIVER, AXE, *PAGES = sys.argv[1:]
KINDS = ["index", "guide", "old-saves", "hdbinspect", "api", "api-database", "api-inspect-filter",
         "architecture", "hdbinspect-diff", "example-replay"]
check = Checks()


def opened(driver, name):
    return Page(driver, pathlib.Path(SITE) / f"{name}.html", check)


def look_at_pages(driver):
    for name in PAGES or KINDS:
        page = opened(driver, name)
        check(f"{name} network", [request for request in requests_of(driver, page.url)
                                  if not request.startswith("file:")])
        check(f"{name} log", [entry["message"] for entry in driver.get_log("browser")])
        for theme in ("light", "dark"):
            for width in (360, 1200):
                show(driver, width, theme)
                check(f"{name} {theme} {width}", page.faults(AXE))
        driver.get_log("browser")  # what axe cannot read of a file


def find(page, words):
    """What the search lists first."""
    page.run("document.querySelector('#search').value = ''; document.activeElement.blur()")
    page.keys("/", words)
    page.wait("document.querySelector('#found p').textContent", f"an answer to {words}")
    return page.texts("#found li a")


def search(driver):
    show(driver, 360, "dark")
    page = opened(driver, "index")
    for words, wanted in (("save_async", "save_async"), ("Database::capture", "Database::capture"),
                          ("state hash", "state_hash"), ("renumbered", "Enums"),
                          ("durable rename", "Reliability"), ("--leaks", "hdbinspect log")):
        found = find(page, words)
        check(f"search {words}", [] if any(wanted in text for text in found[:8]) else found)
    check("search with axe", page.faults(AXE))
    check("nothing", [] if not find(page, "xyzzy") else ["found"])
    check("says so", [] if "Nothing" in page.texts("#found p")[0] else page.texts("#found p"))
    find(page, "save_async")
    page.keys(Keys.ENTER)
    page.wait("location.href.includes('api-save.html#save_async')", "the first one by Enter")
    page = opened(driver, "index")
    find(page, "autosaver")
    page.keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    check("arrows", [] if page.run(
        "return document.activeElement === document.querySelectorAll('#found a')[1]") else ["no"])
    page.keys(Keys.ESCAPE)
    check("escape", [] if page.run("return document.querySelector('#found').hidden") else ["no"])


def choose_theme(driver):
    show(driver, 1200, "light")
    page = opened(driver, "index")
    ground = "return getComputedStyle(document.body).backgroundColor"
    light = page.run(ground)
    page.press("Dark")
    dark = page.run(ground)
    check("dark", [] if light != dark else [dark])
    page = opened(driver, "guide")
    check("kept", [] if page.run(ground) == dark else [page.run(ground)])
    page.press("Light")
    show(driver, 1200, "dark")
    check("against the system", [] if page.run(ground) == light else [page.run(ground)])


def main():
    with tempfile.TemporaryDirectory() as folder:
        driver = start(folder, CHROMIUM, CHROMEDRIVER)
        try:
            look_at_pages(driver)
            search(driver)
            choose_theme(driver)
        finally:
            driver.quit()
    print(f"site in a browser: cases={check.cases} failures={check.failures}")
    return check.failures != 0


if __name__ == "__main__":
    sys.exit(main())
