"""A file for each rule of header, heads, directory and footer: a description, the section that
it breaks or None, the bytes."""

import struct

from build import i32, root, table
from frame import DIRECTORY_MAGIC, FOOTER_BYTES, FOOTER_MAGIC, HEAD_BYTES, HEADER_BYTES
from seal import reseal, sealed
from wire import hash64


class Bytes:
    """A sound file whose header, heads, directory and footer can be edited: their hashes are then
    computed again."""

    def __init__(self):
        self.data, _ = reseal(table(root(i32("a")), [(4, b"abcd")]))
        self.directory = struct.unpack("<Q", self.data[-FOOTER_BYTES:][:8])[0]

    def edited(self, at, data):
        return self.data[:at] + data + self.data[at + len(data) :]

    def header(self, at, data):
        header = sealed(self.edited(at, data)[: HEADER_BYTES - 8])
        return header + self.data[HEADER_BYTES:]

    def head(self, at, data):
        """With an edit of the first block's head, which is that of the metadata; the directory does
        not follow."""
        head = sealed(self.edited(HEADER_BYTES + at, data)[HEADER_BYTES:][: HEAD_BYTES - 8])
        return self.edited(HEADER_BYTES, head)

    def listed(self, at, data):
        """With an edit of the directory. Its entries begin at byte 32."""
        end = len(self.data) - FOOTER_BYTES
        directory = self.edited(self.directory + at, data)[self.directory : end]
        footer = self.footer_bytes(16, struct.pack("<Q", hash64(directory)))
        return self.edited(self.directory, directory)[:end] + footer

    def footer_bytes(self, at, data):
        return sealed(self.edited(len(self.data) - FOOTER_BYTES + at, data)[-FOOTER_BYTES:-8])

    def footer(self, at, data):
        return self.data[:-FOOTER_BYTES] + self.footer_bytes(at, data)


def geometry_rules():
    file = Bytes()
    u64, one = struct.Struct("<Q").pack, b"\1"
    size, directory = len(file.data), file.directory
    yield "a file", None, file.data
    yield "no byte", "2", b""
    yield "no footer", "2.6", file.data[:-FOOTER_BYTES]
    yield "eight bytes before the header", "2.1", bytes(8) + file.data
    yield "eight bytes after the footer", "2.6", file.data + bytes(8)
    yield "a wrong signature", "2.1", file.header(0, b"\0")
    yield "reserved bytes of the header", "2.1", file.header(12, one)
    yield "another file id in the header", "2.5", file.header(40, bytes(16))
    yield "a wrong magic of the footer", "2.6", file.footer(48, FOOTER_MAGIC[::-1])
    yield "a directory at another offset", "2.6", file.footer(0, u64(directory + 8))
    yield "a larger directory", "2.6", file.footer(8, u64(size))
    unaligned = u64(directory - 1) + u64(size - FOOTER_BYTES - directory + 1)
    yield "a directory that is not aligned", "2.6", file.footer(0, unaligned)
    yield "the wrong hash of the directory", "2.6", file.footer(16, bytes(8))
    yield "a wrong size of the file", "2.6", file.footer(24, u64(size + 8))
    yield "a wrong state hash", "7", file.footer(32, bytes(16))
    yield "a wrong magic of the directory", "2.5", file.listed(0, DIRECTORY_MAGIC[::-1])
    yield "a directory of another file", "2.5", file.listed(8, bytes(16))
    yield "one entry too many", "2.5", file.listed(24, u64(5))
    yield "one entry too few", "2.5", file.listed(24, u64(3))
    for at, what, section in (
        (32, "offset", "2.5"),
        (40, "stored size", "2.3"),
        (48, "raw size", "2.3"),
        (56, "payload hash", "2.5"),
        (64, "group", "2.5"),
    ):
        yield f"another {what} in an entry", section, file.listed(at, u64(8))
    for at, what, section in (
        (72, "table", "2.5"),
        (76, "part", "2.5"),
        (80, "type", "2.3"),
        (81, "flags", "2.3"),
        (82, "size of the extensions", "2.3"),
        (84, "reserved byte", "2.5"),
    ):
        yield f"another {what} in an entry", section, file.listed(at, b"\2")
    yield "no marker", "2.2", file.head(0, b"\0")
    yield "another flag in the head of the metadata", "2.5", file.head(5, b"\3")
    yield "extensions in the head of the metadata", "2.5", file.head(6, one)
    yield "a table in the head of the metadata", "2.5", file.head(8, one)
    yield "another raw size in the head of the metadata", "2.5", file.head(32, one)
    yield "a block of another file", "2.2", file.head(40, bytes(16))
    yield "another payload hash in the head of the metadata", "2.5", file.head(56, bytes(8))


RULES = (geometry_rules,)
