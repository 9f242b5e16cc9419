# Opens the pages of hdbinspect in Chromium, without a window. Nothing is loaded, nothing is logged,
# nothing sticks out at three widths, texts have contrast in light and dark, the keyboard reaches
# every control, the button and the maps work, and paper is white.
# browser_test.py HDBINSPECT MAKE_REPORT_FILES FIXTURES CHROMIUM CHROMEDRIVER
import os
import pathlib
import subprocess
import sys
import tempfile

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from chromium import Checks, requests_of, show, start

PROGRAM, MAKER, FIXTURES, CHROMIUM, CHROMEDRIVER = sys.argv[1:]
LOOK = (pathlib.Path(__file__).parent / "look.js").read_text(encoding="utf-8")
check = Checks()


def keyboard_faults(driver):
    """Tab reaches every control and picture, in the order of the page, and shows where it is."""
    wanted = driver.execute_script(
        """
        const stops = "a[href], button, summary, [tabindex='0']";
        const all = [...document.querySelectorAll(stops)].filter((e) => e.checkVisibility());
        all.forEach((e, i) => { e.dataset.stop = String(i); });
        document.activeElement.blur(); scrollTo(0, 0);
        return all.length;"""
    )
    reached = []
    faults = []
    for _ in range(3 * wanted + 10):
        ActionChains(driver).send_keys(Keys.TAB).perform()
        stop, outline, width, left_top = driver.execute_script(
            """
            const e = document.activeElement;
            const s = getComputedStyle(e), b = e.getBoundingClientRect();
            return [e.dataset.stop ?? null, s.outlineStyle, parseFloat(s.outlineWidth), b.top];"""
        )
        if stop is None:
            continue  # what scrolls is a stop of its own
        if reached and int(stop) == reached[0]:
            break
        reached.append(int(stop))
        if outline == "none" or width < 2:
            faults.append(f"no outline at stop {stop}")
        if len(reached) == 1 and left_top < 0:
            faults.append("the skip link stays out of sight")
        if len(reached) == wanted:
            break
    if reached != list(range(wanted)):
        missing = sorted(set(range(wanted)) - set(reached))
        faults.append(
            f"{len(reached)} of {wanted} stops reached; "
            f"missing {missing[:10]}, begin {reached[:10]}"
        )
    return faults


def toggle_faults(driver):
    def background():
        return driver.execute_script("return getComputedStyle(document.body).backgroundColor")

    button = driver.find_element(By.ID, "theme")
    before, label = background(), button.text
    button.click()
    after, other = background(), button.text
    button.click()
    if before == after or label == other or background() != before or not label:
        return [f"the button turns {before} to {after} to {background()}, {label!r} to {other!r}"]
    return []


def map_faults(driver):
    return driver.execute_script(
        """
        const faults = [];
        for (const map of document.querySelectorAll("svg[data-cells]")) {
          const out = map.parentElement.querySelector("output");
          map.focus();
          const shown = () => out.textContent || "nothing";
          for (const key of ["ArrowRight", "ArrowRight", "ArrowLeft"])
            map.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
          if (!/^Slots? 0/.test(out.textContent)) faults.push(`the map shows ${shown()}`);
          const box = map.getBoundingClientRect();
          const place = {clientX: box.left + 4, clientY: box.top + 4};
          map.dispatchEvent(new PointerEvent("pointermove", place));
          if (!/^Slots? 0/.test(out.textContent)) faults.push(`under the pointer: ${shown()}`);
          if (!map.querySelector(".cursor")) faults.push("no cursor");
        }
        return faults;"""
    )


def plot_faults(driver):
    """Lines and bands over time say the value at the pointer and at each step of the keyboard."""
    return driver.execute_script(
        """
        const faults = [];
        for (const plot of document.querySelectorAll("[data-plot]")) {
          const samples = plot.dataset.plot.split("\\n").map((line) => line.split("\\t"));
          const out = plot.closest("figure").querySelector("output");
          const check = (what, [, save, value]) => {
            const text = out.textContent;
            if (!text.startsWith(value) || !text.includes(`from ${save}`))
              faults.push(`${what}: ${text || "nothing"} instead of ${value} from ${save}`);
          };
          for (const [i, sample] of samples.entries()) {
            const key = i === 0 ? "ArrowLeft" : "ArrowRight";
            plot.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
            check(key, sample);
          }
          const box = plot.getBoundingClientRect();
          for (const [i, sample] of samples.entries()) {
            const end = i + 1 < samples.length ? Number(samples[i + 1][0]) : 1;
            const clientX = box.left + (Number(sample[0]) + end) / 2 * box.width;
            plot.dispatchEvent(new PointerEvent("pointermove", {clientX, clientY: box.top + 4}));
            check("pointer", sample);
          }
          if (!plot.querySelector(".pointer")) faults.push("no pointer");
        }
        return faults;"""
    )


def hidden_faults(driver):
    """Parts that open, when they are open: nothing sticks out there either."""
    driver.execute_script("for (const d of document.querySelectorAll('details')) d.open = true;")
    faults = driver.execute_script(LOOK, 10)
    driver.execute_script("for (const d of document.querySelectorAll('details')) d.open = false;")
    return faults


def look_at(driver, path, texts, keyboard):
    name = path.name
    url = path.as_uri()
    for theme in ("light", "dark"):
        for width in (360, 800, 1600):
            show(driver, width, theme)
            driver.get(url)
            check(f"{name} {width} {theme}", driver.execute_script(LOOK, texts))
            if width == 360:
                check(f"{name} {width} {theme}, all open", hidden_faults(driver))
    check(f"{name} toggle", toggle_faults(driver))
    check(f"{name} maps", map_faults(driver))
    check(f"{name} plots", plot_faults(driver))
    show(driver, 1000, "dark", "print")
    ground = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
    check(f"{name} paper", [] if ground == "rgb(255, 255, 255)" else [f"paper is {ground}"])
    show(driver, 1000, "light")
    driver.get(url)
    if keyboard:
        check(f"{name} keyboard", keyboard_faults(driver))
    check(
        f"{name} scripts",
        driver.execute_script("return document.scripts.length === 1 ? [] : ['other scripts']"),
    )
    check(f"{name} log", [entry["message"] for entry in driver.get_log("browser")])
    check(f"{name} network", requests_of(driver, url))


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        subprocess.run([MAKER, "."], check=True)
        fixtures = os.path.join(FIXTURES, "v0")
        pages = [
            ("game", ["game.hdb", "game_later.hdb"], 150, True),
            ("hostile", ["hostile.hdb", "hostile_later.hdb"], 80, True),
            ("damaged", ["damaged.hdb"], 80, False),
            ("many_tables", ["many_tables.hdb"], 300, False),
            ("empty", [os.path.join(fixtures, "empty.hdb")], 15, True),
            ("resources", [os.path.join(fixtures, "resources.hdb")], 80, False),
        ]
        for name, files, _, _ in pages:
            subprocess.run(
                [PROGRAM, "-q", "report", *files, "-o", name + ".html"], check=name != "damaged"
            )
        for name in ("game", "hostile"):
            with open(f"diff_{name}.html", "wb") as file:
                subprocess.run(
                    [
                        PROGRAM,
                        "diff",
                        "--format=html",
                        "-n",
                        "200",
                        f"{name}.hdb",
                        f"{name}_later.hdb",
                    ],
                    stdout=file,
                    check=False,
                )
            pages.append((f"diff_{name}", [], 15, True))
        for name, record in (("plot", "monsters:1"), ("plot_field", "monsters:0@1.pos.*")):
            series = os.path.join(fixtures, "series")
            subprocess.run(
                [PROGRAM, "-q", "plot", series, record, "-o", name + ".html"], check=True
            )
            pages.append((name, [], 15, True))
        driver = start(folder, CHROMIUM, CHROMEDRIVER)
        try:
            for name, _, texts, keyboard in pages:
                look_at(driver, pathlib.Path(folder) / (name + ".html"), texts, keyboard)
        finally:
            driver.quit()
    print(f"browser: cases={check.cases} failures={check.failures}")
    return check.failures != 0


sys.exit(main())
