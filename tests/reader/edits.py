"""Edits of sound files: the random part of check_edits.py."""

import copy
from dataclasses import fields

from build import extensions
from frame import CATALOG, PACK
from seal import Chunk, Part

EXTENSIONS = (
    b"",
    b"\0",
    extensions((1, 4, b"name")),
    extensions((2, 0, bytes(32))),
    extensions((9, 0, b"unknown"), (200, 4, b"")),
    extensions((9, 1, b"critical")),
)
BYTES = 0, 1, 2, 3, 127, 128, 255


def edit(parts, chosen):
    """A copy of a file in parts with one edit, and its description. `chosen` is the source of
    chance."""
    parts = copy.deepcopy(parts)
    chunked = [block for block in parts.blocks if block.chunks or block.type == PACK]
    kind = chosen.randrange(10)
    if kind < 3:
        catalogs = [block for block in parts.blocks if block.type == CATALOG]
        edited = edit_bytes(catalogs[0].content, chosen)
        for block in catalogs:
            block.content = edited
        return parts, "the catalog"
    if kind == 3:
        parts.blocks[0].content = edit_bytes(parts.blocks[0].content, chosen)
        return parts, "the metadata"
    if kind < 8 and chunked:
        block = chosen.choice(chunked)
        if block.type == PACK:
            block.content = edit_bytes(block.content, chosen)
            return parts, f"the pack that begins with table {block.table}"
        chunk = chosen.choice(block.chunks)
        if kind < 7:
            # Most columns are short; of a long one, the beginning is enough.
            chunk.raw = edit_bytes(chunk.raw[:100], chosen) + chunk.raw[100:]
            return parts, f"column {chunk.column} of block {parts.blocks.index(block)}"
        return (
            parts,
            f"{edit_index(block.chunks, chunk, chosen)} of block {parts.blocks.index(block)}",
        )
    return parts, edit_blocks(parts.blocks, chosen)


def edit_bytes(data, chosen):
    data = bytearray(data)
    at = chosen.randrange(len(data) + 1)
    kind = chosen.randrange(5)
    if kind == 0 or at == len(data):
        data.insert(at, chosen.choice(BYTES))
    elif kind == 1:
        del data[at]
    elif kind == 2:
        data[at] = chosen.choice(BYTES)
    elif kind == 3:
        data[at] = (data[at] + chosen.choice((1, -1))) % 256
    else:
        data[at] ^= 1 << chosen.randrange(8)
    return bytes(data)


def edit_index(chunks, chunk, chosen):
    """Edits the entry of a chunk in an index, or the order of chunks."""
    kind = chosen.randrange(5)
    if kind == 0:
        chunks.remove(chunk)
        return "the chunks (one removed)"
    if kind == 1:
        chunks.insert(chosen.randrange(len(chunks) + 1), chunk)
        return "the chunks (one added)"
    name = chosen.choice([field.name for field in fields(Chunk) if field.type is int])
    setattr(chunk, name, chosen.randrange(10))
    return f"the {name} of a chunk"


def edit_blocks(blocks, chosen):
    """Edits the fields of heads, or the order of blocks."""
    kind = chosen.randrange(7)
    block = chosen.choice(blocks)
    at = chosen.randrange(len(blocks) + 1)
    if kind == 0:
        blocks.remove(block)
        return "the blocks (one removed)"
    if kind == 1:
        blocks.insert(at, copy.deepcopy(block))
        return "the blocks (one repeated)"
    if kind == 2:
        blocks.remove(block)
        blocks.insert(min(at, len(blocks)), block)
        return "the order of blocks"
    if kind == 3:
        type_, flags, place = (
            chosen.choice((7, 8, 200)),
            chosen.choice((0, 2)),
            chosen.choice((0, 0, 1)),
        )
        added = Part(type_, flags, place, content=chosen.choice((b"", b"unknown")))
        added.extensions = chosen.choice(EXTENSIONS)
        blocks.insert(at, added)
        return "the blocks (an unknown one added)"
    if kind == 4:
        block.extensions = edit_bytes(chosen.choice(EXTENSIONS), chosen)
        return f"the extensions of a block of type {block.type}"
    name = chosen.choice(("type", "flags", "table", "part", "group", "payload_hash", "units"))
    setattr(block, name, getattr(block, name) ^ 1 << chosen.randrange(3))
    return f"the {name} of a block of type {block.type}"
