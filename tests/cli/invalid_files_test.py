#!/usr/bin/env python3
"""G13: each golden invalid file gives the error that it is named after, at the same byte, and each
error of the decoder has such a file.

invalid_files_test.py HDBINSPECT FIXTURES ERROR_CODES
"""
import json
import os
import re
import subprocess
import sys

PROGRAM, FIXTURES, CODES = sys.argv[1:4]
FOLDER = os.path.join(FIXTURES, "invalid")
# Errors about bytes of a file: frame, blocks, schema, tables, columns, and limits while it is read.
DECODER = range(101, 600)
READ_LIMITS = ("limit_exceeded", "memory_budget")
failures = []
cases = 0


def error_of(*words):
    """The first error of a command: its name, or None, and its offset."""
    done = subprocess.run([PROGRAM, "--json", *words], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)
    for line in done.stdout.splitlines():
        answer = json.loads(line)
        if "id" in answer:
            return answer["name"], answer.get("offset")
    found = re.search(r"HDB-E0*(\d+).*?\(byte (\d+)", done.stderr)
    return (names.get(int(found[1])), int(found[2])) if found else (None, None)


def check(what, good, detail):
    global cases
    cases += 1
    if not good:
        failures.append(what)
        print(f"{what}: {detail}")


with open(CODES, encoding="utf-8") as file:
    names = {int(number): name for name, number in
             re.findall(r"HDB_ERROR\((\w+), (\d+),", file.read())}
expected = {}
with open(os.path.join(FOLDER, "expected.txt"), encoding="utf-8") as file:
    for line in file:
        if line.strip() and not line.startswith("#"):
            name, offset, what = line.split(None, 2)
            expected[name] = (offset, what)

for number, name in names.items():
    if number in DECODER or name in READ_LIMITS:
        check(name, name in expected, f"HDB-E{number:04} has no file in fixtures/invalid")
for name, (offset, _) in expected.items():
    check(name, name in names.values(), "no error has that name")
    if offset == "elsewhere":
        continue
    path = os.path.join(FOLDER, name + ".hdb")
    # A file that may be read but not rewritten shows when it is rewritten.
    rewrites = name == "read_only_feature"
    words = ["convert", path, "-o", "out.hdb"] if rewrites else ["validate", "--level=deep", path]
    check(name, error_of(*words) == (name, int(offset)),
          f"expected {name} at byte {offset}, found {error_of(*words)}")
    check(name, not os.path.exists("out.hdb"), "a file was written")
files = {file[:-len(".hdb")] for file in os.listdir(FOLDER) if file.endswith(".hdb")}
without_line = files - expected.keys()
check("expected.txt", not without_line, f"no line for {without_line}")
print(f"G13 invalid files: cases={cases} failures={len(failures)}")
sys.exit(1 if failures else 0)
