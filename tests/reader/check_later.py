"""Tests what becomes of files of later versions: check_later.py HDBINSPECT LOAD_LATER

Each file of later_files.py goes through the second reader, through `hdbinspect validate`, `diff`,
`convert` and `repair`, and through the load of a game; `repair` also gets a damaged copy. What they
write must be sound, of this version, and have the additions that sections 8.5 and 8.6 of FORMAT.md
keep, and no other.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import frame
from agree import NEWER as SAYS_NEWER
from agree import inspected
from content import FREE
from extensions import DROPPED, SAFE_TO_COPY, TABLE_NAME, data_of
from hdb_reader import read
from later_files import CORRUPT, LOADS, NEWER, SOUND, all_files, save
from seal import reseal
from wire import NeedsNewer, Refused

FINE, FINDING, TROUBLE, NEEDS_NEWER = range(4)  # exit statuses
WRITTEN = {SOUND: {FINE}, NEWER: {NEEDS_NEWER}, CORRUPT: {TROUBLE}}
REPAIRED = {SOUND: {FINE}, NEWER: {NEEDS_NEWER}, CORRUPT: {FINE, FINDING, TROUBLE}}
COMPARED = {SOUND: {FINE}, NEWER: {NEEDS_NEWER}, CORRUPT: {TROUBLE}}
MORE_THAN_A_HEADER = frame.HEADER_BYTES + frame.FOOTER_BYTES
MODES = "exact", "fork", "keep"
VALID = {SOUND: FINE, NEWER: NEEDS_NEWER, CORRUPT: FINDING}


def verdict_of(data):
    """What the second reader says."""
    try:
        read(data)
        return SOUND
    except NeedsNewer:
        return NEWER
    except Refused as refused:
        return f"{CORRUPT}, {refused}"


def nodes_of(node, path):
    """Each node of a schema with its path."""
    yield path, node
    for child in node.children:
        yield from nodes_of(child, f"{path}.{child.name.decode()}")


def additions_of(file):
    """Everything in a file that this version does not know, with whether it is safe to copy and the
    table that it belongs to."""
    for each in file.catalog.extensions:
        yield ("catalog", each), each.flags & SAFE_TO_COPY, None
    for table in file.catalog.tables:
        name = table.name.decode()
        for each in table.extensions:
            yield ("table", name, each), each.flags & SAFE_TO_COPY, name
        for path, node in nodes_of(table.schema.root, name):
            for each in node.extensions:
                yield ("node", path, each), True, name
    for block in file.blocks:
        if block.type not in frame.FLAGS:
            name = data_of(block.extensions, TABLE_NAME)
            name = name and name.decode()
            place = block.type, block.flags, block.part, block.group, block.raw_bytes
            content = block.stored_content, block.extensions
            yield ("block", *place, *content), block.flags & frame.SAFE_TO_COPY, name


def kept_of(file, has_loss):
    """The additions that a file keeps if it is rewritten (sections 8.5, 8.6), with or without a
    loss of records of the table `a`."""
    tables = [table.name.decode() for table in file.catalog.tables]
    for addition, is_safe, table in additions_of(file):
        if addition[0] == "block":
            keeps = is_safe and table in (None, *tables)
        else:
            keeps = is_safe or not has_loss or table not in (None, "a")
        if keeps:
            yield addition


def dropped_by_load(file):
    """The extensions that a report must list: table, field, tag."""
    for (kind, *place, each), _, _ in additions_of(file):
        if kind != "block":
            table, _, field = ".".join(place).partition(".")
            yield f"{table}:{field}:{each.tag}"


def slots_are_right(file, original, drops):
    """Whether each slot of table `a` is free and goes on after all generations that were issued,
    or, unless damaged records are dropped, is as it was; and the other tables are as they were."""
    first, *others = file.contents
    highest = original.catalog.tables[0].highest_generation
    slots = list(zip(first.states, first.generations))
    kept = list(zip(original.contents[0].states, original.contents[0].generations))
    same = [each.records for each in others] == [each.records for each in original.contents[1:]]
    return same and (set(slots) == {(FREE, highest)} or not drops and slots == kept)


def check_written(data, original, has_loss, drops=False):
    """What is wrong with a rewritten file, or None."""
    try:
        file = read(data)
    except Refused as refused:
        return f"is {refused}"
    header = file.header
    if header.version != frame.VERSION or header.read_only_compatible or header.compatible:
        return f"has version {header.version} and features of another version"
    if original is None:
        return None
    if header.file_id == original.header.file_id:
        return "has the old file id"
    if not has_loss and file.state_hash != original.state_hash:
        return "has another state"
    if has_loss and not slots_are_right(file, original, drops):
        return "has other slots of table a, or not the records of the other tables"
    found = sorted(map(repr, (addition for addition, _, _ in additions_of(file))))
    wanted = sorted(map(repr, kept_of(original, has_loss)))
    return None if found == wanted else f"has {found}, not {wanted}"


def has_more(data, original):
    """Which additions a game saves although a rewriter must leave them out, or None. The handles of
    a table that it does not have count as dropped."""
    kept = list(map(repr, kept_of(read(original), False)))
    more = [each for each, _, _ in additions_of(read(data)) if repr(each) not in kept]
    more = [each for each in more if each[0] != "catalog" or each[1].tag != DROPPED]
    return f"has {more}" if more else None


class Check:
    def __init__(self, program, game, folder):
        self.program, self.game, self.folder = program, game, folder
        self.failures, self.cases = [], 0
        self.base = self.path("base", reseal(save())[0])
        self.base_hash = read(Path(self.base).read_bytes()).state_hash

    def path(self, name, data):
        path = f"{self.folder}/{name}.hdb"
        Path(path).write_bytes(data)
        return path

    def expect(self, condition, later, what):
        self.cases += 1
        if not condition:
            self.failures.append(f"{later.what}: {what}")

    def run(self, *words):
        return subprocess.run([self.program, *words], capture_output=True, text=True)

    def diff(self, later, path, original):
        wanted = COMPARED[later.verdict]
        if original and original.state_hash != self.base_hash:
            wanted = {FINDING}
        elif later.loses or later.skips is not None:  # the text does not say what diff compares
            wanted = wanted | {FINE, FINDING}
        status = self.run("diff", path, self.base).returncode
        self.expect(status in wanted, later, f"diff ends with {status}, not {wanted}")

    def rewrite(self, later, path, original, command, allowed, *options, has_loss=False):
        """Runs `convert` or `repair`."""
        output = Path(f"{self.folder}/written.hdb")
        if later.verdict == NEWER:
            allowed = {NEEDS_NEWER}
        elif later.is_read_only:
            allowed = {NEEDS_NEWER, TROUBLE} if command == "convert" else {NEEDS_NEWER}
        if command == "convert" and later.skips == 0:  # it leaves out the block
            allowed = allowed | {FINE}
        result = self.run(command, path, "-o", str(output), *options)
        status, what = result.returncode, f"{command} of a damaged copy" if has_loss else command
        self.expect(status in allowed, later, f"{what} ends with {status}: {result.stderr}")
        if not output.exists():
            self.expect(status not in (FINE, FINDING), later, f"{what} writes nothing")
            return
        self.expect(status in (FINE, FINDING), later, f"{what} writes a file")
        wrong = check_written(output.read_bytes(), original, has_loss, bool(options))
        self.expect(not wrong, later, f"what {what} writes {wrong}")
        output.unlink()

    def load(self, later, mode, line):
        """The outcome of a load, and whether the state that the game saves is sound."""
        if mode in later.limits:
            wanted = [f"refused {later.limits[mode]} "]
        elif later.verdict == SOUND:
            wanted = LOADS[later.loses][mode]
            if later.is_read_only and mode == "keep":
                wanted = ["refused newer "]
        else:
            wanted = [f"refused {later.verdict} "]
        if later.skips is not None:
            wanted = [*wanted, "loaded same"]
        sound = any(line == each or each[-1] == " " and line.startswith(each) for each in wanted)
        self.expect(sound, later, f"a load ({mode}) is {line}, not {' or '.join(wanted)}")
        if line.startswith("loaded") and later.loses in ("more", "state"):
            listed, there = sorted(line.split()[2:]), sorted(dropped_by_load(read(later.data)))
            self.expect(listed == there, later, f"a load ({mode}) lists {listed}, not {there}")


def damaged(data, file):
    """The file with a wrong bit at the end of the rows of table `a`."""
    at = frame.HEADER_BYTES
    for block in file.blocks:
        end = at + frame.HEAD_BYTES + block.stored_bytes
        if block.type == frame.ROWS:
            return data[: end - 1] + bytes([data[end - 1] ^ 1]) + data[end:]
        at = end + -block.stored_bytes % 8
    raise AssertionError("no rows")


def check_commands(check, files, paths):
    """The second reader and `hdbinspect`."""
    for later, path, found in zip(files, paths, inspected(check.program, paths)):
        own = verdict_of(later.data)
        check.expect(own.split(",")[0] == later.verdict, later, f"the reader finds it {own}")
        said = NEWER if SAYS_NEWER in found else CORRUPT if found else SOUND
        check.expect(said == later.verdict, later, f"validate finds {said}: {found}")
        status = check.run("validate", path).returncode
        check.expect(status == VALID[later.verdict], later, f"validate ends with {status}")
        original = read(later.data) if own == SOUND else None
        check.diff(later, path, original)
        check.rewrite(later, path, original, "convert", WRITTEN[later.verdict])
        check.rewrite(later, path, original, "repair", REPAIRED[later.verdict])
        if original:
            other = check.path("damaged", damaged(later.data, original))
            for options in ([], ["--drop-damaged"]):
                check.rewrite(later, other, original, "repair", {FINDING}, *options, has_loss=True)
        if later.verdict == NEWER and len(later.data) > MORE_THAN_A_HEADER:
            without_footer = later.data[: -frame.FOOTER_BYTES] + bytes(frame.FOOTER_BYTES)
            other = check.path("damaged", without_footer)
            check.rewrite(later, other, None, "repair", {NEEDS_NEWER}, has_loss=True)


def check_loads(check, files, paths):
    """The load of a game, in each mode, and what the game saves then."""
    limits = sorted({limit for later in files for limit in later.limits})
    for mode in (*MODES, *limits):
        chosen = [each for each in zip(files, paths) if mode in MODES or mode in each[0].limits]
        saved = Path(check.folder) / mode
        saved.mkdir()
        lines = subprocess.run(
            [check.game, mode, str(saved), *[path for _, path in chosen]],
            capture_output=True,
            text=True,
        ).stdout.splitlines()
        for (later, path), line in zip(chosen, [*lines, *["nothing"] * len(files)]):
            check.load(later, mode, line)
            output = saved / Path(path).name
            if output.exists():
                data = output.read_bytes()
                wrong = check_written(data, None, False) or has_more(data, later.data)
                check.expect(not wrong, later, f"what a game saves {wrong}")


def main():
    files = list(all_files())
    with tempfile.TemporaryDirectory() as folder:
        check = Check(*sys.argv[1:3], folder)
        paths = [check.path(str(at), later.data) for at, later in enumerate(files)]
        check_commands(check, files, paths)
        check_loads(check, files, paths)
    for failure in check.failures:
        print(failure)
    print(f"later files: cases={check.cases} failures={len(check.failures)}")
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
