#!/usr/bin/env python3
"""set_model_test.py HDBINSPECT FIXTURES

`set` makes the file that one gets who edits the lines of `dump --exact` and imports them: random
fields of random records of all sound golden files, one and several edits at once, and filters.
The number of edits is 2,000 times HDB_TEST_SCALE.
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile

PROGRAM, FIXTURES = sys.argv[1:3]
SCALE = float(os.environ.get("HDB_TEST_SCALE", "1"))
RANDOM = random.Random(43)
failures = []
cases = 0
refused = 0


def run(*words, reads=None):
    return subprocess.run([PROGRAM, *words], input=reads, capture_output=True, check=False)


class Dump:
    """The lines of a dump; edits change them."""

    def __init__(self, file):
        text = run("dump", "--exact", file).stdout.decode()
        self.lines = [json.loads(line) for line in text.splitlines()]
        schemas = [line["record"] for line in self.lines if line["type"] == "exact_schema"]
        self.schemas = {
            line["table"]: schemas[line["schema"]]
            for line in self.lines
            if line["type"] == "exact_table"
        }
        self.slots = [
            line for line in self.lines if line["type"] == "exact_slot" and line["state"] == "live"
        ]

    def state_hash(self, out):
        text = "".join(json.dumps(line) + "\n" for line in self.lines)
        made = run("--json", "import", "-", "-o", out, "--force", reads=text.encode())
        return json.loads(made.stdout)["state_hash"] if made.returncode == 0 else None


def places(field, value, path, top):
    """Paths inside a value that can be set, each with its field, container and key."""
    kind = field["kind"]
    found = []
    if kind == "struct":
        for child in field["children"]:
            name = child["name"]
            # Other paths could mean such a name too.
            if not name or name.startswith("@") or any(c in name for c in ".[]<>?="):
                continue
            inner = name if top else f"{path}.{name}"
            found.append((inner, child, value, name))
            found += places(child, value[name], inner, False)
    elif kind in ("list", "array"):
        child = field["children"][0]
        for i in range(min(len(value), 3)):
            found.append((f"{path}[{i}]", child, value, i))
            found += places(child, value[i], f"{path}[{i}]", False)
    elif kind == "optional" and value is not None:
        found.append((f"{path}?", field["children"][0], value, 0))
        found += places(field["children"][0], value[0], f"{path}?", False)
    elif kind == "variant":
        inner = f"{path}<{value['tag']}>"
        child = field["children"][value["tag"]]
        found.append((inner, child, value, "value"))
        found += places(child, value["value"], inner, False)
    elif kind == "map":
        for i, pair in enumerate(value[:2]):
            inner = f"{path}[{i}].value"
            found.append((inner, field["children"][1], pair, "value"))
            found += places(field["children"][1], pair["value"], inner, False)
    return found


def typed(field, value):
    """How a value is typed."""
    if field["kind"] == "optional" and value is None:
        return "null"
    if field["kind"] == "optional":
        held = field["children"][0]
        text = typed(held, value[0])
        needs_json = text == "null" or text.startswith("[") or RANDOM.random() < 0.3
        if needs_json and held["kind"] not in ("array", "list", "map"):
            return json.dumps(value)
        return text
    if isinstance(value, str) and RANDOM.random() < 0.5 and field["kind"] != "string":
        return value
    if isinstance(value, str) and RANDOM.random() < 0.5 and not value.startswith(('"', "{", "[")):
        return value
    return json.dumps(value)


def choose(dump):
    """An edit: (its text, function that makes it in the dump)."""
    slot = RANDOM.choice(dump.slots)
    schema = dump.schemas[slot["table"]]
    here = places(schema, slot["fields"], "", True)
    if not here:
        return None
    path, field, container, key = RANDOM.choice(here)
    others = [
        other_container[other_key]
        for other in dump.slots
        if other["table"] == slot["table"]
        for other_path, _, other_container, other_key in places(
            schema, other["fields"], "", True
        )
        if other_path == path
    ]
    value = RANDOM.choice(others)
    if field["kind"] in ("i32", "u32", "i64", "u64", "u8", "i8"):
        value = RANDOM.randrange(100)
    handle = f"{slot['table']}:{slot['slot']}@{slot['generation']}"
    text = f"{handle}.{path}={typed(field, value)}"

    def make():
        container[key] = json.loads(json.dumps(value))

    return text, make


def check(file, out, edits, dump):
    global cases, refused
    cases += 1
    made = run("--json", "set", file, *[text for text, _ in edits], "-o", out, "--force")
    if made.returncode == 1 and re.search(b"is stale|names no record", made.stderr):
        refused += 1  # the golden files have such handles, which set refuses
        return
    if made.returncode != 0:
        failures.append(f"{file}: {[text for text, _ in edits]}: {made.stderr.decode()}")
        return
    for _, edit in edits:
        edit()
    wanted = dump.state_hash(out + ".wanted")
    got = json.loads(made.stdout.splitlines()[-1])["state_hash"]
    if got != wanted:
        failures.append(f"{file}: {[text for text, _ in edits]}: {got}, not {wanted}")
    if run("-q", "diff", out, out + ".wanted").returncode != 0:
        failures.append(f"{file}: {[text for text, _ in edits]}: diff finds a difference")


def check_filter(file, out):
    """All records that a filter fits, and no other."""
    global cases
    dump = Dump(file)
    numbers = [
        (table, child["name"])
        for table, schema in dump.schemas.items()
        for child in schema["children"]
        if child["kind"] in ("i32", "u32") and child["name"].isidentifier()
        and any(slot["table"] == table for slot in dump.slots) and table.isidentifier()
    ]
    for table, name in numbers:
        cases += 1
        dump = Dump(file)
        slots = [slot for slot in dump.slots if slot["table"] == table]
        bound = RANDOM.choice(slots)["fields"][name]
        made = run("--json", "set", file, f"{table}[{name} <= {bound}].{name}=7", "-o", out,
                   "--force")
        for slot in slots:
            if slot["fields"][name] <= bound:
                slot["fields"][name] = 7
        wanted = dump.state_hash(out + ".wanted")
        got = json.loads(made.stdout.splitlines()[-1])["state_hash"] if made.stdout else made.stderr
        if got != wanted:
            failures.append(f"{file}: {table}.{name} <= {bound}: {got}, not {wanted}")


def main():
    files = []
    for folder in ("v0", "v0.10", os.path.join("v0.10", "ages")):
        folder = os.path.join(FIXTURES, folder)
        files += [os.path.join(folder, each) for each in sorted(os.listdir(folder))]
    files = [each for each in files if each.endswith(".hdb") and "later" not in each]
    with tempfile.TemporaryDirectory() as work:
        out = os.path.join(work, "out.hdb")
        for file in files:
            check_filter(file, out)
        for _ in range(max(40, int(2000 * SCALE))):
            file = RANDOM.choice(files)
            dump = Dump(file)
            if not dump.slots:
                continue
            edits = [choose(dump) for _ in range(RANDOM.choice((1, 1, 3)))]
            # What one edit changes must not be inside of what another one does.
            if None in edits or (len(edits) > 1 and len({e[0].split("=")[0] for e in edits}) < 3):
                continue
            check(file, out, edits, dump)
    for failure in failures[:20]:
        print(failure)
    print(f"set: cases={cases} stale={refused} failures={len(failures)}")
    return 1 if failures or cases < 100 or refused > cases // 4 else 0


sys.exit(main())
