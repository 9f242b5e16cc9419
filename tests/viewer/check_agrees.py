"""Tests that the JavaScript reader and hdbinspect agree: check_agrees.py HDBINSPECT VERDICTS

The files are one for each rule of FORMAT.md, files of later versions, and edited golden files whose
hashes are right (tests/reader). Both readers must accept a file, or both refuse it, and for the
same reason: it is corrupt, newer, a draft, or over a limit. VERDICTS is verdicts.mjs in a folder
with its packages.
"""

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "reader"))

import later_files
import zstandard
from check_edits import newer_files
from check_fixtures import sound_files
from check_rules import RULES
from build import catalog, descriptor, file, rows, u32s, varint_bytes
from edits import edit
from seal import Chunk, put_together, take_apart

EDITS = 5000
LARGE_BYTES = 1 << 20  # decoded; files of more are edited less often
FILES_A_RUN = 250
MOST_MEMORY = 1 << 20  # in KiB
PIECE = 8 << 20
BOMB_BYTES = 16 * PIECE
WEAK = {"state_hash_mismatch", "dangling_strong"}
FIXTURES = Path(__file__).resolve().parent.parent.parent / "fixtures"
NODE = ["node", "--preserve-symlinks", "--preserve-symlinks-main"]
CLASSES = {
    "newer_version": "newer",
    "unknown_feature": "newer",
    "unknown_block": "newer",
    "old_draft": "draft",
    "limit_exceeded": "limit",
    "memory_budget": "limit",
}


def rule_files():
    for rules in RULES:
        for what, _, made in rules():
            yield what, made if isinstance(made, bytes) else put_together(made)


def edited_files(chosen):
    all_parts = [take_apart(path.read_bytes()) for path in sound_files(FIXTURES)]
    small = [
        parts
        for parts in all_parts
        if sum(part.payload()[1] for part in parts.blocks) <= LARGE_BYTES
    ]
    for at in range(EDITS):
        parts, what = edit(chosen.choice(small if at % 10 else all_parts), chosen)
        yield f"edit {at}: {what}", put_together(parts)


def of_later_versions():
    return [(f"later: {file.what}", file.data) for file in later_files.all_files()]


def bombs():
    """Files of a few kilobytes that decode to much more: a list of bools, of empty optionals, of
    empty texts, and a text."""
    lists = {
        "bools": (b"\x14\0\1l\1\0\0", BOMB_BYTES, b"\0"),
        "many bools": (b"\x14\0\1l\1\0\0", 4 * BOMB_BYTES, b"\0"),
        "optionals": (b"\x14\0\1l\x15\0\0\x12\0\0\0", BOMB_BYTES, b"\0"),
        "a text": (b"\x11\2\1t", BOMB_BYTES, b"a"),
        "texts": (b"\x14\0\1l\x11\0\0", BOMB_BYTES, b"\0"),
    }
    for what, (field, size, byte) in lists.items():
        schema = b"\x12\0\0\1" + field
        count = size * 8 if what == "optionals" else size
        pieces = [(0, 0, b"\1"), (1, 0, u32s([1])), (3, 0, varint_bytes(count))]
        pieces += [(4, at, byte * PIECE) for at in range(size // PIECE)]
        pieces += [(5, 0, b"")] if what == "texts" else []
        parts = []
        for part in range(0, len(pieces), 2):
            block = rows([])
            block.part = len(parts)
            block.chunks = [packed_chunk(*piece) for piece in pieces[part : part + 2]]
            parts.append(block)
        made = file(catalog([schema], [descriptor(schema)]), parts)
        yield what, made if isinstance(made, bytes) else put_together(made)


def packed_chunk(column, piece, raw):
    if len(raw) < PIECE:
        return Chunk(column, piece, 4 if column == 1 else 1, raw)
    return Chunk(column, piece, 1, raw, codec=1, stored=zstandard.compress(raw))


def inspected(program, paths):
    """The names of the findings of hdbinspect for each file, in order."""
    lines = subprocess.run(
        [program, "--json", "validate", "--level=deep", *paths], capture_output=True
    ).stdout.splitlines()
    found = {path: [] for path in paths}
    for line in map(json.loads, lines):
        if line["type"] == "finding" or "name" in line:
            found[line["file"]].append(line["name"])
    return [found[path] for path in paths]


def class_of(names):
    """Why a file with these findings is refused; a wrong state hash or strong handle is not a
    reason, and edits make many."""
    classes = [CLASSES.get(name, "corrupt") for name in names if name not in WEAK]
    return "newer" if "newer" in classes else classes[0] if classes else None


def main():
    program, verdicts = sys.argv[1:3]
    files = list(rule_files()) + of_later_versions()
    files += [(what, data) for what, data, _ in newer_files(random.Random(1))]
    files += list(edited_files(random.Random(2)))
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        paths = [f"{folder}/{at}.hdb" for at in range(len(files))]
        for path, (_, data) in zip(paths, files):
            Path(path).write_bytes(data)
        found = []
        for at in range(0, len(paths), FILES_A_RUN):
            found += inspected(program, paths[at : at + FILES_A_RUN])
        for what, data in bombs():
            files.append((what, data))
            found.append(None)
            paths.append(f"{folder}/{len(paths)}.hdb")
            Path(paths[-1]).write_bytes(data)
        run = subprocess.run(
            [*NODE, verdicts], input="\n".join(paths), capture_output=True, text=True
        )
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    if len(answers) != len(files):
        failures.append(f"{len(answers)} answers for {len(files)} files\n{run.stderr}")
    accepted = 0
    for (what, _), names, answer in zip(files, found, answers):
        said = "a crash" if answer["verdict"] == "crash" else class_of(answer["codes"])
        accepted += said is None
        if names is None:  # of bombs only the memory counts
            failures += [] if said in (None, "limit") else [f"{what}: {answer}"]
            continue
        same_weak = WEAK & set(names) == WEAK & set(answer["codes"])
        if said != class_of(names) or not (said or same_weak):
            failures.append(f"{what}: hdbinspect finds {names}, the reader {said}: {answer}")
    memory = int(run.stderr.split()[-1]) if run.stderr.split() else 0
    if memory > MOST_MEMORY:
        failures.append(f"the reader took {memory} KiB of memory")
    for failure in failures:
        print(failure[:1000])
    print(f"viewer agrees: cases={len(files)} failures={len(failures)} accepted={accepted}"
          f" memory={memory} KiB")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
