#!/usr/bin/env python3
"""G13: each golden invalid file gives the error that it is named after, at the same byte, and each
error of the decoder has such a file. The byte is not recorded: it is found in the file by the
place that expected.txt names.

invalid_files_test.py HDBINSPECT FIXTURES ERROR_CODES
"""
import base64
import json
import os
import re
import subprocess
import sys

PROGRAM, FIXTURES, CODES = sys.argv[1:4]
HEADER_BYTES, HEAD_BYTES, CHUNK_ENTRY_BYTES, FOOTER_BYTES = 64, 72, 56, 64
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
    for line in (done.stdout + done.stderr).splitlines():
        answer = json.loads(line)
        if "id" in answer:
            return answer["name"], answer.get("offset")
    return None, None


def number_at(data, offset, size):
    return int.from_bytes(data[offset:offset + size], "little")


def block_at(data, index):
    """Where a block begins: after those before it, whose heads give their sizes (2.2)."""
    offset = HEADER_BYTES
    for _ in range(index):
        stored_bytes = number_at(data, offset + 24, 8)
        offset += HEAD_BYTES + stored_bytes + -stored_bytes % 8
    return offset


def chunk_at(data, block, index):
    """Where the bytes of a chunk begin: after the block's index and the chunks before it (5.2)."""
    entries = block + HEAD_BYTES + 8
    count = number_at(data, entries - 8, 4)
    before = sum(number_at(data, entries + CHUNK_ENTRY_BYTES * i + 16, 8) for i in range(index))
    return entries + CHUNK_ENTRY_BYTES * count + before


def offset_of(place, data):
    """The byte of a place as expected.txt names it."""
    where, _, more = place.partition("+")
    first, _, part = where.partition("/")
    kind, _, index = first.partition(":")
    footer = len(data) - FOOTER_BYTES
    if kind == "header":
        offset = 0
    elif kind == "footer":
        offset = footer
    elif kind == "directory":
        offset = number_at(data, footer, 8)
    elif kind == "entry":
        offset = number_at(data, number_at(data, footer, 8) + 32 + 56 * int(index), 8)
    else:
        offset = block_at(data, int(index))
        if part == "content":
            offset += HEAD_BYTES
        elif part:
            offset = chunk_at(data, offset, int(part.partition(":")[2]))
    return offset + int(more or 0)


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
            name, place, what = line.split(None, 2)
            expected[name] = (place, what)

for number, name in names.items():
    if number in DECODER or name in READ_LIMITS:
        check(name, name in expected, f"HDB-E{number:04} has no file in fixtures/invalid")
for name, (place, _) in expected.items():
    check(name, name in names.values(), "no error has that name")
    if place == "elsewhere":
        continue
    path = os.path.join(FOLDER, name + ".hdb")
    with open(path, "rb") as file:
        offset = offset_of(place, file.read())
    # A file that may be read but not rewritten shows when it is rewritten.
    rewrites = name == "read_only_feature"
    words = ["convert", path, "-o", "out.hdb"] if rewrites else ["validate", "--level=deep", path]
    found = error_of(*words)
    check(name, found == (name, offset),
          f"expected {name} at byte {offset} ({place}), found {found}")
    check(name, not os.path.exists("out.hdb"), "a file was written")
# report makes a page of each, with the file as it is, and says sound only where validate
# --level=deep finds nothing. What the page says of it: tests/browser/viewer_test.py.
for name in sorted(expected):
    path = os.path.join(FOLDER, name + ".hdb")
    if not os.path.exists(path):
        continue
    runs = [subprocess.run([PROGRAM, *words, path], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, check=False)
            for words in (["-q", "validate", "--level=deep"],
                          ["--json", "report", "--force", "-o", "out.html"])]
    status = [run.returncode for run in runs]
    check(name, status[0] == status[1], f"validate ends with {status[0]}, report with {status[1]}")
    sound = json.loads(runs[1].stdout)["sound"] if runs[1].stdout else False
    check(name, sound == (status[0] == 0), f"report says sound: {sound}")
    with open(path, "rb") as file, open("out.html", "rb") as page:
        check(name, base64.b64encode(file.read()) in page.read(), "the file is not in the page")
    os.remove("out.html")
files = {file[:-len(".hdb")] for file in os.listdir(FOLDER) if file.endswith(".hdb")}
without_line = files - expected.keys()
check("expected.txt", not without_line, f"no line for {without_line}")
print(f"G13 invalid files: cases={cases} failures={len(failures)}")
sys.exit(1 if failures else 0)
