"""Chromium without a window, for the tests of pages."""
import json
import os
import pathlib
import time

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
PATIENCE = 60


class Checks:
    """Counts what was looked at, and prints what is wrong with it."""

    def __init__(self):
        self.cases = 0
        self.failures = 0

    def __call__(self, name, faults):
        self.cases += 1
        if faults:
            self.failures += 1
            for fault in faults[:6]:
                print(f"{name}: {fault}")


def start(folder, binary, driver, more=()):
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in [*FLAGS, *more, "--user-data-dir=" + os.path.join(folder, "profile")]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(service=Service(driver), options=options)
    # HDB_BROWSER_SLOWDOWN=20: a slower machine, which finds checks that do not wait long enough.
    rate = float(os.environ.get("HDB_BROWSER_SLOWDOWN", "1"))
    browser.execute_cdp_cmd("Emulation.setCPUThrottlingRate", {"rate": rate})
    browser.set_script_timeout(3600)  # only for what hangs: axe takes minutes on a slow machine
    return browser


def show(driver, width, theme, media="screen"):
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False},
    )
    driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {
            "media": media,
            "features": [
                {"name": "prefers-color-scheme", "value": theme},
                {"name": "prefers-reduced-motion", "value": "reduce"},
            ],
        },
    )


def requests_of(driver, url):
    found = []
    for entry in driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            found.append(message["params"]["request"]["url"])
    # chrome: are the browser's own first page and its parts.
    return [
        request
        for request in found
        if request != url and not request.startswith(("data:", "blob:", "chrome:"))
    ]


class Page:
    def __init__(self, driver, path, check):
        self.driver = driver
        self.check = check
        self.url = pathlib.Path(path).resolve().as_uri()
        self.load()

    def load(self):
        self.driver.get("about:blank")
        self.driver.get_log("performance")  # of the page before
        self.driver.get(self.url)

    def run(self, script, *values):
        return self.driver.execute_script(script, *values)

    def wait(self, script, what):
        """Until the script returns something; a check that fails if it never does."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = self.run("return " + script)
            if found:
                return found
            time.sleep(0.02)
        self.check(what, [f"never: {script}"])
        return None

    def wait_for_record(self, handle):
        """Until the record is shown; before it is read, the heading shows its slot alone."""
        self.wait(
            f"document.querySelector('.record h2')?.textContent === {json.dumps(handle)}", handle
        )

    def go(self, **route):
        self.run("location.hash = '#' + new URLSearchParams(arguments[0])", route)

    def texts(self, selector):
        return self.run(
            "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)",
            selector,
        )

    def press(self, text):
        self.run(
            """[...document.querySelectorAll('button')]
              .find((b) => b.textContent === arguments[0]).click()""",
            text,
        )

    def keys(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def rows(self):
        """The texts of the cells in sight, once all are there."""
        self.settle("rows")
        self.wait("document.querySelector('.gridrow')", "rows")
        return self.run(
            """return [...document.querySelectorAll('.gridrow')]
              .sort((a, b) => a.ariaRowIndex - b.ariaRowIndex)
              .map((row) => [...row.children].map((cell) => cell.textContent))"""
        )

    def settle(self, what):
        """Until nothing is on its way: not now, nor in what the next frames begin to read.

        The view of an address appears with a frame after it is set, and asks for what it shows
        with the next; until then the view before it stands there, and waits for nothing.
        """
        settled = self.driver.execute_async_script(
            """const done = arguments[arguments.length - 1];
            const end = performance.now() + arguments[0] * 1000;
            const frame = () => new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
            (async () => {
              for (let quiet = 0; quiet < 4 && performance.now() < end; ++quiet) {
                await frame();
                if (document.querySelector('progress, .waiting')) quiet = -1;
              }
              done(!document.querySelector('progress, .waiting'));
            })();""",
            PATIENCE,
        )
        self.check(what, [] if settled else ["still waits"])

    def faults(self, axe):
        """What axe finds, and whether the page is wider than the window."""
        if not self.run("return 'axe' in window"):
            self.run(pathlib.Path(axe).read_text(encoding="utf-8"))
        found = self.driver.execute_async_script(
            """const done = arguments[arguments.length - 1];
            axe.run(document, {resultTypes: ['violations']}).then((result) =>
              done(result.violations.map(({id, help, nodes}) =>
                `${id}: ${help}: ${nodes[0].html.slice(0, 120)}`)));"""
        )
        wide = self.run("return document.documentElement.scrollWidth - innerWidth")
        return found + ([f"{wide} wider than the window"] if wide > 0 else [])


def downloads(path, check):
    """The file that the browser is about to write."""
    end = time.monotonic() + PATIENCE
    while not path.exists() and time.monotonic() < end:
        time.sleep(0.05)
    check(str(path), [] if path.exists() else ["never downloaded"])
    return path
