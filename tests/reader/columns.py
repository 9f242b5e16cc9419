"""Row groups and free lists: chunks, filters, codecs, and columns taken apart into records
(FORMAT.md, section 5)."""

import hashlib
import struct
from itertools import accumulate

import zstandard

from extensions import CHUNK_IDS, CHUNK_ID_BYTES, data_of
from schema import (
    ARRAY,
    BOOL,
    LIST,
    MAP,
    OPAQUE,
    OPTIONAL,
    STRING,
    STRUCT,
    UTF8_CHECKED,
    VARIANT,
    WIDTHS,
)
from wire import Cursor, hash64, hash128, must, varint_bytes, well_formed

ENTRY_BYTES = 56
PIECE_BYTES = 8 << 20
MAX_COLUMN_SUM = 1 << 62
MAX_WINDOW_BYTES, MAX_BLOCK_BYTES = 8 << 20, 128 << 10
NONE, CONSTANT, SHUFFLE, DELTA_SHUFFLE = range(4)
STORED, ZSTD = range(2)


def read_columns(parts, widths):
    """The raw bytes of each column of a row group or a free list, from its parts. `widths` has the
    numbers and the widths of the columns that must be there: in stable tables, none has number
    2."""
    columns = {number: [] for number in widths}
    following = dict(zip(widths, list(widths)[1:]))
    before = (-1, 0)
    for part in parts:
        for place, width, raw in read_chunks(part):
            column, piece = place
            first = (following.get(before[0]) if before[0] >= 0 else 0, 0)
            must(
                place == first or place == (before[0], before[1] + 1),
                "5.2",
                "a chunk is not in its place",
            )
            must(
                width == widths[column],
                "5.2",
                "the width of a chunk differs from that of its column",
            )
            full = piece == 0 or len(columns[column][-1]) == PIECE_BYTES and raw
            must(full, "5.2", "a column is not cut into pieces of 8 MiB")
            columns[column].append(raw)
            before = place
    must(all(columns.values()), "5.2", "a column is missing")
    return {number: b"".join(pieces) for number, pieces in columns.items()}


def read_chunks(block):
    """Place, width and raw bytes of each chunk of a block (section 5.2)."""
    ids = data_of(block.extensions, CHUNK_IDS)
    for place, filter_, codec, width, size, raw_bytes, raw_hash, stored in read_index(block):
        filtered = decompress(codec, stored, size)
        raw = unfilter(filter_, width, filtered, raw_bytes)
        must(hash128(raw) == raw_hash, "5.2", "the hash of a chunk's raw bytes is wrong")
        if ids is not None:
            own, ids = ids[:CHUNK_ID_BYTES], ids[CHUNK_ID_BYTES:]
            must(chunk_id(raw) == own, "2.7", "the id of a chunk is wrong")
        yield place, width, raw


def chunk_id(raw):
    """The id of a chunk (section 2.7)."""
    return hashlib.blake2b(raw, digest_size=CHUNK_ID_BYTES).digest()


def check_index_hash(block):
    """The payload hash of an indexed block (section 2.2)."""
    cursor = Cursor(block.stored_content, "5.2", "an index")
    count = cursor.u32()
    cursor.zeros(4)
    must(count * ENTRY_BYTES <= cursor.left(), "5.2", "an index is larger than its payload")
    end = len(block.payload) - cursor.left() + count * ENTRY_BYTES
    must(
        hash64(block.payload[:end]) == block.payload_hash, "2.2", "the hash of an index is wrong"
    )


def read_index(block, known=True):
    """The entries of an index with the stored bytes of their chunks, the hashes of these bytes
    checked (section 5.2). What filter, codec and width mean in a block of an unknown type is not
    known either (section 2.3)."""
    cursor = Cursor(block.stored_content, "5.2", "an index")
    count = cursor.u32()
    must(count >= 1, "5.2", "an index lists no chunks")
    ids = data_of(block.extensions, CHUNK_IDS)
    must(
        ids is None or len(ids) == count * CHUNK_ID_BYTES,
        "2.7",
        "a block does not have one id for each chunk",
    )
    cursor.zeros(4)
    entries = []
    for _ in range(count):
        place, filter_, codec, width = (
            (cursor.u32(), cursor.u32()),
            cursor.u8(),
            cursor.u8(),
            cursor.u8(),
        )
        cursor.zeros(5)
        stored_bytes, raw_bytes = cursor.u64(), cursor.u64()
        raw_hash, stored_hash = cursor.hash128(), cursor.u64()
        size = None
        if known:
            must(raw_bytes <= PIECE_BYTES, "5.2", "a chunk is too large")
            size = filtered_bytes(filter_, width, raw_bytes)
            check_sizes(codec, stored_bytes, size)
        entries.append(
            (place, filter_, codec, width, size, raw_bytes, raw_hash, stored_bytes, stored_hash)
        )
    must(
        sum(entry[5] for entry in entries) == block.raw_bytes,
        "5.2",
        "the raw sizes of the chunks do not add up to that of the block",
    )
    found = []
    for *entry, stored_bytes, stored_hash in entries:
        stored = cursor.take(stored_bytes)
        must(hash64(stored) == stored_hash, "5.2", "the hash of a chunk's stored bytes is wrong")
        found.append((*entry, stored))
    cursor.end()
    return found


def check_sizes(codec, stored_bytes, size):
    """The stored size of a chunk fits its codec (section 5.4)."""
    must(codec in (STORED, ZSTD), "8", f"there is no codec {codec}")
    if codec == STORED:
        must(
            stored_bytes == size,
            "5.4",
            "the size of an uncompressed chunk differs from its filtered size",
        )
    else:
        must(0 < stored_bytes < size, "5.4", "a compressed chunk is not smaller")


def filtered_bytes(filter_, width, raw_bytes):
    """The size of a chunk after its filter, and whether it may have this filter (section 5.3)."""
    must(filter_ <= DELTA_SHUFFLE, "8", f"there is no filter {filter_}")
    must(
        width in (1, 2, 4, 8) and raw_bytes % width == 0,
        "5.3",
        "the size of a chunk is not a multiple of its width",
    )
    must(
        filter_ == NONE or raw_bytes >= 2 * width,
        "5.3",
        "a chunk with fewer than two values has a filter",
    )
    must(filter_ != SHUFFLE or width > 1, "5.3", "values of one byte are shuffled")
    must(
        filter_ != DELTA_SHUFFLE or width >= 4,
        "5.3",
        "values of less than four bytes are stored as differences",
    )
    return width if filter_ == CONSTANT else raw_bytes


def unfilter(filter_, width, data, raw_bytes):
    if filter_ == CONSTANT:
        return data * (raw_bytes // width)
    if filter_ == NONE:
        return data
    count = raw_bytes // width
    raw = bytearray(raw_bytes)
    for place in range(width):
        raw[place::width] = data[place * count : (place + 1) * count]
    if filter_ == DELTA_SHUFFLE:
        code, mask = ("I", 0xFFFFFFFF) if width == 4 else ("Q", 0xFFFFFFFFFFFFFFFF)
        differences = struct.unpack(f"<{count}{code}", raw)
        return struct.pack(
            f"<{count}{code}", *accumulate(differences, lambda sum_, each: sum_ + each & mask)
        )
    return bytes(raw)


def decompress(codec, stored, size, has_checksum=False):
    """The filtered bytes of a chunk (section 5.4). A checksum may be required."""
    if codec == STORED:
        return stored
    check_frame(stored, size)
    must(not has_checksum or stored[4] & 4, "5.4", "a frame has no checksum")
    try:
        filtered = zstandard.ZstdDecompressor().decompress(stored, max_output_size=size)
    except zstandard.ZstdError as error:
        must(False, "5.4", f"a frame cannot be decompressed: {error}")
    must(len(filtered) == size, "5.4", "a frame decompresses to another number of bytes")
    return filtered


def check_frame(stored, size):
    """The stored bytes are exactly one standard frame (RFC 8878) that states its content size and
    has no dictionary."""
    cursor = Cursor(stored, "5.4", "a frame")
    must(cursor.u32() == 0xFD2FB528, "5.4", "a compressed chunk is not a standard frame")
    descriptor = cursor.u8()
    single_segment, checksum = descriptor >> 5 & 1, descriptor >> 2 & 1
    window = 0
    if not single_segment:
        descriptor_of_window = cursor.u8()
        window = 1 << 10 + (descriptor_of_window >> 3)
        window += window // 8 * (descriptor_of_window & 7)
    dictionary = cursor.take((0, 1, 2, 4)[descriptor & 3])
    must(not any(dictionary), "5.4", "a frame needs a dictionary")
    field = descriptor >> 6
    must(field or single_segment, "5.4", "a frame does not state its content size")
    content = cursor.number(1 << field) + (256 if field == 1 else 0)
    must(content == size, "5.4", "the content size of a frame differs from the filtered size")
    window = window or content
    must(window <= MAX_WINDOW_BYTES, "5.4", "a frame has a window of more than 8 MiB")
    last = 0
    while not last:
        header = cursor.number(3)
        last, type_, block = header & 1, header >> 1 & 3, header >> 3
        must(block <= min(window, MAX_BLOCK_BYTES), "5.4", "a block of a frame is too large")
        cursor.take(1 if type_ == 1 else block)  # a run is stored as one byte
    cursor.take(4 * checksum)
    cursor.end()


class Rows:
    """Values of a field with their row bytes (section 6). Elements of arrays and lists are spans of
    them."""

    def __init__(self, values, raw, width=None):
        self.values, self.raw, self.width = (
            values,
            raw,
            width,
        )  # with a width, raw is one string of bytes

    def bytes(self, first, end):
        if self.width:
            return self.raw[first * self.width : end * self.width]
        return b"".join(self.raw[first:end])


def decode(node, count, columns):
    """The next values of a field, from an iterator over the columns that are left (section 5.1)."""
    if node.code:
        width, raw = WIDTHS[node.code], next(columns)
        must(len(raw) == count * width, "5.1", "a column has the wrong number of values")
        values = struct.unpack(f"<{count}{node.code}", raw)
        if node.kind == BOOL:
            must(all(value <= 1 for value in set(values)), "5.1", "a bool is neither 0 nor 1")
            values = [value == 1 for value in values]
        return Rows(values, raw, width)
    if node.kind == STRUCT:
        # Children without columns come last: the columns of the others show whether that
        # many values exist.
        children = [None] * len(node.children)
        for place in sorted(
            range(len(children)), key=lambda place: not node.children[place].column_widths()
        ):
            children[place] = decode(node.children[place], count, columns)
        values = list(zip(*(child.values for child in children))) if children else [()] * count
        return Rows(
            values, [b"".join(child.bytes(i, i + 1) for child in children) for i in range(count)]
        )
    if node.kind == ARRAY:
        elements = decode(node.children[0], count * node.count, columns)
        spans = [(i * node.count, (i + 1) * node.count) for i in range(count)]
        return Rows(
            [elements.values[a:b] for a, b in spans], [elements.bytes(a, b) for a, b in spans]
        )
    if node.kind == OPTIONAL:
        bits = next(columns)
        must(
            len(bits) == -(-count // 8),
            "5.1",
            "a presence column has the wrong number of bits",
        )
        must(
            count % 8 == 0 or bits[-1] >> count % 8 == 0,
            "5.1",
            "bits after the last value are not zero",
        )
        present = [bits[i // 8] >> i % 8 & 1 for i in range(count)]
        held = decode(node.children[0], sum(present), columns)
        places = list(accumulate(present, initial=0))
        values = [(held.values[at],) if is_there else () for at, is_there in zip(places, present)]
        raw = [
            b"\1" + held.bytes(at, at + 1) if is_there else b"\0"
            for at, is_there in zip(places, present)
        ]
        return Rows(values, raw)
    if node.kind == VARIANT:
        tags = next(columns)
        must(len(tags) == count, "5.1", "a column has the wrong number of tags")
        must(
            all(tag < len(node.children) for tag in tags),
            "5.1",
            "a tag does not name an alternative",
        )
        held = [decode(child, tags.count(tag), columns) for tag, child in enumerate(node.children)]
        at = [0] * len(held)
        values, raw = [], []
        for tag in tags:
            values.append((tag, held[tag].values[at[tag]]))
            raw.append(bytes([tag]) + held[tag].bytes(at[tag], at[tag] + 1))
            at[tag] += 1
        return Rows(values, raw)
    return decode_counted(node, count, columns)


def decode_counted(node, count, columns):
    """Strings, opaque values, lists and maps: a column of lengths, then their content."""
    cursor = Cursor(next(columns), "5.1", "a column of lengths")
    lengths = [cursor.varint() for _ in range(count)]
    cursor.end()
    ends = list(accumulate(lengths, initial=0))
    must(ends[-1] <= MAX_COLUMN_SUM, "5.1", "the sum of the lengths is too large")
    spans = list(zip(ends, ends[1:]))
    if node.kind in (STRING, OPAQUE):
        data = next(columns)
        must(
            len(data) == ends[-1],
            "5.1",
            "the size of a column differs from the sum of its lengths",
        )
        values = [data[a:b] for a, b in spans]
        checked = node.kind == STRING and node.flags & UTF8_CHECKED
        must(not checked or all(map(well_formed, values)), "5.1", "a string is not UTF-8")
        return Rows(values, [varint_bytes(len(value)) + value for value in values])
    if node.kind == LIST:
        held = decode(node.children[0], ends[-1], columns)
        return Rows(
            [held.values[a:b] for a, b in spans],
            [varint_bytes(b - a) + held.bytes(a, b) for a, b in spans],
        )
    assert node.kind == MAP
    keys, values = (decode(child, ends[-1], columns) for child in node.children)
    pairs = list(zip(keys.values, values.values))
    raw = [keys.bytes(i, i + 1) + values.bytes(i, i + 1) for i in range(ends[-1])]
    return Rows(
        [pairs[a:b] for a, b in spans], [varint_bytes(b - a) + b"".join(raw[a:b]) for a, b in spans]
    )
