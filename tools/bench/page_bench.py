#!/usr/bin/env python3
"""Times of the page of hdbinspect open in Chromium: what a person waits for, frames, memory.

page_bench.py [--runs N] SAVE [LATER_SAVE]

Needs chromium, chromium-driver and python3-selenium. The largest table of SAVE is looked at; the
first field of texts and the first one of numbers are searched and sorted. Frames come from
Chromium's tracing, while the table is scrolled by wheel for two seconds: the longest time between
two frames that were drawn. Memory is what the process of the page has for itself.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import sys
import tempfile
import time

sys.dont_write_bytecode = True
PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "tests" / "browser"))
from chromium import Checks, Page, start  # noqa: E402

CHROMIUM, CHROMEDRIVER = shutil.which("chromium"), shutil.which("chromedriver")


def seconds(page, script, what):
    """Until the script returns something; the clock of the page, which no driver slows down."""
    begin = time.monotonic()
    page.wait(script, what)
    return time.monotonic() - begin


def scroll(folder, save):
    """The longest and the median time in milliseconds between two frames while a table moves."""
    trace = os.path.join(folder, "trace.json")
    driver = start(folder, CHROMIUM, CHROMEDRIVER, [
        "--enable-tracing=viz,blink.user_timing", f"--enable-tracing-output={trace}",
        "--enable-tracing-format=json"])
    try:
        page, table = opened(driver, [save])
        page.go(view="table", table=table)
        page.wait("document.querySelector('.gridrow .cell')", "rows")
        time.sleep(1)
        box = page.run(
            """const b = document.querySelector('.grid').getBoundingClientRect();
            performance.mark('scroll-begin');
            return {x: Math.round(b.x + b.width / 2), y: Math.round(b.y + b.height / 2)};"""
        )
        driver.execute_cdp_cmd("Input.synthesizeScrollGesture", {
            **box, "yDistance": -20000, "speed": 10000, "gestureSourceType": "mouse"})
        page.run("performance.mark('scroll-end')")
    finally:
        driver.quit()
    events = trace_of(trace)
    (begin,) = [event["ts"] for event in events if event["name"] == "scroll-begin"]
    (end,) = [event["ts"] for event in events if event["name"] == "scroll-end"]
    drawn = sorted(event["ts"] for event in events
                   if event["name"] == "Display::DrawAndSwap" and begin < event["ts"] < end)
    steps = [(after - before) / 1000 for before, after in zip(drawn, drawn[1:])]
    return {"longest frame, ms": max(steps), "median frame, ms": statistics.median(steps)}


def trace_of(path):
    """The browser writes it when it ends."""
    for _ in range(100):
        try:
            with open(path, encoding="utf-8") as file:
                return json.load(file)["traceEvents"]
        except (OSError, ValueError):
            time.sleep(0.1)
    sys.exit("the browser wrote no trace")


def memory_of_processes(driver):
    """Private memory of the page's processes, in MiB."""
    parents, total = {}, 0
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parents[int(process.name)] = int(
                (process / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
    def is_ours(process):
        while process in parents:
            if process == driver.service.process.pid:
                return True
            process = parents[process]
        return False
    for number in filter(is_ours, parents):
        process = pathlib.Path("/proc", str(number))
        try:
            if b"--type=renderer" in (process / "cmdline").read_bytes():
                for text in (process / "smaps_rollup").read_text().splitlines():
                    if text.startswith("Private_"):
                        total += int(text.split()[1])
        except OSError:  # it ended meanwhile
            continue
    return total / 1024


def opened(driver, saves):
    """The page with the saves, and the name of the largest table."""
    page = Page(driver, PROJECT / "tools" / "viewer" / "viewer.html", Checks())
    page.wait("document.querySelector('.choose input')", "start")
    choose = driver.find_element("css selector", ".choose input")
    choose.send_keys("\n".join(str(pathlib.Path(save).resolve()) for save in saves))
    page.wait("document.querySelector('nav .tablelink')", "open")
    tables = page.run(
        """return [...document.querySelectorAll('nav .tablelink')].map((e) =>
          [Number(e.querySelector('.count').textContent), e.querySelector('bdi').textContent])"""
    )
    return page, max(tables)[1]


def run(folder, saves):
    found = {}
    driver = start(folder, CHROMIUM, CHROMEDRIVER)
    try:
        driver.get("about:blank")
        empty = memory_of_processes(driver)
        begin = time.monotonic()
        page, table = opened(driver, saves)
        found["open, with the page"] = time.monotonic() - begin
        found["sound"] = seconds(page, "document.querySelector('.verdict.good')", "sound")

        def look(name, **route):
            page.go(view="table", table=table, **route)
            time.sleep(0.05)
            rows = "" if "find" in route else "document.querySelector('.gridrow .cell') && "
            found[name] = 0.05 + seconds(
                page, rows + "!document.querySelector('.rows progress, .waiting')", name)

        look("first rows")
        found["memory with rows, MiB"] = memory_of_processes(driver)
        fields = page.run(
            """const names = [...document.querySelectorAll('[role=columnheader]')]
              .map((e) => e.textContent.trim());
            const cells = [...document.querySelector('.gridrow').children];
            return {text: names.find((_, i) => i && !cells[i].classList.contains('number')),
                    number: names.find((_, i) => i && cells[i].classList.contains('number'))};"""
        )
        look("find a text", find="zz top")
        for kind, field in fields.items():
            if field:
                look(f"sort by a {kind}", sort=field)
        found["memory at the end, MiB"] = memory_of_processes(driver)
        found["memory of an empty tab, MiB"] = empty
        if len(saves) > 1:
            page.go(view="changes")
            found["changes"] = seconds(
                page, "document.querySelector('[aria-label=\"Tables that differ\"]')", "changes")
    finally:
        driver.quit()
    return {**found, **scroll(folder, saves[0])}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("saves", nargs="+", metavar="SAVE")
    options = parser.parse_args()
    runs = []
    for _ in range(options.runs):
        with tempfile.TemporaryDirectory() as folder:
            runs.append(run(folder, options.saves))
    print(f"medians of {options.runs} runs; seconds where no unit is named; least to greatest")
    for name in runs[0]:
        values = sorted(each[name] for each in runs)
        print(f"  {name:24} {statistics.median(values):9.3f}   {values[0]:.3f} to {values[-1]:.3f}")


main()
