"""Tests that hdb.ksy and hdb.hexpat have the structures and the numbers of FORMAT.md.

check_tables.py SCHEMA_FOLDER

Then it damages each description line by line and requires that the damage is found.
"""

import re
import sys
from pathlib import Path

try:
    from kaitai_text import KaitaiText
except ModuleNotFoundError as error:
    sys.exit(f"descriptions: {error}; install it: apt-get install python3-yaml")

from format_text import FLAGS, REGISTRIES, STRUCTURES, FormatText
from imhex_text import ImHexText
from layout import differences
from support import report

# The structure and the field of each registry and of each set of flags are compared too.
ENUMERATED = [
    ("block_head", "type"),
    ("directory_entry", "type"),
    ("chunk_entry", "filter"),
    ("chunk_entry", "codec"),
]


def compare(wanted, found):
    """Each thing compared, with its differences from FORMAT.md."""
    for name in STRUCTURES:
        yield name, differences(wanted.structure(name), found.structure(name))
    for name in REGISTRIES:
        yield name, differences(wanted.numbers(name), found.numbers(name))
    for name in FLAGS:
        yield name, differences(wanted.flags(name), found.flags(name))
    for name, numbers in wanted.policies().items():
        yield name, differences(numbers, found.numbers(name))
        used = found.uses_numbers("table_descriptor", name)
        yield name, [] if used else ["the field does not have the type of its numbers"]


def is_different(wanted, read, text):
    """Whether a description differs from FORMAT.md, or cannot be read."""
    try:
        return any(found for _, found in compare(wanted, read(text)))
    except Exception:  # any reason shows the damage
        return True


def damaged_lines(text, patterns):
    """The text with one of its lines changed, for each line and each change that applies."""
    lines = text.splitlines()
    for at, line in enumerate(lines):
        for pattern, replacement in patterns:
            damaged = re.sub(pattern, replacement, line)
            if damaged != line:
                yield at + 1, "\n".join(lines[:at] + [damaged] + lines[at + 1 :])


# What is changed, in lines between the first and the last structure that is compared.
KAITAI_DAMAGE = [
    (r"^(        type: u)4$", r"\g<1>8"),
    (r"^(        type: u)8$", r"\g<1>4"),
    (r"^(    \d+: \w+)$", r"\1_x"),
    (r"(contents: \[0x..), 0x..", r"\1, 0x00"),
]
IMHEX_DAMAGE = [
    (r"^(    u)32 (\w+;)$", r"\g<1>64 \2"),
    (r"^(    u)64 (\w+;)$", r"\g<1>32 \2"),
    (r"(\w) = (\d+)(,|$| })", r"\1 = 9\2\3"),
    (r'(== "\\x..)\\x..', r"\1\\x00"),
]
# Lines of structures that FORMAT.md does not have as tables.
NOT_COMPARED = {
    "hdb.ksy": r"  (hash128|varint|text|block|(table_)?extensions?|component|metadata"
    r"|key_and_value|catalog|schema|table|node|chunks|pack|packed_table|packed_column):$",
    "hdb.hexpat": r"(struct (Text|(Table)?Extensions?|Component|Metadata|KeyAndValue|Node|Schema"
    r"|Table|\w*Catalog(<.*)?|Chunks?|Compressed<.*|Packed\w+|Pack<.*|Block)|fn \w+.*"
    r"|u64 catalog_\w+.*) ?(\{|;)$",
}


def compared_lines(name, text):
    """The numbers of the lines of a description that belong to what is compared."""
    result, compared = set(), False
    for at, line in enumerate(text.splitlines(), 1):
        begins = r"(  )?\w+:$" if name == "hdb.ksy" else r"\S.*[{;]$"
        if re.match(begins, line) and not re.match(r"  (seq|types|instances):$|\}", line):
            compared = not re.match(NOT_COMPARED[name], line)
        if compared:
            result.add(at)
    return result


def main():
    folder = Path(sys.argv[1])
    wanted = FormatText((folder / "FORMAT.md").read_text("utf-8"))
    cases, failures = 0, []
    for name, read, damage in (
        ("hdb.ksy", KaitaiText, KAITAI_DAMAGE),
        ("hdb.hexpat", ImHexText, IMHEX_DAMAGE),
    ):
        text = (folder / name).read_text("utf-8")
        for what, found in compare(wanted, read(text)):
            cases += 1
            failures += [f"{name}: {what}: {difference}" for difference in found]
        lines, damaged_cases = compared_lines(name, text), 0
        for at, damaged in damaged_lines(text, damage):
            if at in lines:
                damaged_cases += 1
                if not is_different(wanted, read, damaged):
                    failures.append(f"{name}:{at}: a change of this line is not noticed")
        if damaged_cases < 50:
            failures.append(f"{name}: only {damaged_cases} lines could be damaged")
        cases += damaged_cases
    report("tables of descriptions", cases, failures)


if __name__ == "__main__":
    main()
