"""Tests that two readers agree on files that are edited and sealed again.

check_edits.py HDBINSPECT FIXTURES

Random damage breaks a hash first, so it tests no other rule. For this reason each edit of a golden
file gets right hashes; then the second reader and `hdbinspect validate` must both refuse it, or
both accept it.
"""

import random
import sys
from pathlib import Path

from agree import disagreements
from check_fixtures import sound_files
from edits import edit
from seal import reseal, take_apart

EDITS = 1500
LARGE_BYTES = 1 << 20  # decoded; files of more are edited less often


def edited_files(paths, chosen):
    """Edited files, what is edited, and why the reader refuses them, or None."""
    all_parts = {path: take_apart(path.read_bytes()) for path in paths}
    large = {
        path
        for path, parts in all_parts.items()
        if sum(part.payload()[1] for part in parts.blocks) > LARGE_BYTES
    }
    for at in range(EDITS):
        path = chosen.choice([path for path in paths if path not in large or at % 10 == 0])
        parts, what = edit(all_parts[path], chosen)
        yield (f"{path.name}, edit {at}: {what}", *reseal(parts))


def main():
    program, paths = sys.argv[1], sound_files(Path(sys.argv[2]))
    files = list(edited_files(paths, random.Random(1)))
    failures = disagreements(program, files)
    accepted = sum(reason is None for _, _, reason in files)
    if not EDITS // 10 < accepted < EDITS // 2:
        failures.append(
            f"{accepted} of {EDITS} edits are sound: too few or too many for a useful test"
        )
    for failure in failures:
        print(failure[:2000])
    print(f"reader edits: cases={len(files)} failures={len(failures)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
