"""Tests that two readers agree on files that are edited and sealed again: check_edits.py HDBINSPECT FIXTURES

Hashes hide every rule behind them from damage that chance does. So each edit of a golden file gets right hashes;
then the second reader and `hdbinspect validate` must both refuse it, or both take it for sound.
"""

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from check_fixtures import sound_files
from edits import edit
from seal import reseal, take_apart

EDITS = 1500
FILES_A_RUN = 250
LARGE_BYTES = 1 << 20  # decoded; files of more are edited less often
STATE_HASH_MISMATCH = "state_hash_mismatch"


def edited_files(paths, chosen):
    """Edited files, what is edited, and why the reader refuses them, or None."""
    all_parts = {path: take_apart(path.read_bytes()) for path in paths}
    large = {path for path, parts in all_parts.items() if sum(part.content()[1] for part in parts.blocks) > LARGE_BYTES}
    for at in range(EDITS):
        path = chosen.choice([path for path in paths if path not in large or at % 10 == 0])
        parts, what = edit(all_parts[path], chosen)
        yield (f"{path.name}, edit {at}: {what}", *reseal(parts))


def inspected(program, paths):
    """The names of the findings of `hdbinspect validate` for each of several files."""
    lines = subprocess.run([program, "--json", "validate", *paths], capture_output=True).stdout.splitlines()
    found, ended = {path: set() for path in paths}, set()
    for line in map(json.loads, lines):
        if line["type"] == "validation":
            ended.add(line["file"])
        else:
            found[line["file"]].add(line["name"])
    return [found[path] if found[path] or path in ended else {"nothing printed"} for path in paths]


def disagreement(reason, findings):
    """What the readers disagree on, or None. What the reader refuses has no right state hash: that proves nothing."""
    if reason is None:
        return f"hdbinspect finds {', '.join(findings)}, the reader nothing" if findings else None
    return None if findings - {STATE_HASH_MISMATCH} else f"only the reader refuses: {reason}"


def main():
    program, paths = sys.argv[1], sound_files(Path(sys.argv[2]))
    cases, accepted, failures = 0, 0, []
    files = list(edited_files(paths, random.Random(1)))
    with tempfile.TemporaryDirectory() as folder:
        written = [f"{folder}/{at}.hdb" for at in range(len(files))]
        for path, (_, data, _) in zip(written, files):
            Path(path).write_bytes(data)
        findings = []
        for at in range(0, len(written), FILES_A_RUN):
            findings += inspected(program, written[at : at + FILES_A_RUN])
    for (what, _, reason), found in zip(files, findings):
        cases, accepted = cases + 1, accepted + (reason is None)
        failure = disagreement(reason, found)
        failures += [f"{what}: {failure}"] if failure else []
    if not EDITS // 10 < accepted < EDITS // 2:
        failures.append(f"{accepted} of {EDITS} edits are sound: too few or too many to tell much")
    for failure in failures:
        print(failure[:2000])
    print(f"reader edits: cases={cases} failures={len(failures)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
