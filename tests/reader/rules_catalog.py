"""A file for each rule of metadata, schemas and descriptors: a description, the section that it
breaks or None, the file."""

import struct

from build import (
    SMALL,
    TYPED,
    WIDE,
    array,
    catalog,
    descriptor,
    file,
    handle,
    i32,
    node,
    root,
    rows,
    struct_,
)
from build import table, text, variant
from catalog import DENSE, STABLE
from schema import BOOL, ENUM, LIST, MAP, OPAQUE, OPTIONAL, STRING, STRONG, U8, U64, UTF8_CHECKED
from wire import u32s

SIMPLE, COLUMN = root(i32("a")), [(4, b"abcd")]
EMPTY = struct_("")
NAMED = root(node(STRING, "@name"))
BLOB_FIELDS = node(U64, "@offset"), node(OPAQUE, "@bytes")
BLOBS = root(*BLOB_FIELDS)

# Valid layouts at the limits of their parts, and how many bytes their handles take; layouts just
# outside of the limits.
LAYOUT_WIDTHS = [
    ((32, 31, 0), 8),
    ((16, 16, 0), 4),
    ((32, 16, 15), 8),
    ((10, 6, 0), 2),
    ((1, 1, 0), 2),
    ((1, 1, 14), 2),
    ((1, 1, 15), 4),
    ((24, 8, 0), 4),
    ((24, 7, 1), 4),
    ((24, 8, 1), 8),
    ((20, 31, 0), 8),
    ((40, 23, 0), 8),
    ((63, 1, 0), 8),
    ((33, 31, 0), 8),
    ((17, 31, 16), 8),
    ((47, 1, 16), 8),
]
NO_LAYOUTS = [
    (0, 31, 0),
    (32, 0, 0),
    (0, 0, 0),
    (32, 32, 0),
    (16, 16, 17),
    (34, 31, 0),
    (63, 1, 1),
    (64, 0, 0),
    (64, 1, 0),
    (33, 16, 16),
    (255, 1, 0),
    (1, 255, 0),
    (1, 1, 255),
    (255, 2, 255),
    (200, 31, 25),
]


def metadata_rules():
    def save(pairs, title=b"\0", times=(1, 0, 0)):
        return file(catalog([], []), metadata=struct.pack("<2Qq", *times) + title + pairs)

    yield "no table", None, save(b"\0")
    yield "the greatest and the least numbers", None, save(
        b"\0", times=(2**64 - 1, 2**64 - 1, -(2**63))
    )
    yield "a title of control characters", None, save(b"\0", text("a\n\0"))
    yield "an empty key", None, save(b"\1\0\0")
    yield "a repeated key", "3.1", save(b"\2\1k\0\1k\0")
    yield "keys in descending order", "3.1", save(b"\2\1l\0\1k\0")
    yield "metadata with a byte after its end", "3.1", save(b"\0\0")
    yield "a varint that is too long", "1", save(b"\x80\0")
    yield "a title that is not UTF-8", "1", save(b"\0", text(b"\xed\xa0\x80"))


def schema_rules():
    one = [(1, b"\1")]
    yield "a field", None, table(SIMPLE, COLUMN)
    yield "a root without children", None, table(root(), [])
    yield "a root with a name", "4.2", table(struct_("r", i32("a")), COLUMN)
    yield "a root that is not a struct", "4.2", table(i32(), COLUMN)
    yield "an empty struct", None, table(root(struct_("e"), i32("a")), COLUMN)
    yield "an optional empty struct", None, table(root(node(OPTIONAL, "o", EMPTY)), one)
    yield "a list of empty structs", "4.2", table(root(node(LIST, "l", EMPTY)), one)
    yield "an array of empty structs", "4.2", table(root(array("l", 2, EMPTY)), [])
    yield "a map of empty structs", "4.2", table(root(node(MAP, "m", EMPTY, EMPTY)), one)
    yield "a map with empty keys", None, table(root(node(MAP, "m", EMPTY, i32())), [*one, *COLUMN])
    yield "a variant without alternatives", "4.2", table(root(variant("v")), [(1, b"\0")])
    twice = root(variant("v", i32("x"), i32("x")))
    yield "alternatives of one name", None, table(twice, [(1, b"\0"), *COLUMN, (4, b"")])
    yield "an alternative with a line in its name", "4.2", table(
        root(variant("v", i32("\n"))), [(1, b"\0"), *COLUMN]
    )
    yield "a field without a name", "4.2", table(root(i32()), COLUMN)
    yield "a field with a line in its name", "4.2", table(root(i32("\n")), COLUMN)
    yield "a field with a control character beyond 7f", None, table(root(i32("\u0085")), COLUMN)
    yield "a name of 255 bytes", None, table(root(i32("a" * 255)), COLUMN)
    yield "a name of 256 bytes", "4.2", table(root(i32("a" * 256)), COLUMN)
    yield "two fields of one name", "4.2", table(root(i32("a"), i32("a")), COLUMN * 2)
    yield "an element with a name", "4.2", table(root(node(LIST, "l", i32("x"))), [*one, *COLUMN])
    yield "an enum", None, table(root(node(ENUM, "e", i32())), COLUMN)
    yield "an enum of bool", "4.2", table(root(node(ENUM, "e", node(BOOL))), [(1, b"\0")])
    yield "an enum of an enum", "4.2", table(root(node(ENUM, "e", node(ENUM, "", i32()))), COLUMN)
    yield "a struct that is UTF-8", "4.2", table(struct_("", i32("a"), flags=UTF8_CHECKED), COLUMN)
    yield "field type 25", "8", table(root(node(25, "a")), COLUMN)
    yield "an array of 0 elements", "4.2", table(root(array("a", 0, i32())), [])
    yield "an array of 2^20 + 1 elements", "4.2", table(root(array("a", 2**20 + 1, node(U8))), [])
    yield "records of 17 MiB", "9", table(root(array("a", 2**20, array("", 17, node(U8)))), [])
    yield "a handle to a table that does not exist", None, table(
        root(handle("h", WIDE, "u")), [(8, b"\xff" * 8)]
    )
    yield "a strong handle to any table", None, table(
        root(handle("h", TYPED, "", STRONG)), [(8, b"\xff" * 8)]
    )
    yield "a handle with a line in its table", "4.2", table(
        root(handle("h", WIDE, "\n")), [(8, bytes(8))]
    )
    for bits, width in LAYOUT_WIDTHS:
        column = [(width, b"\xff" * width)]
        yield f"a handle of {bits} bits", None, table(root(handle("h", bits, "u")), column)
        for other in {2, 4, 8} - {width}:
            column = [(other, b"\xff" * other)]
            yield f"a handle of {bits} bits in {other} bytes", "5.2", table(
                root(handle("h", bits, "u")), column
            )
    for bits in NO_LAYOUTS:
        yield f"a handle of {bits} bits", "4.3", table(
            root(handle("h", bits, "u")), [(8, bytes(8))]
        )
    deep = node(U8)
    for _ in range(29):
        deep = node(OPTIONAL, "", deep)
    yield "32 nested nodes", None, table(
        root(node(OPTIONAL, "o", deep)), [(1, b"\0")] + [(1, b"")] * 30
    )
    deep = node(OPTIONAL, "", deep)
    yield "33 nested nodes", "9", table(
        root(node(OPTIONAL, "o", deep)), [(1, b"\0")] + [(1, b"")] * 31
    )


def catalog_rules():
    def tables(descriptors, schemas=(SIMPLE,), highest=0):
        blocks = [
            rows([(0, 1, b"\1"), (1, 4, u32s([1])), (3, *COLUMN[0])], at)
            for at in range(len(descriptors))
        ]
        return file(catalog(schemas, descriptors, highest), blocks)

    def of(name, **options):
        return descriptor(SIMPLE, name=name, **options)

    typed = {"layout": TYPED, "type_id": 3}
    yield "two tables of one schema", None, tables([of("a"), of("b")])
    yield "two equal schemas", None, tables([of("a"), of("b", schema_index=1)], [SIMPLE, SIMPLE])
    yield "schemas in another order", None, tables(
        [of("a", schema_index=1), of("b")], [SIMPLE, root(i32("z"))]
    )
    yield "a schema that no table uses", "3.2", tables([of("a")], [SIMPLE, root(i32("z"))])
    yield "an index of a schema that does not exist", "4.4", tables([of("a", schema_index=1)])
    yield "tables in another order", "3.2", tables([of("b"), of("a")])
    yield "two tables of one name", "3.2", tables([of("a"), of("a")])
    yield "names that differ in case", None, tables([of("A"), of("a")])
    yield "a table without a name", "1", tables([of("")])
    yield "a type id", None, tables([of("a", **typed)], highest=3)
    yield "a type id above the highest", "3.2", tables([of("a", **typed)], highest=2)
    yield "a type id twice", "3.2", tables([of("a", **typed), of("b", **typed)], highest=3)
    yield "a type id in a layout without one", "4.4", tables([of("a", type_id=3)], highest=3)
    yield "the highest type id that can be written", None, tables([of("a")], highest=65535)
    yield "a singleton with two records", "4.4", table(SIMPLE, [(4, bytes(8))], live=2, flags=1)
    yield "a table that is not hashed", None, table(SIMPLE, COLUMN, flags=3)
    yield "a flag 2", "4.4", table(SIMPLE, COLUMN, flags=4)
    for policy in ("storage", "fifo", "counted", "wrap", "names"):
        yield f"{policy} 3", "4.4", table(SIMPLE, COLUMN, **{policy: 3})
    for bits, _ in LAYOUT_WIDTHS:
        yield f"a layout of {bits} bits", None, table(SIMPLE, COLUMN, layout=bits)
        last = 2**31 - 2 if bits[1] == 31 else 2 ** bits[1] - 1
        yield f"the last generation of {bits} bits", None, table(
            SIMPLE, COLUMN, layout=bits, highest=last
        )
        yield f"a generation above {bits} bits", "4.4", table(
            SIMPLE, COLUMN, layout=bits, highest=last + 1
        )
        typed = tables([of("a", layout=bits, type_id=2 ** bits[2] - 1)], highest=65535)
        yield f"the highest type id of {bits} bits", None, typed
        if bits[2] < 16:
            typed = tables([of("a", layout=bits, type_id=2 ** bits[2])], highest=65535)
            yield f"a type id above {bits} bits", "4.4", typed
    for bits in NO_LAYOUTS:
        yield f"a layout of {bits} bits", "4.3", table(SIMPLE, COLUMN, layout=bits)
    retired = [(0, 1, b"\2\2"), (1, 4, u32s([1, 1])), (3, 4, b"")]
    shortest = of("a", layout=(1, 1, 0), slots=2, live=0, retired=2)
    yield "two slots of one generation, retired", None, file(
        catalog([SIMPLE], [shortest]), [rows(retired)]
    )
    long = of("a", layout=(1, 1, 0), slots=3, live=0, retired=3)
    retired = [(0, 1, b"\2\2\2"), (1, 4, u32s([1, 1, 1])), (3, 4, b"")]
    yield "three slots of one index bit", "4.4", file(catalog([SIMPLE], [long]), [rows(retired)])
    for shift in (6, 15):
        yield f"group shift {shift}", None, table(SIMPLE, COLUMN, shift=shift)
    for shift in (0, 5, 17, 255):
        yield f"group shift {shift}", "4.5", table(SIMPLE, COLUMN, shift=shift)
    yield "a live slot, but no generation", "4.4", table(SIMPLE, COLUMN, highest=0)
    yield "a generation above the layout's", "4.4", table(
        SIMPLE, COLUMN, layout=SMALL, highest=65536
    )
    yield "a counter above the highest", "4.4", table(SIMPLE, COLUMN, counted=1, counter=2)
    yield "a floor of generations above the highest", None, table(SIMPLE, COLUMN, counter=2)
    yield "a floor of generations above the layout's", "4.4", table(
        SIMPLE, COLUMN, layout=SMALL, counter=65536
    )
    yield "slots that do not add up", "4.4", table(SIMPLE, COLUMN, free=1)
    yield "more slots than the layout has", "4.4", file(
        catalog([SIMPLE], [of("a", slots=2**32, free=2**32, live=0)])
    )
    yield "a cursor beyond the slots", "4.4", table(SIMPLE, COLUMN, cursor=1)


def names_and_blobs_rules():
    name, blob = [(1, b"\1"), (1, b"n")], [(8, bytes(8)), (1, b"\1"), (1, b"b")]
    yield "names", None, table(NAMED, name, names=1)
    yield "exact names", "4.6", table(
        root(node(STRING, "@name", flags=UTF8_CHECKED)), name, names=1
    )
    yield "@name in a table without names", "4.6", table(NAMED, name)
    yield "names without a field for them", "4.6", table(SIMPLE, COLUMN, names=1)
    yield "a reserved name", "4.6", table(root(i32("@x")), COLUMN)
    yield "an @ below the root", None, table(root(struct_("s", i32("@x"))), COLUMN)
    yield "blobs", None, table(BLOBS, blob, blobs=(16, 16, 0))
    both = {"names": 1, "blobs": (16, 16, 0)}
    yield "names and blobs", None, table(
        root(node(STRING, "@name"), *BLOB_FIELDS), name + blob, **both
    )
    yield "blobs with names after them", "4.6", table(
        root(*BLOB_FIELDS, node(STRING, "@name")), blob + name, **both
    )
    yield "fields of blobs in a table of records", "4.6", table(BLOBS, blob)
    yield "blobs with a group shift of 16", None, table(BLOBS, blob, blobs=(16, 16, 0), shift=16)
    yield "a dense blob table", "4.4", table(BLOBS, blob, blobs=(16, 16, 0), storage=DENSE)
    yield "a blob table that is a singleton", "4.4", table(BLOBS, blob, blobs=(16, 16, 0), flags=1)
    yield "an alignment of 0", "4.4", table(BLOBS, blob, blobs=(16, 0, 0))
    yield "an alignment of 3", "4.4", table(BLOBS, blob, blobs=(15, 3, 0))
    yield "an alignment of 8192", "4.4", table(BLOBS, blob, blobs=(8192, 8192, 0))
    yield "a capacity that is not aligned", "4.4", table(BLOBS, blob, blobs=(17, 16, 0))
    yield "a capacity of 1 TiB", None, table(BLOBS, blob, blobs=(2**40, 16, 0))
    yield "a capacity of more than 1 TiB", "9", table(BLOBS, blob, blobs=(2**40 + 16, 16, 0))


RULES = metadata_rules, schema_rules, catalog_rules, names_and_blobs_rules
