"""Takes a file apart and puts it together again with right hashes, so that an edit is checked by
the rules and not by the hashes."""

import struct
from dataclasses import dataclass

import columns
import frame
from extensions import list_bytes
from hdb_reader import read
from wire import Refused, hash64, hash128, hash_bytes


@dataclass
class Chunk:
    """A chunk of a row group or a free list, with its entry in the index. `stored` is what is
    stored for `raw`; the hashes are theirs, but for bits that are given."""

    column: int
    piece: int
    width: int
    raw: bytes
    filter: int = columns.NONE
    codec: int = columns.STORED
    stored: bytes = None
    raw_hash: int = 0
    stored_hash: int = 0

    def payload(self):
        return self.raw if self.stored is None else self.stored

    def entry(self):
        place = struct.pack("<2I3B5x", self.column, self.piece, self.filter, self.codec, self.width)
        sizes = struct.pack("<2Q", len(self.payload()), len(self.raw))
        raw_hash = hash_bytes(hash128(self.raw) ^ self.raw_hash)
        return (
            place + sizes + raw_hash + struct.pack("<Q", hash64(self.payload()) ^ self.stored_hash)
        )


@dataclass
class Part:
    """A block: the fields of its head, and its content or the chunks in it. `more` is added to the
    raw size; `extensions` is the list of extensions as it is stored; `padding` is added to the
    padding of the list, and `units` to its size in the head."""

    type: int
    flags: int
    table: int = 0
    part: int = 0
    group: int = 0
    content: bytes = b""
    chunks: list = None
    payload_hash: int = 0
    more: int = 0
    extensions: bytes = b""
    padding: bytes = b""
    units: int = 0

    def payload(self):
        """Payload, raw size, payload hash, which is right but for bits that are given."""
        extensions = self.padded_extensions()
        if self.chunks is None:
            hashed = hash64(extensions + self.content[: self.hashed_bytes()])
            raw_bytes = len(self.content) + self.more
            return extensions + self.content, raw_bytes, hashed ^ self.payload_hash
        index = struct.pack("<2I", len(self.chunks), 0) + b"".join(
            chunk.entry() for chunk in self.chunks
        )
        stored = b"".join(chunk.payload() for chunk in self.chunks)
        raw_bytes = sum(len(chunk.raw) for chunk in self.chunks) + self.more
        hashed = hash64(extensions + index)
        return extensions + index + stored, raw_bytes, hashed ^ self.payload_hash

    def padded_extensions(self):
        """The extensions as they are in the payload."""
        return self.extensions + bytes(-len(self.extensions) % frame.UNIT_BYTES) + self.padding

    def extension_units(self):
        """The size of the extensions in the head."""
        return len(self.padded_extensions()) // frame.UNIT_BYTES + self.units

    def hashed_bytes(self):
        """How much of a given content is hashed: its index, if it should have one."""
        if self.flags & frame.INDEXED and len(self.content) >= 8:
            index = 8 + columns.ENTRY_BYTES * int.from_bytes(self.content[:4], "little")
            return min(index, len(self.content))
        return len(self.content)


@dataclass
class Parts:
    """A file in parts."""

    blocks: list
    state_hash: int = 0
    version: tuple = frame.VERSION
    features: tuple = (0, 0, 0)  # incompatible, read-only compatible, compatible
    file_id: bytes = bytes(range(16))


def take_apart(data):
    """The parts of a sound file; catalogs and packs are not compressed any more."""
    file = read(data)
    blocks = []
    for block in file.blocks:
        place = block.table, block.part, block.group
        part = Part(block.type, block.flags, *place, frame.content_of(block))
        part.extensions = list_bytes(block.extensions) if block.extensions else b""
        if block.type in (frame.ROWS, frame.FREE_LIST):
            part.chunks = [
                Chunk(*place, width, raw) for place, width, raw in columns.read_chunks(block)
            ]
        blocks.append(part)
    return Parts(blocks, file.state_hash)


def put_together(parts):
    """The bytes of a file."""
    file_id = parts.file_id
    header = frame.SIGNATURE + struct.pack("<HH4x3Q", *parts.version, *parts.features) + file_id
    data = bytearray(sealed(header))
    entries = b""
    for block in parts.blocks:
        payload, raw_bytes, payload_hash = block.payload()
        place = struct.pack("<2IQ", block.table, block.part, block.group)
        sizes = struct.pack("<2Q", len(payload), raw_bytes)
        hash_ = struct.pack("<Q", payload_hash)
        kind = struct.pack("<2BH", block.type, block.flags, block.extension_units())
        entries += (
            struct.pack("<Q", len(data)) + sizes + hash_ + place[8:] + place[:8] + kind + bytes(4)
        )
        head = frame.MARKER + kind + place + sizes + file_id + hash_
        data += sealed(head) + payload + bytes(-len(payload) % 8)
    directory = frame.DIRECTORY_MAGIC + file_id + struct.pack("<Q", len(parts.blocks)) + entries
    end = len(data) + len(directory) + frame.FOOTER_BYTES
    sizes = struct.pack("<4Q", len(data), len(directory), hash64(directory), end)
    return (
        bytes(data) + directory + sealed(sizes + hash_bytes(parts.state_hash) + frame.FOOTER_MAGIC)
    )


def sealed(data):
    """Bytes followed by their hash, as headers, heads and footers have it."""
    return data + struct.pack("<Q", hash64(data))


def reseal(parts):
    """The file of edited parts, and the reason why the reader refuses it, or None. If only the
    state hash is wrong, it is computed again."""
    for _ in range(2):
        data = put_together(parts)
        try:
            read(data)
            return data, None
        except Refused as refused:
            reason = refused
        if reason.computed is None:
            break
        parts.state_hash = reason.computed
    return data, str(reason)
