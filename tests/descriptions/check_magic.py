"""Tests the rules for file(1): what it says of golden files, damaged files and other files.

check_magic.py MAGIC FIXTURES
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from support import OTHER_FILES, damaged_signatures, needs_program, report

DAMAGED = "damaged hdb snapshot (converted as text, or cut off)"
MEDIA_TYPE = "application/vnd.hdb"


def title_of(save):
    """The title in the metadata, if file(1) can show it: of 1 to 127 bytes. The metadata block is
    the first, and its title follows 24 bytes of numbers."""
    extension_bytes = 8 * int.from_bytes(save[70:72], "little")
    size = save[160] if len(save) > 160 and extension_bytes == 0 else 0
    return save[161 : 161 + size].decode("ascii") if 0 < size < 128 else None


def description_of(save):
    """What the rules must say of a save that begins as a sound one."""
    version = (int.from_bytes(save[at : at + 2], "little") for at in (8, 10))
    title = title_of(save)
    return f"hdb snapshot, format {'.'.join(map(str, version))}" + (f', "{title}"' if title else "")


def expectations(fixtures):
    """Name, bytes, description and media type of each file; None: anything that is not hdb."""
    saves = sorted(fixtures.glob("v*/*.hdb")) + sorted(fixtures.glob("v*/invalid/*.hdb"))
    for path in saves:
        yield path.name, path.read_bytes(), description_of(path.read_bytes()), MEDIA_TYPE
    save = (fixtures / "v0/before.hdb").read_bytes()
    large = save[:-64] + bytes(4 << 20) + save[-64:]
    yield "a large file", large, description_of(save), MEDIA_TYPE
    for size in (8, 12, 64, 127):
        said = description_of(save) if size >= 12 else "hdb snapshot"
        said = said.split(', "')[0] + ", truncated"
        yield f"the first {size} bytes", save[:size], said, MEDIA_TYPE
    for size in (len(save) // 2, len(save) - 1):
        said = description_of(save) + ", truncated or damaged"
        yield f"the first {size} bytes", save[:size], said, MEDIA_TYPE
    for name, damaged in damaged_signatures(save).items():
        said = DAMAGED if damaged.startswith(b"\x89HDB") else None
        yield name, damaged, said, None
    for name, data in OTHER_FILES.items():
        yield name, data, None, None


def said_by_file(magic, path, *options):
    done = subprocess.run(
        ["file", "--brief", *options, "--magic-file", magic, path], capture_output=True, text=True
    )
    return (done.stdout + done.stderr).strip()


def check(magic, path, name, description, media_type):
    """What is wrong with the answers of file(1) for one file."""
    said, type_ = said_by_file(magic, path), said_by_file(magic, path, "--mime-type")
    if description is not None and said != description:
        yield f"{name}: file says {said!r}, not {description!r}"
    if description is None and "hdb snapshot" in said:
        yield f"{name}: file says {said!r}"
    if (type_ == MEDIA_TYPE) != (media_type == MEDIA_TYPE):
        yield f"{name}: file says its type is {type_}"


def main():
    magic, fixtures = sys.argv[1], Path(sys.argv[2])
    needs_program("file", "file")
    cases, failures = 1, []
    warnings = subprocess.run(
        ["file", "--checking-printout", "--magic-file", magic], capture_output=True, text=True
    ).stderr
    if re.search(r", \d+: (Warning|Error)", warnings):
        failures.append(f"file does not accept the rules: {warnings}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        for name, data, description, media_type in expectations(fixtures):
            cases += 1
            path.write_bytes(data)
            failures += check(magic, path, name, description, media_type)
    report("rules for file(1)", cases, failures)


if __name__ == "__main__":
    main()
