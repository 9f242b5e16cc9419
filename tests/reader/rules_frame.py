"""A file for each rule of blocks, chunks, filters and codecs: a description, the section that it
breaks or None, the file."""

import struct

import zstandard

import frame
from build import catalog, descriptor, file, free_list, i32, node, root, rows, table
from columns import CONSTANT, DELTA_SHUFFLE, SHUFFLE, ZSTD
from schema import STRING
from seal import Chunk, Part
from wire import hash64, u32s, varint_bytes

MIB = 1 << 20
SIMPLE = root(i32("a"))


def simple():
    return table(SIMPLE, [(4, b"abcd")])


def header_rules():
    for mask, section in ((0, "2.1, newer"), (1, None), (2, None)):
        for bit in (0, 63):
            parts = simple()
            parts.features = tuple(1 << bit if at == mask else 0 for at in range(3))
            yield f"bit {bit} of the mask {mask}", section, parts
    parts = simple()
    parts.file_id = bytes(16)
    yield "any file id", None, parts
    for version, verdict in (
        ((0, 8), "11"),
        ((0, 9), None),
        ((0, 10), None),
        ((0, 11), "11, newer"),
        ((1, 0), None),
        ((1, 65535), None),
        ((2, 0), "11, newer"),
    ):
        parts = simple()
        parts.version = version
        yield f"version {version}", verdict, parts


def newer_first(with_blocks, unknown):
    """Files that need a newer reader and are wrong as well."""
    verdict = "2.3, newer"
    yield "a critical unknown block with a reserved flag", verdict, unknown(2, flags=9)
    yield "a critical unknown block with a table", verdict, unknown(2, flags=1, table=1)
    yield "a critical unknown block before the metadata", verdict, unknown(0, flags=1)
    for name, value in (("flags", 0), ("payload_hash", 5), ("content", b"x"), ("type", 0)):
        both = unknown(2, flags=frame.CRITICAL)
        setattr(both.blocks[0], name, value)
        yield f"a critical unknown block and metadata with {name} {value}", verdict, both
    both = unknown(2, flags=frame.CRITICAL)
    both.blocks.pop()
    yield "a critical unknown block and one catalog", verdict, both


def block_rules():
    """Blocks are: metadata, catalog, rows, catalog."""

    def with_blocks(edit):
        parts = simple()
        edit(parts.blocks)
        return parts

    def unknown(at, **head):
        block = Part(**{"type": 7, "flags": frame.SAFE_TO_COPY} | head)
        return with_blocks(lambda blocks: blocks.insert(at, block))

    def thumbnail(at, payload=b"x"):
        return with_blocks(
            lambda blocks: blocks.insert(
                at, Part(frame.THUMBNAIL, frame.SAFE_TO_COPY, content=payload)
            )
        )

    def set_head(at, name, value):
        return with_blocks(lambda blocks: setattr(blocks[at], name, value))

    def split(blocks, between=0):
        """The rows in two parts, with unknown blocks between them."""
        second = Part(frame.ROWS, frame.FLAGS[frame.ROWS], part=1, chunks=blocks[2].chunks[1:])
        del blocks[2].chunks[1:]
        blocks[3:3] = [Part(7, 0, part=part) for part in range(between)] + [second]

    yield "four blocks", None, simple()
    for at in range(1, 5):
        yield f"an unknown block before block {at}", None, unknown(at)
    yield "an unknown block before the metadata", "2.4", unknown(0)
    yield "an unknown block with any group and part", None, unknown(2, group=8, part=7)
    yield "an unknown block with a table", "2.3", unknown(2, table=1)
    yield "an unknown block without a flag", None, unknown(2, flags=0)
    chunk = Chunk(7, 7, 2, b"abcd")
    yield "an unknown block with an index", None, unknown(2, flags=6, chunks=[chunk])
    for field, value in (("filter", 77), ("codec", 78), ("width", 3), ("width", 0)):
        later = Chunk(**{"column": 7, "piece": 7, "width": 2, "raw": b"abcd"} | {field: value})
        yield f"an unknown block with {field} {value}", None, unknown(2, flags=6, chunks=[later])
    yield "an unknown block with no room for its index", "5.2", unknown(2, flags=6)
    wrong = Chunk(7, 7, 2, b"abcd", stored_hash=5)
    yield "an unknown block with a wrong chunk", "5.2", unknown(2, flags=6, chunks=[wrong])
    yield "an unknown critical block", "2.3, newer", unknown(2, flags=frame.CRITICAL)
    yield from newer_first(with_blocks, unknown)
    yield "an unknown block with a reserved flag", "2.2", unknown(2, flags=8)
    yield "a block of type 0", "2.3", unknown(2, type=0)
    yield "a repeated unknown block", None, with_blocks(
        lambda blocks: blocks.extend([Part(7, 0), Part(7, 0)])
    )
    yield "metadata with an index", "2.3", set_head(0, "flags", 5)
    yield "rows without an index", "2.3", set_head(2, "flags", 1)
    yield "the wrong hash of metadata", "2.2", set_head(0, "payload_hash", 5)
    yield "the wrong hash of an index", "2.2", set_head(2, "payload_hash", 5)
    yield "metadata with other flags", "2.3", set_head(0, "flags", 0)
    yield "a thumbnail", None, thumbnail(1)
    yield "a thumbnail after the catalog", "2.4", thumbnail(2)
    yield "an empty thumbnail", "2.3", thumbnail(1, b"")
    second = thumbnail(1)
    second.blocks.insert(1, Part(7, 0))
    yield "a thumbnail after an unknown block", None, second
    yield "one catalog", "2.3", with_blocks(lambda blocks: blocks.pop())
    yield "two different catalogs", "2.3", with_blocks(
        lambda blocks: setattr(blocks[3], "content", catalog([], []))
    )
    yield "no rows", "2.4", with_blocks(lambda blocks: blocks.pop(2))
    yield "rows after the catalogs", "2.4", with_blocks(
        lambda blocks: blocks.append(blocks.pop(2))
    )
    yield "rows of one group too many", "2.4", with_blocks(
        lambda blocks: blocks.insert(3, rows([(0, 1, b"")], group=1))
    )
    yield "rows in two parts", None, with_blocks(split)
    yield "an unknown block between two parts", "2.4", with_blocks(lambda blocks: split(blocks, 1))
    yield "two unknown blocks between two parts", "2.4", with_blocks(
        lambda blocks: split(blocks, 2)
    )
    yield "an unknown block of any raw size", None, unknown(2, more=7)
    yield "rows of a wrong raw size", "5.2", set_head(2, "more", 7)
    later = rows([(0, 1, b"\1")], part=7)
    yield "another part after the second catalog", "2.4", with_blocks(
        lambda blocks: blocks.append(later)
    )
    for name in ("raw_hash", "stored_hash"):
        yield f"a wrong {name}", "5.2", with_blocks(
            lambda blocks: setattr(blocks[2].chunks[0], name, 1)
        )
    empty = Part(frame.ROWS, frame.FLAGS[frame.ROWS], part=1, chunks=[])
    yield "a part without chunks", "5.2", with_blocks(lambda blocks: blocks.insert(3, empty))


def unknown_index_rules():
    """Indexes of unknown blocks: only sizes, reserved bytes and hashes count."""

    def of(*entries, stored=b"", raw_bytes=0, reserved=0, count=None, later=b""):
        """Entries are stored size, raw size, stored bytes."""
        content = struct.pack("<2I", len(entries) if count is None else count, reserved)
        for size, raw, data in entries:
            content += struct.pack("<2I3B", 7, 7, 77, 78, 79) + (later or bytes(5))
            content += struct.pack("<2Q16xQ", size, raw, hash64(data))
        content += b"".join(data for _, _, data in entries) + stored
        parts = simple()
        flags = frame.SAFE_TO_COPY | frame.INDEXED
        parts.blocks.insert(2, Part(7, flags, content=content, more=raw_bytes - len(content)))
        return parts

    one, large = (1, 5, b"x"), 1 << 63
    what = "an index of an unknown block"
    yield f"{what} and any raw size", None, of((1, 40 << 20, b"x"), raw_bytes=40 << 20)
    yield f"{what} and the largest raw size", None, of((1, 2**64 - 1, b"x"), raw_bytes=2**64 - 1)
    yield f"{what} and raw sizes above 64 bits", "5.2", of((0, large, b""), (0, large, b""))
    yield f"{what} and an empty chunk", None, of((0, 0, b""))
    yield f"{what} and two chunks", None, of(one, (2, 0, b"yz"), raw_bytes=5)
    yield f"{what} and another raw size", "5.2", of(one, raw_bytes=4)
    yield f"{what} without chunks", "5.2", of()
    yield f"{what} with a reserved number", "5.2", of(one, raw_bytes=5, reserved=1)
    yield f"{what} with a reserved byte", "5.2", of(one, raw_bytes=5, later=b"\0\0\0\0\1")
    yield f"{what} and a byte after its chunks", "5.2", of(one, raw_bytes=5, stored=b"x")
    yield f"{what} and a byte too few", "5.2", of((2, 5, b"x"), raw_bytes=5)
    yield f"{what} and a huge stored size", "5.2", of((2**64 - 1, 5, b"x"), raw_bytes=5)
    both = (2**64 - 1, 5, b"x"), (2, 0, b"yz")
    yield f"{what} and stored sizes above 64 bits", "5.2", of(*both, raw_bytes=5)
    yield f"{what} and a chunk too few", "5.2", of(one, raw_bytes=5, count=2)
    yield f"{what} and a huge number of chunks", "5.2", of(one, raw_bytes=5, count=2**32 - 1)


def piece_rules():
    """A string of many bytes, cut in pieces."""

    def pieces(*sizes, parts=1):
        built = table(root(node(STRING, "s")), [(1, varint_bytes(sum(sizes))), (1, b"")])
        block = built.blocks[2]
        block.chunks.pop()
        for piece, size in enumerate(sizes):
            filtered = (CONSTANT, 0, b"x") if size > 1 else ()
            block.chunks.append(Chunk(4, piece, 1, b"x" * size, *filtered))
        if parts == 2:
            built.blocks.insert(
                3, Part(frame.ROWS, frame.FLAGS[frame.ROWS], part=1, chunks=[block.chunks.pop()])
            )
        return built

    yield "a piece of 8 MiB", None, pieces(8 * MIB)
    yield "a piece of 8 MiB and a byte", None, pieces(8 * MIB, 1)
    yield "an empty piece at the end", "5.2", pieces(8 * MIB, 0)
    yield "a short piece at the beginning", "5.2", pieces(4 * MIB, 4 * MIB)
    yield "a piece of 9 MiB", "5.2", pieces(9 * MIB)
    yield "a part of 16 MiB and more", "9", pieces(8 * MIB, 8 * MIB)
    yield "two parts", None, pieces(8 * MIB, 8 * MIB, parts=2)


def filter_rules():
    raw = bytes([1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0])

    def stored(filter_, data, raw=raw, column=2, codec=0):
        """The column of the schema (2), the states (0) or the generations (1), filtered."""
        built = table(SIMPLE, [(4, raw)], live=len(raw) // 4)
        chunk = built.blocks[2].chunks[column]
        chunk.filter, chunk.codec, chunk.stored = filter_, codec, data
        return built

    yield "shuffled", None, stored(SHUFFLE, bytes([1, 2, 3, 4]) + bytes(12))
    yield "shuffled differences", None, stored(DELTA_SHUFFLE, b"\1\1\1\1" + bytes(12))
    yield "constant", None, stored(CONSTANT, b"abcd", b"abcd" * 4)
    yield "constant, stored twice", "5.4", stored(CONSTANT, b"abcd" * 2, b"abcd" * 4)
    yield "one constant value", "5.3", stored(CONSTANT, b"abcd", b"abcd")
    yield "one shuffled value", "5.3", stored(SHUFFLE, b"abcd", b"abcd")
    yield "shuffled bytes", "5.3", stored(SHUFFLE, None, column=0)
    yield "differences of bytes", "5.3", stored(DELTA_SHUFFLE, None, column=0)
    yield "filter 4", "8", stored(4, None)
    yield "codec 2", "8", stored(0, None, codec=2)
    # A frame of one block that is a run of zeros: magic, descriptor and what it announces, block.
    zeros, run, stated = (
        bytes(4000),
        ((4000 << 3) | 3).to_bytes(3, "little") + b"\0",
        struct.pack("<I", 4000),
    )

    def framed(data):
        return stored(0, data, zeros, codec=ZSTD)

    def run_frame(descriptor_, announced):
        return framed(b"\x28\xb5\x2f\xfd" + bytes([descriptor_]) + announced + run)

    compressed, skippable = zstandard.ZstdCompressor().compress(zeros), bytes.fromhex(
        "502a4d1800000000"
    )
    checked = zstandard.ZstdCompressor(write_checksum=True).compress(zeros)
    yield "compressed", None, framed(compressed)
    yield "with a checksum", None, framed(checked)
    yield "with a wrong checksum", "5.4", framed(checked[:-1] + bytes([checked[-1] ^ 1]))
    yield "with a byte after it", "5.4", framed(compressed + b"\0")
    yield "with a skippable frame before it", "5.4", framed(skippable + compressed)
    yield "with a skippable frame after it", "5.4", framed(compressed + skippable)
    yield "in two frames", "5.4", framed(zstandard.ZstdCompressor().compress(zeros[:2000]) * 2)
    yield "a run of zeros", None, run_frame(0xA0, stated)
    yield "its content size in eight bytes", None, run_frame(0xE0, struct.pack("<Q", 4000))
    yield "a window", None, run_frame(0x80, b"\x50" + stated)
    yield "a window of 8 MiB", None, run_frame(0x80, b"\x68" + stated)
    yield "a window of 9 MiB", "5.4", run_frame(0x80, b"\x69" + stated)
    yield "a block above its window", "5.4", run_frame(0x80, b"\x00" + stated)
    many = bytes(200000)
    runs = [(size << 3 | 2).to_bytes(3, "little") + b"\0" for size in (131072, 131073, 200000)]
    rest = ((200000 - 131072) << 3 | 3).to_bytes(3, "little") + b"\0"

    def long_frame(*blocks):
        data = b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", 200000) + b"".join(blocks)
        return stored(0, data, many, codec=ZSTD)

    last = ((200000 << 3) | 3).to_bytes(3, "little") + b"\0"
    yield "two blocks of at most 128 KiB", None, long_frame(runs[0], rest)
    yield "a block of 200000 bytes", "5.4", long_frame(last)
    yield "no content size", "5.4", run_frame(0, b"\x50")
    yield "another content size", "5.4", run_frame(0xA0, struct.pack("<I", 4001))
    yield "dictionary 0", None, run_frame(0xA1, b"\0" + stated)
    yield "dictionary 5", "5.4", run_frame(0xA1, b"\5" + stated)
    yield "a reserved bit of the frame", "5.4", run_frame(0xA8, stated)
    whole = b"\x28\xb5\x2f\xfd\x20\x04\x21\0\0abcd"
    yield "compressed to more bytes", "5.4", stored(0, whole, b"abcd", codec=ZSTD)


def free_list_rules():
    block = 1 << 18

    def free(count, *blocks):
        described = descriptor(SIMPLE, slots=count, live=0, free=count)
        parts = []
        for group, start in enumerate(range(0, count, 1 << 16)):
            here = min(1 << 16, count - start)
            parts.append(
                rows([(0, 1, bytes(here)), (1, 4, u32s([1] * here)), (3, 4, b"")], group=group)
            )
        return file(
            catalog([SIMPLE], [described]),
            parts + [free_list(slots, at) for at, slots in enumerate(blocks)],
        )

    full, rest = range(block), range(block, block + 3)
    yield "a full block", None, free(block, full)
    yield "two blocks", None, free(block + 3, full, rest)
    yield "an empty block at the end", "5.5", free(block, full, ())
    yield "an empty block only", "5.5", free(0, ())
    yield "a short block at the beginning", "5.5", free(5, range(2), range(2, 5))
    yield "a block that is too long", "5.5", free(block + 3, range(block + 3))
    yield "a repeated slot", "5.6", free(2, (0, 0))
    yield "a slot that does not exist", "5.6", free(2, (0, 2))
    yield "a slot missing", "5.6", free(2, (0,))
    yield "no block", "5.6", free(2)
    yield "any order", None, free(3, (2, 0, 1))


RULES = header_rules, block_rules, unknown_index_rules, piece_rules, filter_rules, free_list_rules
