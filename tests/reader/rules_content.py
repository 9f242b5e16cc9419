"""A file for each rule of slots, values, names and blobs: a description, the section that it
breaks or None, the file."""

import struct

from build import (
    SMALL,
    catalog,
    descriptor,
    file,
    free_list,
    i32,
    node,
    root,
    rows,
    struct_,
    table,
    variant,
)
from catalog import DENSE
from rules_catalog import BLOBS, NAMED, SIMPLE
from schema import BOOL, CHAR8, CHAR32, F32, LIST, MAP, OPTIONAL, STRING, UTF8_CHECKED
from wire import u32s, varint_bytes

LAST = 65535  # of the layout SMALL


def slot_rules():
    def slot(state, generation, highest, **options):
        """A table of one slot that is free (0), live (1), retired (2), unissued (3), or none of
        these."""
        counts = {"free": int(state == 0), "live": int(state in (1, 4)), "retired": int(state == 2)}
        described = descriptor(SIMPLE, layout=SMALL, highest=highest, **counts, **options)
        value = b"abcd" if state == 1 else b""
        blocks = [rows([(0, 1, bytes([state])), (1, 4, u32s([generation])), (3, 4, value)])]
        return file(
            catalog([SIMPLE], [described]), blocks + ([free_list([0])] if state == 0 else [])
        )

    counter = {"counted": 1, "counter": LAST}
    yield "a free slot", None, slot(0, 1, 1)
    yield "a free slot that was never used", "5.1", slot(0, 0, 0)
    yield "an unissued slot", None, slot(3, 0, 0)
    yield "an unissued slot with a generation", "5.1", slot(3, 1, 1)
    yield "a free slot in a list under lowest", "5.6", slot(0, 1, 1, fifo=2)
    states = [(0, 1, b"\0\3\0"), (1, 4, u32s([1, 0, 1])), (3, 4, b"")]
    for listed, rule in (([], None), ([free_list([0, 2])], "5.6")):
        lowest = descriptor(SIMPLE, slots=3, live=0, free=2, fifo=2)
        blocks = [rows(states), *listed]
        yield f"lowest, {len(listed)} lists", rule, file(catalog([SIMPLE], [lowest]), blocks)
    for free, rule in ((2, None), (3, "5.6")):
        counted = descriptor(SIMPLE, slots=3, live=0, free=free)
        blocks = [rows(states), free_list([0, 2])]
        yield f"an unissued slot, {free} free", rule, file(catalog([SIMPLE], [counted]), blocks)
    yield "a free slot above the highest", "5.1", slot(0, 2, 1)
    yield "a free slot that should be retired", "5.1", slot(0, LAST, LAST)
    yield "a free slot that wraps", None, slot(0, LAST, LAST, wrap=1)
    yield "a free slot of a counter", None, slot(0, LAST, LAST, **counter)
    yield "a live slot", None, slot(1, 1, 1)
    yield "a live slot of the last generation", None, slot(1, LAST, LAST)
    yield "a live slot of generation 0", "5.1", slot(1, 0, 1)
    yield "a live slot above the highest", "5.1", slot(1, 2, 1)
    yield "a live slot above the counter", None, slot(1, 1, 1, counted=1)
    yield "a retired slot", None, slot(2, LAST, LAST)
    yield "a retired slot that was never used", None, slot(2, LAST, 0)
    yield "a retired slot that wraps", None, slot(2, LAST, LAST, wrap=1)
    yield "a retired slot of a counter", None, slot(2, LAST, LAST, **counter)
    yield "a retired slot of another generation", "5.1", slot(2, 7, 7)
    yield "a slot of state 4", "5.1", slot(4, 1, 1)
    two = table(SIMPLE, [(4, bytes(8))], live=2, storage=DENSE)
    yield "positions", None, two
    for positions in ((0, 0), (0, 2)):
        two = table(SIMPLE, [(4, bytes(8))], live=2, storage=DENSE)
        two.blocks[2].chunks[2].raw = u32s(positions)
        yield f"positions {positions}", "5.6", two
    more = table(SIMPLE, [(4, b"abcd")], storage=DENSE)
    more.blocks[2].chunks[2].raw = u32s([0, 1])
    yield "one position too many", "5.1", more
    live = rows([(0, 1, b"\1"), (1, 4, u32s([1])), (3, 4, b"abcd")])
    other = file(catalog([SIMPLE], [descriptor(SIMPLE, live=0, free=1)]), [live])
    yield "a live slot that should be free", "5.6", other
    less = table(SIMPLE, [(4, b"abcd")])
    less.blocks[2].chunks[1].raw = b""
    yield "no generations", "5.1", less


def value_rules():
    one, value = (1, b"\1"), (4, b"abcd")
    text = root(node(STRING, "s"))
    checked = root(node(STRING, "s", flags=UTF8_CHECKED))
    pairs = root(node(LIST, "l", struct_("", struct_("e"), i32("x"))))
    yield "a bool of 2", "5.1", table(root(node(BOOL, "b")), [(1, b"\2")])
    yield "a float of any bits", None, table(root(node(F32, "f")), [(4, b"\xff" * 4)])
    yield "a char8 of any bits", None, table(root(node(CHAR8, "c")), [(1, b"\xff")])
    yield "a char32 of any bits", None, table(root(node(CHAR32, "c")), [(4, b"\xff" * 4)])
    yield "one value too few", "5.1", table(SIMPLE, [value], live=2)
    yield "one value too many", "5.1", table(SIMPLE, [(4, bytes(8))])
    yield "a wrong width", "5.2", table(SIMPLE, [(2, b"abcd")])
    yield "one column too few", "5.2", table(SIMPLE, [])
    yield "one column too many", "5.2", table(SIMPLE, [value, value])
    yield "bytes that are not UTF-8", None, table(text, [one, (1, b"\xff")])
    yield "bytes that should be UTF-8", "5.1", table(checked, [one, (1, b"\xff")])
    yield "a surrogate", "5.1", table(checked, [(1, b"\3"), (1, b"\xed\xa0\x80")])
    yield "two strings that are UTF-8 only together", "5.1", table(
        checked, [(1, b"\1\1"), (1, "é".encode())], live=2
    )
    yield "one byte too few", "5.1", table(text, [(1, b"\2"), (1, b"a")])
    yield "one length too few", "5.1", table(text, [(1, b"\1"), (1, b"a")], live=2)
    yield "one length too many", "5.1", table(text, [(1, b"\1\0"), (1, b"a")])
    yield "a length of two bytes that needs one", "1", table(text, [(1, b"\x81\0"), (1, b"a")])
    yield "a length of eleven bytes", "1", table(text, [(1, b"\x80" * 10 + b"\1"), (1, b"a")])
    yield "a length of 65 bits", "1", table(text, [(1, b"\xff" * 9 + b"\2"), (1, b"a")])
    yield "elements with an empty struct", None, table(pairs, [one, value])
    most, more = varint_bytes(2**62 - 1), varint_bytes(2**62)
    yield "2^62 elements without columns", "5.1", table(
        pairs, [(1, most + b"\1"), value], live=2
    )
    yield "more elements than 2^62", "5.1", table(pairs, [(1, more + b"\1"), value], live=2)
    twice = [(1, b"\2"), (4, bytes(8)), (4, bytes(8))]
    yield "a map with a repeated key", None, table(root(node(MAP, "m", i32(), i32())), twice)
    optional = root(node(OPTIONAL, "o", i32()))
    yield "an absent value", None, table(optional, [(1, b"\0"), (4, b"")])
    yield "an absent value that has bytes", "5.1", table(optional, [(1, b"\0"), value])
    yield "a bit after the last value", "5.1", table(optional, [(1, b"\2"), (4, b"")])
    yield "eight bits too many", "5.1", table(optional, [(1, b"\1\0"), value])
    yield "a tag of two alternatives", None, table(
        root(variant("v", i32(), i32())), [(1, b"\1"), (4, b""), value]
    )
    yield "one tag too few", "5.1", table(root(variant("v", i32())), [(1, b""), (4, b"")])
    yield "a tag of a third alternative", "5.1", table(
        root(variant("v", i32(), i32())), [(1, b"\2"), (4, b""), (4, b"")]
    )


def name_rules():
    def names(kind, *given):
        lengths = b"".join(varint_bytes(len(name)) for name in given)
        return table(NAMED, [(1, lengths), (1, b"".join(given))], live=len(given), names=kind)

    yield "a name of any bytes", None, names(1, b"\0\n\xff" + b"n" * 300)
    yield "no names", None, names(1, b"", b"")
    yield "one name twice", "5.7", names(1, b"a", b"a")
    yield "a name in two cases", None, names(1, b"a", b"A")
    yield "a name in two cases that are ignored", "5.7", names(2, b"aZ", b"Az")
    yield "letters beyond ASCII in two cases", None, names(2, "ä".encode(), "Ä".encode())
    yield "the characters next to the letters", None, names(2, b"@", b"`", b"[", b"{")


def blob_rules():
    def blobs(compaction, capacity, *blocks):
        offsets = struct.pack(f"<{len(blocks)}Q", *(offset for offset, _ in blocks))
        lengths = b"".join(varint_bytes(size) for _, size in blocks)
        columns = [(8, offsets), (1, lengths), (1, b"x" * sum(size for _, size in blocks))]
        return table(BLOBS, columns, live=len(blocks), blobs=(capacity, 16, compaction))

    yield "blocks without gaps", None, blobs(0, 64, (16, 0), (0, 16), (32, 17))
    yield "a gap before a block", "5.8", blobs(0, 64, (16, 1))
    yield "a gap that is allowed", None, blobs(1, 64, (16, 1))
    yield "a block that is not aligned", "5.8", blobs(1, 64, (8, 1))
    yield "blocks that overlap", "5.8", blobs(1, 64, (0, 17), (16, 1))
    yield "an empty block in another", "5.8", blobs(1, 64, (0, 17), (16, 0))
    yield "a block beyond the end", "5.8", blobs(1, 16, (0, 17))
    yield "an empty block at the end", "5.8", blobs(1, 16, (16, 0))
    yield "a block at the greatest offset", "5.8", blobs(1, 64, (2**64 - 16, 16))
    yield (
        "no blocks in a buffer of 0 bytes",
        None,
        table(BLOBS, [], live=0, blobs=(0, 16, 0), highest=0),
    )


RULES = slot_rules, value_rules, name_rules, blob_rules
