"""Chromium without a window, for the tests of pages."""
import json
import os

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

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


def start(folder, binary, driver):
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in [*FLAGS, "--user-data-dir=" + os.path.join(folder, "profile")]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service(driver), options=options)


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
