#!/usr/bin/env python3
"""Checks tests/RELIABILITY.md: each promise G1 to G20 has a row with tests that exist, and prints
its line.

check_reliability.py SOURCES
"""
import os
import re
import sys

SOURCES = sys.argv[1]
PROMISES = 20
failures = []


def rows():
    with open(os.path.join(SOURCES, "tests/RELIABILITY.md"), encoding="utf-8") as file:
        for line in file:
            cells = line.strip().split(" | ")
            found = re.match(r"\| (G\d+)$", cells[0])
            if found:
                yield found[1], cells[1:]


def texts():
    """The sources of the tests, which name them and print the lines."""
    for folder, _, names in os.walk(os.path.join(SOURCES, "tests")):
        for name in names:
            if name.endswith((".cpp", ".hpp", ".py", ".sh")) or name == "CMakeLists.txt":
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    yield file.read()


sources = "\n".join(texts())
tests = {".".join(parts) for parts in
         re.findall(r"\bTEST(?:_F|_P)?\((\w+),\s*(\w+)\)", sources)}
tests.update(re.findall(r"add_test\(NAME ([\w.]+)", sources))
found = {}
for promise, cells in rows():
    if promise in found:
        failures.append(f"{promise} has two rows")
    found[promise] = cells
    if len(cells) != 4 or not all(cells):
        failures.append(f"{promise}: the row has {len(cells)} cells after the number, not 4")
    named = re.findall(r"`([^`]+)`", cells[1])
    if not named:
        failures.append(f"{promise} names no test")
    for name in named:
        is_command = "/" in name or " " in name
        path = os.path.join(SOURCES, name.split(" ")[0])
        # A suite, or tests whose names end with a variable of CMake.
        is_there = name in tests or any(test.startswith(name + ".") or
                                        test.endswith(".") and name.startswith(test)
                                        for test in tests)
        if not (os.path.exists(path) if is_command else is_there):
            failures.append(f"{promise} names '{name}', which does not exist")
    # The text of a printed line, or the promise given to says_promise.
    if not re.search(rf'"{promise}[ :"]', sources):
        failures.append(f"{promise}: no test prints a line '{promise} ...: cases='")
for number in range(1, PROMISES + 1):
    if f"G{number}" not in found:
        failures.append(f"G{number} has no row in tests/RELIABILITY.md")
for failure in failures:
    print(failure)
print(f"reliability: cases={PROMISES} failures={len(failures)}")
sys.exit(1 if failures else 0)
