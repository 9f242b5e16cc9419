"""Tests that two readers agree on files that are edited and sealed again.

check_edits.py HDBINSPECT FIXTURES

Random damage breaks a hash first, so it tests no other rule. For this reason each edit of a golden
file gets right hashes; then the second reader and `hdbinspect validate` must both refuse it, or
both accept it. Of edited files that need a newer reader, both must say so, or neither.
"""

import copy
import random
import sys
from pathlib import Path

from agree import disagreements
from build import extended, extensions, i32, root
from check_fixtures import sound_files
from edits import edit, edit_blocks, edit_bytes
from later_files import CRITICAL, FIRST_CATALOG, SECOND_CATALOG, save
from seal import reseal, take_apart

EDITS, NEWER_EDITS = 1500, 1000
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


def newer_files(chosen):
    """Edited files that need a newer reader because of an extension in the catalog: whether they
    still say so depends on how far the catalog is read (FORMAT.md, 8.3)."""
    critical = extensions((9, CRITICAL, b"later"))
    files = (
        save(of_catalog=critical),
        save(extensions=critical),
        save(extended(root(i32("a")), critical)),
        save(root(extended(i32("a"), critical))),
    )
    for at in range(NEWER_EDITS):
        parts = copy.deepcopy(chosen.choice(files))
        what = "the catalog"
        if chosen.randrange(4):
            edited = parts.blocks[FIRST_CATALOG].content
            for _ in range(chosen.randrange(1, 4)):
                edited = edit_bytes(edited, chosen)
            for block in (FIRST_CATALOG, SECOND_CATALOG):
                parts.blocks[block].content = edited
        else:
            what = edit_blocks(parts.blocks, chosen)
        yield (f"a newer file, edit {at}: {what}", *reseal(parts))


def main():
    program, paths = sys.argv[1], sound_files(Path(sys.argv[2]))
    files = list(edited_files(paths, random.Random(1)))
    newer = list(newer_files(random.Random(1)))
    failures = disagreements(program, files) + disagreements(program, newer, exactly=True)
    accepted = sum(reason is None for _, _, reason in files)
    if not EDITS // 10 < accepted < EDITS // 2:
        failures.append(
            f"{accepted} of {EDITS} edits are sound: too few or too many for a useful test"
        )
    still = sum(", newer:" in str(reason) for _, _, reason in newer)
    if not NEWER_EDITS // 4 < still < NEWER_EDITS * 3 // 4:
        failures.append(f"{still} of {NEWER_EDITS} newer files are still newer")
    for failure in failures:
        print(failure[:2000])
    print(f"reader edits: cases={len(files) + len(newer)} failures={len(failures)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
