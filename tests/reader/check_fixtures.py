"""Tests that the golden files are what FORMAT.md says, by the second reader.

check_fixtures.py HDBINSPECT FIXTURES FORMAT

The worked example of the text is read. Every sound file is decoded and checked, its state hash
computed again, its records and tables compared with what hdbinspect prints; every invalid one is
refused for its reason, and so is every sound one with a bit flipped or an end cut off.
"""

import random
import re
import sys
from pathlib import Path

try:
    import xxhash
    import zstandard
except ModuleNotFoundError as error:
    # This fails everywhere, also in CI: a test that passes without checking anything is harmful.
    sys.exit(
        f"reader: {error}; install it: apt-get install python3-xxhash python3-zstandard "
        "(tools/setup.sh does)"
    )

from compare import compare_info, compare_records, compare_tables
from hdb_reader import read
from wire import Refused

# The reason why the reader refuses each invalid file: the major version was changed to 9.
REASONS = {
    "v0/newer_version.hdb": "section 11, newer: the file has version 9.9: a newer reader is needed",
    "v0.10/newer_version.hdb": "section 11, newer: the file has version 9.10: "
    "a newer reader is needed",
}
UNKNOWN_FEATURE = (
    "section 2.1, newer: the file has incompatible features 0x40: a newer reader is needed"
)
FLIPS_A_FILE, CUTS_A_FILE = 400, 100


def sound_files(fixtures):
    """The golden files of all versions that are not invalid."""
    return sorted(fixtures.glob("v*/*.hdb")) + sorted(fixtures.glob("v*/ages/*.hdb"))


def reason_for_refusal(data):
    """Why a file is refused, or None. Any other exception is a fault of the reader."""
    try:
        read(data)
        return None
    except Refused as refused:
        return str(refused)


def check_sound(program, path):
    """A failure for each thing that is wrong with a golden file or with the reader's view of it."""
    try:
        file = read(path.read_bytes())
    except Refused as refused:
        return [f"is refused: {refused}"]
    found = [
        compare(program, str(path), file)
        for compare in (compare_info, compare_tables, compare_records)
    ]
    return [failure for failure in found if failure]


def damages(data, seed):
    """Flipped bits and truncations at places that are the same in every run."""
    chosen = random.Random(seed)
    for _ in range(FLIPS_A_FILE):
        bit = chosen.randrange(8 * len(data))
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        yield f"bit {bit % 8} of byte {bit // 8} flipped", bytes(damaged)
    for _ in range(CUTS_A_FILE):
        size = chosen.randrange(len(data))
        yield f"cut off at byte {size}", data[:size]


def example_file(text):
    """The file that section 14.2 prints."""
    lines = [
        line
        for block in re.findall(r"```hex file\n(.*?)```", text, re.DOTALL)
        for line in block.splitlines()
    ]
    return b"".join(bytes.fromhex(line[6:].split("|")[0]) for line in lines)


def check_example(text):
    """Reads the file that section 14.2 prints; lists the differences from section 14."""
    try:
        file = read(example_file(text))
    except Refused as refused:
        return [f"is refused: {refused}"]
    (content,) = file.contents
    found = content.records, content.generations, content.positions, content.free_list
    wanted = {0: (100, b"imp"), 2: (-5, "é".encode())}, [1, 2, 1, 2147483646], {0: 1, 2: 0}, [1]
    return [] if found == wanted else [f"holds {found}"]


def main():
    program, fixtures, format_ = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    sound, invalid = sound_files(fixtures), sorted(fixtures.glob("v*/invalid/*.hdb"))
    example = check_example(format_.read_text("utf-8"))
    cases, failures = 1, [f"{format_}: the worked example {failure}" for failure in example]
    for path in sound:
        cases += 1
        failures += [f"{path}: {failure}" for failure in check_sound(program, path)]
        data = path.read_bytes()
        for damage, damaged in damages(data, path.name):
            cases += 1
            if not reason_for_refusal(damaged):
                failures.append(f"{path}: is not refused with {damage}")
    for path in invalid:
        cases += 1
        reason = reason_for_refusal(path.read_bytes())
        name = f"{path.parent.parent.name}/{path.name}"
        wanted = REASONS.get(name, UNKNOWN_FEATURE)
        if reason != wanted:
            failures.append(
                f"{path}: is refused because of {reason!r}, not of {wanted!r}"
            )
    if not sound or not invalid:
        failures.append(f"{fixtures}: golden files are missing")
    for failure in failures:
        print(failure[:2000])
    print(f"reader: cases={cases} failures={len(failures)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
