"""The structures and numbers of schema/FORMAT.md, from the tables of its text."""

import re
from functools import cache

from layout import identifier, laid_out

# The structures: section, and which of the tables of fields in this section.
STRUCTURES = {
    "header": ("2.1", 0),
    "block_head": ("2.2", 0),
    "directory": ("2.5", 0),
    "directory_entry": ("2.5", 1),
    "footer": ("2.6", 0),
    "table_descriptor": ("4.4", 0),
    "chunk_entry": ("5.2", 0),
}
# The numbers that are rows of a table. The numbers of policies are in the rows of table_descriptor.
REGISTRIES = {"block_type": "2.3", "field_type": "4.1", "filter": "5.3", "codec": "5.4"}
# The sets of flags: section, and the field whose bits they are.
FLAGS = {
    "block_flags": ("2.2", "flags: "),
    "table_flags": ("4.4", "flags: "),
    "node_flags": ("4.2", "flags := "),
}
SIZES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "hash64": 8, "hash128": 16}
# Names of fields that are not the first words of their row.
NAMES = {
    "of the bytes 0 to 55": "hash",
    "of the bytes 0 to 63 of the head": "hash",
    "of the bytes 0 to 55 of the footer": "hash",
    "of the directory": "directory_hash",
    "of the raw bytes": "raw_hash",
    "of the stored bytes": "stored_hash",
    "offset of the directory": "directory_offset",
    "size of the directory": "directory_size",
    "size of the file": "file_size",
    "size of the extensions in units of 8 bytes": "extension_units",
}


class FormatText:
    """FORMAT.md, divided into sections."""

    def __init__(self, text):
        parts = re.split(r"^#+ ([0-9.]+) .*\n", text, flags=re.MULTILINE)
        self.sections = {
            number.rstrip("."): body for number, body in zip(parts[1::2], parts[2::2])
        }

    def tables(self, section):
        """The rows of each table of a section, heads included."""
        blocks = re.findall(r"(?:^\|.*\n)+", self.sections[section], re.MULTILINE)
        return [
            [
                [cell.strip() for cell in line.strip().strip("|").split("|")]
                for line in block.splitlines()
                if not re.match(r"\|[-:|]+\|$", line.strip())
            ]
            for block in blocks
        ]

    def structure_rows(self, name):
        """Offset, type and text of each field of a structure; the offset may be missing."""
        section, which = STRUCTURES[name]
        tables = [rows for rows in self.tables(section) if rows[0][-1] == "field"]
        return [([None] + row)[-3:] for row in tables[which][1:]]

    @cache
    def structure(self, name):
        """The fields of a structure. The offsets of the text must follow from its types."""
        rows = self.structure_rows(name)
        fields = laid_out([field_of(type_, text) for _, type_, text in rows])
        for (offset, _, text), field in zip(rows, fields):
            if offset is not None and int(offset) != field.offset:
                raise ValueError(f"{name}: {text} is at {offset}, the types lead to {field.offset}")
        return fields

    @cache
    def numbers(self, name):
        """A registry: the name of each number."""
        rows = self.tables(REGISTRIES[name])[0]
        return {int(row[0]): identifier(row[1]) for row in rows[1:]}

    @cache
    def policies(self):
        """The numbers of each field of a table descriptor that lists them."""
        result = {}
        for _, type_, text in self.structure_rows("table_descriptor"):
            text = text.removeprefix("blob tables only: ")
            name, _, values = text.partition(": ")
            pairs = re.findall(r"(?:^|, )([0-9]+) ([^,]+)", values)
            if type_ == "u8" and pairs:
                result[identifier(name)] = {int(n): identifier(value) for n, value in pairs}
        return result

    @cache
    def flags(self, name):
        """The names of flags, by bit."""
        section, beginning = FLAGS[name]
        (line,) = re.findall(re.escape(beginning) + r"bit 0.*", self.sections[section])
        line = re.sub(r"\(.*?\)", "", line)
        return {int(n): identifier(flag) for n, flag in re.findall(r"bit (\d+) ([^,;|]+)", line)}


def field_of(type_, text):
    """Name, size, repeated, constant and optional of a row."""
    optional = text.startswith("blob tables only: ")
    words = text.removeprefix("blob tables only: ").replace("*", "")
    words = re.split(r"[,:;(`]", words)[0].strip().removeprefix("the ")
    if words.startswith("number of "):
        name = identifier(words.replace("number of", "num", 1))
    else:
        name = NAMES.get(words) or identifier(re.split(r" (?:of|in|ever) ", words)[0])
    repeated = type_.endswith(" each")
    type_ = type_.removesuffix(" each")
    return name, bytes_of(type_), repeated, constant_of(type_, text), optional


def bytes_of(type_):
    """The size of a type, or None."""
    if match := re.fullmatch(r"(\d+) bytes", type_):
        return int(match[1])
    sizes = [SIZES.get(part) for part in type_.split(", ")]
    return None if None in sizes else sum(sizes)


def constant_of(type_, text):
    """The bytes or the number that a field always has, or None."""
    if match := re.search(r"`((?:[0-9a-f]{2} ?)+)`", text):
        return bytes.fromhex(match[1])
    match = re.fullmatch(r"(?:major|minor) version, (\d+)", text)
    return int(match[1]) if match else None
