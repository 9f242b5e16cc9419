"""Tests hdb.ksy: compiles it, parses files, and compares what it finds with hdbinspect and with the
second reader.

check_kaitai.py HDBINSPECT KSY FIXTURES FORMAT NODE_MODULES

The files are the golden files, copies of them without compression, and the worked example of
FORMAT.md. Then the description is damaged in many ways, and each damage must be noticed.
"""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from support import needs, needs_program, report

try:
    import kaitaistruct
except ModuleNotFoundError:
    kaitaistruct = None

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "reader"))

try:
    import yaml
    from check_fixtures import example_file
    from frame import content_of
    from hdb_reader import read
    from kaitai_compare import (
        compare_blocks,
        compare_catalog,
        compare_chunks,
        compare_info,
        compare_pack,
        compare_tables,
    )
except ModuleNotFoundError as error:
    sys.exit(f"descriptions: {error}; install the packages: tools/setup.sh")

# Edits of hdb.ksy that must be noticed. The layouts that FORMAT.md has as tables are compared with
# the tables (check_tables.py).
DAMAGE = [
    ("- id: sequence\n        type: u8", "- id: sequence\n        type: u4"),
    ("repeat-expr: num_values.value", "repeat-expr: 0"),
    ("digits[_index - 1].unit * 128", "digits[_index - 1].unit * 64"),
    ("repeat-expr: num_schemas", "repeat-expr: num_schemas - 1"),
    ("if: kind == field_type::struct and flags.versioned", "if: kind == field_type::struct"),
    ("kind == field_type::map ? 2", "kind == field_type::map ? 1"),
    ("kind == field_type::string or", "kind == field_type::bool or"),
    ("field_type::array or kind == field_type::enum\n", "field_type::array\n"),
    ("num_columns:\n        value: root.column_after - 3", "num_columns:\n        value: 1"),
    ("size: (8 - head.stored_size % 8) % 8", "size: 8 - head.stored_size % 8"),
    ("size: entries[_index].stored_size", "size: entries[0].stored_size"),
    ("and content_size != head.raw_size", "and head.stored_size == head.raw_size"),
    ("'content == content::catalog ? index", "'content == content::pack ? index"),
    ("if: descriptor.storage == storage::dense", "if: descriptor.storage == storage::stable"),
    ("size: descriptor.num_slots * 4", "size: descriptor.num_live_slots * 4"),
    ("size: num_listed * 4", "size: 0"),
    ("valid: 0\n      - id: read_only", "doc: x\n      - id: read_only"),
    ("contents: [0xb1, 0x48, 0x44, 0x42]", "size: 4"),
    ("contents: [0x48, 0x44, 0x42, 0x45, 0x4e, 0x44, 0x0d, 0x0a]", "size: 8"),
    ("valid: _root._io.size", "doc: x"),
]
# Short runs try a fifth.
if float(os.environ.get("HDB_TEST_SCALE", "1")) < 1:
    DAMAGE = DAMAGE[::5]
# Bytes of a file that a parser must refuse if they have other values: offset, or negative from the
# end. The offsets are those of FORMAT.md.
GUARDED = {
    "signature": 0,
    "major version": 8,
    "minor version": 10,
    "reserved bytes of the header": 12,
    "incompatible features": 16,
    "marker of the first block": 64,
    "size of the file": -40,
    "magic of the footer": -16,
}


class Compiler:
    """The Kaitai Struct compiler, in a Node module."""

    def __init__(self, modules):
        self.script = Path(__file__).parent / "compiler" / "compile.js"
        self.modules = modules
        self.count = 0

    def parser(self, text):
        """The class that parses files, compiled from the text of a description."""
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                ["node", self.script, self.modules, folder],
                input=json.dumps(yaml.safe_load(text)),
                capture_output=True,
                text=True,
            )
            if done.returncode:
                raise ValueError(f"the compiler says: {done.stderr.strip()}")
            self.count += 1
            spec = importlib.util.spec_from_file_location(f"hdb{self.count}", f"{folder}/hdb.py")
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return module.Hdb


def content(parsed_block, reader_block, type_, *arguments):
    """The content of a catalog or of a pack. What the parser cannot read in place, compressed
    payloads and packs after a compressed catalog, is decompressed by the second reader."""
    if not isinstance(parsed_block.payload, bytes):
        return parsed_block.payload
    stream = kaitaistruct.KaitaiStream(kaitaistruct.BytesIO(content_of(reader_block)))
    return type_(*arguments, stream)


def unread(parsed, contents):
    """The parts that have bytes after their end, by name."""
    parts = {f"block {at}": block.payload for at, block in enumerate(parsed.blocks)}
    for catalog in contents["catalog"]:
        parts |= {f"schema {at}": schema.root for at, schema in enumerate(catalog.schemas)}
        parts |= {f"table {at}": table.descriptor for at, table in enumerate(catalog.tables)}
    for kind, found in contents.items():
        parts |= {f"{kind} {at}": part for at, part in enumerate(found)}
    parts["directory"] = parsed.directory
    return [
        f"{name} has bytes after its end"
        for name, part in parts.items()
        if not isinstance(part, bytes) and not part._io.is_eof()
    ]


def check(parser, program, path):
    """What is wrong with what a parser finds in a sound file."""
    data = path.read_bytes()
    parsed, wanted = parser.from_bytes(data), read(data)
    pairs = list(zip(parsed.blocks, wanted.blocks))
    catalogs = [
        content(block, expected, parser.Catalog)
        for block, expected in pairs
        if block.head.type.name == "catalog"
    ]
    if len(catalogs) != 2:
        return [f"{len(catalogs)} catalogs are found"]
    packs = [
        content(block, expected, parser.Pack, catalogs[0], block.head.group)
        for block, expected in pairs
        if block.head.type.name == "pack"
    ]
    failures = unread(parsed, {"catalog": catalogs, "pack": packs})
    is_readable = not any(block.is_compressed for block, _ in pairs)
    opaque = [block.head.type.name for block, _ in pairs if isinstance(block.payload, bytes)]
    if is_readable and set(opaque) - {"thumbnail"}:
        failures.append(f"the content of these blocks is not read: {opaque}")
    failures += compare_info(program, str(path), parsed)
    failures += compare_blocks(program, str(path), parsed, catalogs[0])
    for catalog in catalogs:
        failures += compare_tables(program, str(path), catalog)
        failures += compare_catalog(catalog, wanted.catalog)
    failures += compare_chunks(parsed, wanted)
    for pack in packs:
        failures += compare_pack(pack, wanted)
    packed = sum(table.pack is not None for table in wanted.contents)
    if sum(len(pack.tables) for pack in packs) != packed:
        failures.append(f"{packed} tables are in packs, but others are found there")
    return failures


def accepts(parser, data):
    """Whether a parser reads a whole file."""
    try:
        parsed = parser.from_bytes(data)
        return len(parsed.blocks) == parsed.directory.num_entries
    except Exception:  # the runtime raises errors of many classes
        return False


def wrongly_accepted(parser, data):
    """The guarded bytes that may have any value."""
    for name, at in GUARDED.items():
        damaged = bytearray(data)
        damaged[at] ^= 0x40
        if accepts(parser, bytes(damaged)):
            yield f"a file with another {name} is not refused"


def all_failures(parser, program, files):
    """What is wrong with a parser, for files and damaged files."""
    for path in files:
        yield from (f"{path.name}: {failure}" for failure in check(parser, program, path))
    yield from wrongly_accepted(parser, files[0].read_bytes())


def is_noticed(compiler, program, text, files):
    """Whether a damaged description shows in one of the files."""
    try:
        return any(all_failures(compiler.parser(text), program, files))
    except Exception:  # any reason shows the damage
        return True


def make_files(program, fixtures, format_, folder):
    """The sound files: golden files, copies without compression, the worked example."""
    golden = sorted(fixtures.glob("v*/*.hdb")) + sorted(fixtures.glob("v*/ages/*.hdb"))
    files = []
    for path in golden:
        name = "_".join(path.relative_to(fixtures).parts)
        files += [folder / name, folder / f"stored_{name}"]
        shutil.copy(path, files[-2])
        convert = [program, "--quiet", "convert", "--codec=none", "-o", files[-1], path]
        subprocess.run(convert, check=True, capture_output=True)
    files.append(folder / "example.hdb")
    files[-1].write_bytes(example_file(format_.read_text("utf-8")))
    return files


def main():
    program, modules = sys.argv[1], sys.argv[5]
    description, fixtures, format_ = map(Path, sys.argv[2:5])
    needs_program("node", "nodejs")
    needs(Path(modules, "kaitai-struct-compiler").is_dir(), "kaitai-struct-compiler", "npm ci")
    needs(kaitaistruct, "kaitaistruct", "apt-get install python3-kaitaistruct")
    compiler, text = Compiler(modules), description.read_text("utf-8")
    with tempfile.TemporaryDirectory() as folder:
        files = make_files(program, fixtures, format_, Path(folder))
        parser = compiler.parser(text)
        failures = list(all_failures(parser, program, files))
        invalid = sorted(fixtures.glob("v*/invalid/*.hdb"))
        failures += [f"{path}: is read" for path in invalid if accepts(parser, path.read_bytes())]
        for before, after in DAMAGE:
            if text.count(before) != 1:
                failures.append(f"{description}: {before!r} is there {text.count(before)} times")
            elif not is_noticed(compiler, program, text.replace(before, after), files):
                failures.append(f"{description}: {after!r} for {before!r} is not noticed")
    report("Kaitai Struct", len(files) + len(GUARDED) + len(invalid) + len(DAMAGE), failures)


if __name__ == "__main__":
    main()
