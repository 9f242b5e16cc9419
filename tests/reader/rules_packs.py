"""A file for each rule of packs and of compressed catalogs: a description, the section that it
breaks or None, the file in parts."""

import zstandard

import frame
from build import catalog, descriptor, file, free_list, i32, root, rows
from catalog import DENSE
from seal import Part
from wire import u32s, varint_bytes

SCHEMA = root(i32("a"))
SLOT = b"\1" + u32s([1])  # live, generation 1


def packed(index, data=SLOT + b"\4abcd"):
    return varint_bytes(index) + data


def pack(content, table=0, count=1, part=0, more=0):
    return Part(frame.PACK, frame.CRITICAL, table, part, count, content=content, more=more)


def compressed(content, write_checksum=True):
    compressor = zstandard.ZstdCompressor(write_content_size=True, write_checksum=write_checksum)
    return compressor.compress(content)


def tables(count, **options):
    """A catalog of so many tables, and their file."""
    described = [descriptor(SCHEMA, name=f"t{at:02}", **options) for at in range(count)]
    return lambda *blocks: file(catalog([SCHEMA], described), blocks)


def pack_rules():
    one, two, three = tables(1), tables(2), tables(3)
    yield "a packed table", None, one(pack(packed(0)))
    yield "two tables in a pack", None, two(pack(packed(0) + packed(1), 0, 2))
    yield "two packs", None, two(pack(packed(0)), pack(packed(1), 1))
    own = rows([(0, 1, b"\1"), (1, 4, u32s([1])), (3, 4, b"abcd")], 1)
    around = packed(0) + packed(2)
    yield "a pack after a table of its own blocks", None, three(own, pack(around, 0, 2))
    yield "a pack before a table that precedes its last", "2.4", three(pack(around, 0, 2), own)
    between = pack(packed(0)), own, pack(packed(2), 2)
    yield "packs around a table", None, three(*between)
    yield "packs behind a table", None, three(own, pack(packed(0)), pack(packed(2), 2))
    yield "two packs in the wrong order", "2.4", three(own, *between[::-2])
    yield "a pack of a table with rows", "2.4", three(own, pack(around, 0, 3))
    yield "no pack", "2.4", one()
    yield "a pack of no table", "2.4", one(pack(packed(0)), pack(packed(1), 1))
    yield "a pack that is another part", "2.4", one(pack(packed(0), part=1))
    yield "a pack that counts too much", "2.4", one(pack(packed(0), count=2))
    yield "a pack for another table", "2.4", two(pack(packed(1), 1), pack(packed(0)))
    yield "an empty pack", "2.3", one(pack(b""))
    yield "the index of another table", "5.10", one(pack(packed(1)))
    yield "tables in the wrong order", "5.10", two(pack(packed(1) + packed(0), 0, 2))
    yield "an index that is not short", "1", one(pack(b"\x80\0" + packed(0)[1:]))
    yield "a size that is not a multiple", "5.10", one(pack(packed(0, SLOT + b"\3abc")))
    yield "too many values", "5.1", one(pack(packed(0, SLOT + b"\10abcdefgh")))
    yield "a pack that is cut off", "5.10", one(pack(packed(0)[:-1]))
    yield "a byte after the last table", "5.10", one(pack(packed(0) + b"\0"))
    yield "a state that differs from the descriptor", "5.6", one(
        pack(packed(0, b"\3" + u32s([0]) + b"\0"))
    )
    dense = tables(1, storage=DENSE)
    yield "a packed dense table", None, dense(pack(packed(0, SLOT + u32s([0]) + b"\4abcd")))
    yield "a position too large", "5.6", dense(pack(packed(0, SLOT + u32s([1]) + b"\4abcd")))
    free = tables(1, slots=2, free=1)
    slots = b"\1\0\1\1" + bytes(6)  # generations 1 and 1, shuffled
    yield "a packed free list", None, free(pack(packed(0, slots + b"\4abcd" + u32s([1]))))
    yield "a free list of live slots", "5.6", free(pack(packed(0, slots + b"\4abcd" + u32s([0]))))
    described = [descriptor(SCHEMA, name="t00", slots=2, free=1), descriptor(SCHEMA, name="t01")]
    group = rows([(0, 1, b"\1\0"), (1, 4, u32s([1, 1])), (3, 4, b"abcd")])
    both = catalog([SCHEMA], described)
    list_, packed_ = free_list([1]), pack(packed(1), 1)
    yield "a pack after the free list of a table", None, file(both, [group, list_, packed_])
    yield "a pack between two blocks of one table", "2.4", file(both, [group, packed_, list_])
    wide = tables(1, slots=70000, live=1, free=69999)
    yield "a packed table of two row groups", "2.4", wide(pack(packed(0)))


def compression_rules():
    many = tables(40)
    content = b"".join(map(packed, range(40)))
    frame_ = compressed(content)
    more = len(content) - len(frame_)
    yield "a compressed pack", None, many(pack(frame_, 0, 40, more=more))
    yield "a compressed pack of another size", "5.4", many(pack(frame_, 0, 40, more=more + 1))
    yield "a pack that is larger than its content", "2.3", many(pack(content, 0, 40, more=-1))
    yield "a compressed pack that is cut off", "5.4", many(pack(frame_[:-1], 0, 40, more=more + 1))
    large = compressed(content + bytes(65536))
    size = len(content) + 65536 - len(large)
    yield "a pack that is too large", "9", many(pack(large, 0, 40, more=size))
    bare = compressed(content, write_checksum=False)
    more = len(content) - len(bare)
    yield "a compressed pack without a checksum", "5.4", many(pack(bare, 0, 40, more=more))
    first = many(pack(bare, 0, 40, more=more))
    first.version = frame.READ_VERSIONS[0]
    yield "a compressed pack of version 0.9 without a checksum", None, first
    wrong = frame_[:-1] + bytes([frame_[-1] ^ 1])
    more = len(content) - len(wrong)
    yield "a compressed pack with a wrong checksum", "5.4", many(pack(wrong, 0, 40, more=more))
    yield "a compressed catalog", None, with_catalogs(many(pack(content, 0, 40)), compressed)
    yield "a compressed catalog without a checksum", "5.4", with_catalogs(
        many(pack(content, 0, 40)), lambda content: compressed(content, write_checksum=False)
    )


def with_catalogs(made, compress):
    """The file with compressed catalogs."""
    for part in made.blocks:
        if part.type == frame.CATALOG:
            raw = len(part.content)
            part.content = compress(part.content)
            part.more = raw - len(part.content)
    return made


RULES = pack_rules, compression_rules
