"""Builds files from nothing: schemas, table descriptors, catalogs and row groups of any content,
sound or not."""

import struct

import frame
import schema
from catalog import DENSE, STABLE
from extensions import Extension, list_bytes
from seal import Chunk, Part, Parts
from wire import Refused, u32s, varint_bytes

METADATA = struct.pack("<2Qq", 1, 0, 0) + b"\0\0"
WIDE, SMALL, TYPED = (32, 31, 0), (16, 16, 0), (32, 16, 15)


def text(data):
    data = data if isinstance(data, bytes) else data.encode()
    return varint_bytes(len(data)) + data


def node(kind, name="", *rest, flags=0):
    return bytes([kind, flags]) + text(name) + b"".join(rest)


def struct_(name, *children, flags=0):
    return node(schema.STRUCT, name, varint_bytes(len(children)), *children, flags=flags)


def root(*children):
    return struct_("", *children)


def extensions(*listed):
    """A list of extensions from tags, flags and bytes."""
    return list_bytes([Extension(*each) for each in listed])


def extended(bare, extensions):
    """A node with the bytes of its extensions at its end."""
    return bare[:1] + bytes([bare[1] | schema.EXTENDED]) + bare[2:] + extensions


def i32(name=""):
    return node(schema.I32, name)


def handle(name, bits, table, flags=0):
    return node(schema.HANDLE, name, bytes(bits), text(table), flags=flags)


def variant(name, *alternatives):
    return node(schema.VARIANT, name, bytes([len(alternatives)]), *alternatives)


def array(name, count, child):
    return node(schema.ARRAY, name, varint_bytes(count), child)


def descriptor(
    schema_bytes=None,
    *,
    name="t",
    type_id=0,
    schema_index=0,
    layout=WIDE,
    shift=16,
    storage=STABLE,
    fifo=0,
    counted=0,
    wrap=0,
    flags=0,
    slots=1,
    live=1,
    retired=0,
    free=0,
    counter=0,
    highest=1,
    names=0,
    blobs=None,
    cursor=0,
    extensions=b"\0",
):
    """A table descriptor; `blobs` is capacity, alignment, compaction; `extensions` is the list of
    extensions as it is stored."""
    data = text(name) + struct.pack("<HI", type_id, schema_index) + bytes(layout)
    data += bytes([storage, fifo, counted, wrap, flags, shift])
    data += struct.pack("<4Q2I", slots, live, retired, free, counter, highest) + bytes(
        [names, blobs is not None]
    )
    data += struct.pack("<QIB", *blobs) if blobs else b""
    return data + struct.pack("<I", cursor) + extensions


def sized(items):
    return struct.pack("<I", len(items)) + b"".join(
        struct.pack("<I", len(item)) + item for item in items
    )


def catalog(schemas, descriptors, highest_type_id=0, extensions=b""):
    """A catalog; `extensions` is its list of extensions as it is stored."""
    end = struct.pack("<H", highest_type_id) + extensions
    return sized(schemas) + sized(descriptors) + end


def file(catalog_bytes, blocks=(), metadata=METADATA):
    """A file of one catalog and the blocks of its tables."""
    first = Part(frame.METADATA, frame.CRITICAL, content=metadata)
    copies = [
        Part(frame.CATALOG, frame.CRITICAL, part=part, content=catalog_bytes) for part in (0, 1)
    ]
    return Parts([first, copies[0], *blocks, copies[1]])


def rows(columns, table=0, group=0, part=0):
    """A part of a row group from numbers, widths and bytes of its columns."""
    chunks = [Chunk(column, 0, width, raw) for column, width, raw in columns]
    return Part(frame.ROWS, frame.FLAGS[frame.ROWS], table, part, group, chunks=chunks)


def free_list(slots, part=0):
    flags = frame.FLAGS[frame.FREE_LIST]
    return Part(frame.FREE_LIST, flags, part=part, chunks=[Chunk(0, 0, 4, u32s(slots))])


def table(schema_bytes, columns, live=1, highest_type_id=0, **options):
    """A file of one table with live slots only, all of generation 1, from widths and bytes of the
    schema's columns."""
    described = descriptor(schema_bytes, slots=live, live=live, **options)
    own = [(0, 1, b"\1" * live), (1, 4, u32s([1] * live))]
    if options.get("storage") == DENSE:
        own.append((2, 4, u32s(range(live))))
    blocks = [rows(own + [(3 + at, *column) for at, column in enumerate(columns)])] if live else []
    return file(catalog([schema_bytes], [described], highest_type_id), blocks)
