"""A file for each rule of extensions: a description, the section that it breaks or None, the
file."""

import struct

import frame
from build import (
    array,
    catalog,
    descriptor,
    extended,
    extensions,
    file,
    handle,
    i32,
    node,
    root,
    rows,
    struct_,
    table,
    variant,
    WIDE,
)
from catalog import DENSE
from columns import chunk_id
from extensions import MAX_BYTES
from rules_frame import simple
from schema import ENUM, I32, LIST, MAP, OPTIONAL, STRING, STRONG, U8
from seal import Chunk, Part, put_together, reseal
from wire import u32s, varint_bytes

SIMPLE, COLUMN = root(i32("a")), [(4, b"abcd")]
CRITICAL, HASHED, SAFE = 1, 2, 4
UNKNOWN = (9, 0, b"unknown")


def list_rules(place, section, built):
    """What lists of extensions at each of the three places have in common. `built` makes a file of
    the bytes of a list; a list that is cut off breaks the section of the place."""
    for flags in (0, HASHED, SAFE, HASHED | SAFE):
        yield f"{place} with an unknown extension of flags {flags}", None, built(
            extensions((9, flags, b"unknown"))
        )
    for flags in (CRITICAL, CRITICAL | HASHED, CRITICAL | SAFE):
        yield f"{place} with a critical unknown extension of flags {flags}", "2.7, newer", built(
            extensions((9, flags, b""))
        )
    yield f"{place} with the last tag", None, built(extensions((255, 0, b"")))
    yield f"{place} with the last tag, critical", "2.7, newer", built(
        extensions((255, CRITICAL, b""))
    )
    yield f"{place} with three extensions", None, built(
        extensions(UNKNOWN, (10, 0, b""), (99, 4, b"x"))
    )
    yield f"{place} with a critical extension after another", "2.7, newer", built(
        extensions(UNKNOWN, (10, CRITICAL, b""))
    )
    yield f"{place} with a tag twice", "2.7", built(extensions(UNKNOWN, UNKNOWN))
    yield f"{place} with falling tags", "2.7", built(extensions(UNKNOWN, (8, 0, b"")))
    yield f"{place} with tag 0", "2.7", built(extensions((0, 0, b"")))
    for flag in (8, 128):
        yield f"{place} with the reserved flag {flag}", "2.7", built(extensions((9, flag, b"")))
    yield f"{place} with an extension of 64 KiB", None, built(extensions((9, 0, bytes(MAX_BYTES))))
    larger = None if place == "a catalog" else "9"
    yield f"{place} with an extension of 64 KiB and a byte", larger, built(
        extensions((9, 0, bytes(MAX_BYTES + 1)))
    )
    yield f"{place} with extensions of 192 KiB", None, built(
        extensions(*[(tag, 0, bytes(MAX_BYTES)) for tag in (7, 8, 9)])
    )
    yield f"{place} with a count that is not short", "1", built(b"\x81\0" + extensions(UNKNOWN)[1:])
    yield f"{place} with a size that is not short", "1", built(b"\1\x09\0\x80\0")
    # What follows the list is not part of it: so a large count or size ends beyond the place.
    yield f"{place} with a size beyond its end", section, built(b"\1\x09\0\xff\xff\3x")


def descriptor_rules():
    def of(list_):
        return table(SIMPLE, COLUMN, extensions=list_)

    yield "a descriptor without extensions", None, of(b"\0")
    yield from list_rules("a descriptor", "4.4", of)
    yield "a descriptor without a list of extensions", "4.4", of(b"")
    yield "a descriptor with one extension too few", "4.4", of(b"\2" + extensions(UNKNOWN)[1:])
    yield "a descriptor with one extension too many", "4.4", of(b"\0" + extensions(UNKNOWN)[1:])
    yield "a descriptor with a byte after its extensions", "4.4", of(extensions(UNKNOWN) + b"\0")
    yield "a table that is not hashed, with an extension", None, table(
        SIMPLE, COLUMN, flags=2, extensions=extensions((9, HASHED, b"x"))
    )


def catalog_rules():
    def of(list_):
        one = catalog([SIMPLE], [descriptor()], extensions=list_)
        return file(one, [rows([(0, 1, b"\1"), (1, 4, u32s([1])), (3, 4, b"abcd")])])

    yield from list_rules("a catalog", "3.2", of)
    yield "a catalog with an empty list of extensions", "3.2", of(b"\0")
    yield "a catalog with a byte after its extensions", "3.2", of(extensions(UNKNOWN) + b"\0")
    yield "a catalog with one extension too few", "3.2", of(b"\2" + extensions(UNKNOWN)[1:])
    after = of(extensions((9, CRITICAL, b"")))
    after.blocks[0].content = b"x"
    yield "a critical extension of a catalog and metadata that are too short", "2.7, newer", after
    both = catalog([SIMPLE], [descriptor(storage=9)], extensions=extensions((9, CRITICAL, b"")))
    yield "a critical extension of a catalog and an unknown storage", "2.7, newer", file(both)


def sort_rules():
    def sorting(data, extension_flags=HASHED, storage=DENSE, **options):
        list_ = extensions((1, extension_flags, data))
        return table(SIMPLE, COLUMN, storage=storage, extensions=list_, **options)

    for algorithm in (0, 1, 2, 192, 255):
        yield f"sort work of the algorithm {algorithm}", None, sorting(bytes([algorithm]) + b"any")
    yield "sort work that is one byte", None, sorting(b"\2")
    yield "sort work that is empty", "5.9", sorting(b"")
    yield "sort work of a stable table", "5.9", sorting(b"\2x", storage=1)
    for flags in (0, SAFE, CRITICAL, CRITICAL | HASHED, HASHED | SAFE):
        yield f"sort work with flags {flags}", "2.7", sorting(b"\2x", flags)
    yield "sort work that is not hashed in a table that is not", "2.7", sorting(b"\2x", 0, flags=2)
    both = extensions((1, HASHED, b"\2x"), UNKNOWN)
    yield "sort work and an unknown extension", None, table(
        SIMPLE, COLUMN, storage=DENSE, extensions=both
    )


def node_rules():
    def of(list_):
        return table(root(extended(i32("a"), list_)), COLUMN)

    yield from list_rules("a node", "4.2", of)
    yield "a node without its extensions", "4.2", of(b"")
    yield "an extended node without extensions", "4.2", of(b"\0")
    yield "a node with a count that is too large", "4.2", of(b"\2" + extensions(UNKNOWN)[1:])
    yield "a node with extensions, but not extended", "4.2", table(
        root(i32("a") + extensions(UNKNOWN)), COLUMN
    )
    yield "an extended node with a reserved flag", "4.2", table(
        root(extended(node(I32, "a", flags=16), extensions(UNKNOWN))), COLUMN
    )
    yield "a node with the tag 2", None, of(extensions((2, 0, b"")))
    yield "a node with the critical tag 2", "2.7, newer", of(extensions((2, CRITICAL, b"")))
    more = extensions(UNKNOWN)
    one = (1, b"\1")
    a, b = extended(i32("a"), more), extended(i32(), more)
    yield "an extended root", None, table(extended(root(a), more), COLUMN)
    yield "extensions of a root before its children", "4.2", table(
        struct_("", more, a, flags=8), COLUMN
    )
    yield "extensions at every depth", None, table(
        root(extended(struct_("s", a, i32("b")), more)), COLUMN * 2
    )
    kinds = {
        "enum": (node(ENUM, "x", b), COLUMN),
        "handle": (handle("x", WIDE, "t"), [(8, bytes(8))]),
        "strong handle": (handle("x", WIDE, "", STRONG), [(8, bytes(8))]),
        "array": (array("x", 2, b), [(4, bytes(8))]),
        "list": (node(LIST, "x", b), [one, *COLUMN]),
        "optional": (node(OPTIONAL, "x", b), [one, *COLUMN]),
        "variant": (variant("x", a, b), [(1, b"\0"), *COLUMN, (4, b"")]),
        "map": (node(MAP, "x", b, extended(node(U8), more)), [one, *COLUMN, one]),
        "string": (node(STRING, "x"), [one, (1, b"s")]),
    }
    for kind, (bare, columns) in kinds.items():
        yield f"an extended {kind}", None, table(root(extended(bare, more)), columns)
    yield "an extended @name", "4.6", table(
        root(extended(node(STRING, "@name"), more)), [one, (1, b"n")], names=1
    )


def enum_name_rules():
    def of(data, extension_flags=SAFE, child=U8, width=1, kind=ENUM):
        bare = node(ENUM, "e", node(child)) if kind == ENUM else node(kind, "e")
        list_ = extensions((1, extension_flags, data))
        return table(root(extended(bare, list_)), [(width, bytes(width))])

    def named(*pairs, code="B", **options):
        data = varint_bytes(len(pairs)) + b"".join(
            struct.pack("<" + code, number) + varint_bytes(len(name)) + name
            for number, name in pairs
        )
        return of(data, **options)

    yield "an enum with names", None, named((0, b"calm"), (1, b"angry"))
    yield "an enum that names no stored value", None, named((255, b"x"))
    for code, child, width in (("h", 3, 2), ("i", 4, 4), ("Q", 9, 8)):
        options = {"code": code, "child": child, "width": width}
        pairs = ((0, b"a"), (2 ** (8 * width) - 1, b"b"))
        if code != "Q":
            pairs = ((-1, b"a"), (0, b"b"))
        yield f"an enum of the type {child} with names", None, named(*pairs, **options)
        yield f"an enum of the type {child} with falling numbers", "4.7", named(
            *reversed(pairs), **options
        )
    for flags in (0, HASHED, CRITICAL, CRITICAL | SAFE, HASHED | SAFE):
        yield f"enum names with flags {flags}", "2.7", named((0, b"a"), extension_flags=flags)
    for kind in (U8, STRING):
        yield f"enum names of a field of type {kind}", "2.7", of(b"\1\0\1a", kind=kind)
    yield "no enum names", "4.7", of(b"\0")
    yield "enum names without a count", "4.7", of(b"")
    yield "more enum names than bytes", "4.7", of(b"\2\0\1a")
    yield "a huge number of enum names", "4.7", of(b"\xff\xff\xff\xff\x0f\0\1a")
    yield "a byte after enum names", "4.7", of(b"\1\0\1a\0")
    yield "enum names of a narrower type", "4.7", of(b"\1\0\1a", child=3, width=2)
    yield "two numbers of one enum name", "4.7", named((0, b"a"), (1, b"a"))
    yield "two names of one number of an enum", "4.7", named((0, b"a"), (0, b"b"))
    yield "an empty enum name", "1", named((0, b""))
    yield "an enum name with a line", "1", named((0, b"a\n"))
    yield "an enum name that is not UTF-8", "1", named((0, b"\xff"))
    yield "an enum name of 255 bytes", None, named((0, b"n" * 255))
    yield "an enum name of 256 bytes", "4.7", named((0, b"n" * 256))
    longest = [(number, b"%05d" % number + b"n" * 250) for number in range(253)]
    yield "enum names of nearly 64 KiB", None, named(*longest, code="H", child=7, width=2)
    yield "enum names and an unknown extension", None, table(
        root(extended(node(ENUM, "e", node(U8)), extensions((1, SAFE, b"\1\0\1a"), UNKNOWN))),
        [(1, b"\0")],
    )
    yield "enum names in an array", None, table(
        root(array("x", 2, extended(node(ENUM, "", node(U8)), extensions((1, SAFE, b"\1\0\1a"))))),
        [(1, b"\0\7")],
    )


def with_head(at=2, **fields):
    """A file whose blocks are metadata, catalog, rows, catalog, with these fields of one."""
    parts = simple()
    for name, value in fields.items():
        setattr(parts.blocks[at], name, value)
    return parts


def unknown(list_=b"", **fields):
    """A file with an unknown block that has extensions."""
    parts = simple()
    block = Part(**{"type": 7, "flags": frame.SAFE_TO_COPY, "content": b"unknown"} | fields)
    block.extensions = list_
    parts.blocks.insert(2, block)
    return parts


def head_rules():
    more = extensions(UNKNOWN)
    for at, block in enumerate(("metadata", "the catalog", "rows", "the second catalog")):
        yield f"{block} with an extension", None, with_head(at, extensions=more)
    packed = file(
        catalog([SIMPLE], [descriptor(SIMPLE)]),
        [Part(frame.PACK, 1, group=1, content=b"\0\1\1\0\0\0\4abcd", extensions=more)],
    )
    yield "a pack with an extension", None, packed
    thumbnail = Part(frame.THUMBNAIL, frame.SAFE_TO_COPY, content=b"x", extensions=more)
    for what, section, content in (("a", None, b"x"), ("an empty", "2.3", b"")):
        parts = simple()
        parts.blocks.insert(1, Part(**vars(thumbnail) | {"content": content}))
        yield f"{what} thumbnail with an extension", section, parts
    yield from list_rules("a block", "2.2", lambda list_: with_head(extensions=list_))
    yield from list_rules("an unknown block", "2.2", unknown)
    yield from list_rules("metadata", "2.2", lambda list_: with_head(0, extensions=list_))
    yield "an unknown block with nothing but extensions", None, unknown(more, content=b"")
    for at in (0, 1, 2):
        empty = with_head(at, extensions=b"\0")
        yield f"an empty list of extensions in block {at}", "2.2", empty
        huge = with_head(at, units=60000)
        yield f"extensions beyond the payload of block {at}", "2.2", huge
    yield "extensions beyond the payload of an unknown block", "2.2", unknown(units=1, content=b"x")
    whole = unknown(more[:8], content=more[8:] + b"\0\0\0", units=1)
    yield "a list of extensions that is longer than its place", "2.2", whole
    split = unknown(more[:8], content=more[8:] + bytes(5), units=1)
    yield "extensions that end where the payload ends", None, split
    # The list has 11 bytes, so 5 bytes of padding.
    yield "padding of extensions that is not zero", "2.2", with_head(extensions=more + b"\0\0x")
    yield "padding of eight bytes more", "2.2", with_head(extensions=more, padding=bytes(8))
    yield "a byte after extensions without padding", "2.2", unknown(
        extensions((9, 0, b"1234")) + b"12345678"
    )
    yield "extensions without padding", None, unknown(extensions((9, 0, b"1234")))
    yield "the wrong hash of extensions and metadata", "2.2", with_head(
        0, extensions=more, payload_hash=1
    )
    yield "the wrong hash of extensions and an index", "2.2", with_head(
        extensions=more, payload_hash=1
    )
    metadata = with_head(0, extensions=more)
    metadata.blocks[0].more = 16
    yield "metadata with a raw size that counts its extensions", "2.3", metadata
    large = extensions(*[(tag, 0, bytes(MAX_BYTES)) for tag in range(3, 10)])
    yield "a head with extensions of 448 KiB", None, with_head(extensions=large)


def table_name_rules():
    def named(data, extension_flags=SAFE, **fields):
        return unknown(extensions((1, extension_flags, data)), **fields)

    yield "an unknown block of a table", None, named(b"t")
    yield "an unknown block of a table that does not exist", None, named("ü".encode())
    yield "a table name of 255 bytes", None, named(b"n" * 255)
    yield "a table name of 256 bytes", "2.7", named(b"n" * 256)
    yield "a table name that is empty", "2.7", named(b"")
    yield "a table name with a line", "2.7", named(b"t\n")
    yield "a table name that is not UTF-8", "2.7", named(b"t\xff")
    yield "an unknown block with the name and the index of a table", "2.3", named(b"t", table=1)
    for flags in (0, CRITICAL | SAFE, HASHED | SAFE):
        yield f"a table name with flags {flags}", "2.7", named(b"t", flags)
    yield "an unknown block of a table that is not safe to copy", None, named(b"t", flags=0)
    for at, block in enumerate(("metadata", "a catalog", "rows")):
        yield f"{block} with a table name", "2.7", with_head(
            at, extensions=extensions((1, SAFE, b"t"))
        )


def indexed(ids, flags=0, at=2):
    """Rows with chunk ids."""
    return with_head(at, extensions=extensions((2, flags, ids)))


def right_ids():
    return b"".join(chunk_id(chunk.raw) for chunk in simple().blocks[2].chunks)


def chunk_id_rules():
    ids = right_ids()
    yield "chunk ids", None, indexed(ids)
    yield "one chunk id too few", "2.7", indexed(ids[:-32])
    yield "one chunk id too many", "2.7", indexed(ids + bytes(32))
    yield "a chunk id with a byte too few", "2.7", indexed(ids[:-1])
    yield "no chunk ids", "2.7", indexed(b"")
    for flags in (CRITICAL, HASHED, SAFE):
        yield f"chunk ids with flags {flags}", "2.7", indexed(ids, flags)
    yield "chunk ids of metadata", "2.7", indexed(b"", at=0)
    yield "chunk ids of an unknown block without an index", "2.7", unknown(extensions((2, 0, ids)))
    chunk = Chunk(7, 7, 2, b"abcd")
    of_one = {"flags": 6, "chunks": [chunk]}
    own = (2, 0, chunk_id(b"abcd"))
    yield "chunk ids of an unknown block", None, unknown(extensions(own), **of_one)
    name = (1, SAFE, b"t")
    yield "chunk ids and a table name", None, unknown(extensions(name, own, UNKNOWN), **of_one)
    yield "a table name after chunk ids", "2.7", unknown(extensions(own, name), **of_one)
    yield "two chunk ids of an unknown block of one chunk", "2.7", unknown(
        extensions((2, 0, bytes(64))), **of_one
    )


def hash_rules():
    """The state hash covers the hashed extensions of tables and of nodes, and no other."""

    def of(listed, nodes):
        """A file with extensions of its table, of its root and of its field."""
        bare = i32("a")
        field = extended(bare, extensions(*nodes)) if nodes else bare
        own = extended(root(field), extensions(*nodes)) if nodes else root(field)
        return table(own, COLUMN, extensions=extensions(*listed))

    def with_hash_of(parts, other):
        """A file with the state hash of another one."""
        assert reseal(other)[1] is None
        parts.state_hash = other.state_hash
        return put_together(parts)

    hashed, other = (9, HASHED, b"unknown"), (10, SAFE, b"x")
    yield "extensions that are not hashed", None, with_hash_of(
        of([UNKNOWN, other], [UNKNOWN, other]), of([], [])
    )
    for what, listed, nodes in (("table", [hashed], []), ("node", [], [hashed])):
        yield f"a hashed extension of a {what}", "7", with_hash_of(of(listed, nodes), of([], []))
        for change in ((8, HASHED, b"unknown"), (9, HASHED | SAFE, b"unknown"), (9, HASHED, b"")):
            changed = of([change], []) if listed else of([], [change])
            yield f"a hashed extension of a {what} as {change}", "7", with_hash_of(
                changed, of(listed, nodes)
            )
        both = of(listed and [*listed, other], nodes and [*nodes, other])
        yield f"a hashed extension of a {what} beside one that is not", None, with_hash_of(
            both, of(listed, nodes)
        )
    yield "a hashed extension of a node as that of a table", "7", with_hash_of(
        of([hashed], []), of([], [hashed])
    )
    yield "sort work left out", "7", with_hash_of(
        table(SIMPLE, COLUMN, storage=DENSE),
        table(SIMPLE, COLUMN, storage=DENSE, extensions=extensions((1, HASHED, b"\1"))),
    )
    excluded = {"flags": 2}
    yield "a hashed extension of a table that is not hashed", None, with_hash_of(
        table(SIMPLE, COLUMN, extensions=extensions(hashed), **excluded),
        table(SIMPLE, COLUMN, **excluded),
    )
    yield "a hashed extension of a block", None, with_hash_of(
        with_head(extensions=extensions(hashed)), simple()
    )


def wrong_id_rules():
    """A reader that checks the whole file compares the ids."""
    ids = right_ids()
    yield "a wrong chunk id", "2.7", indexed(ids[:-1] + bytes([ids[-1] ^ 1]))
    yield "chunk ids in another order", "2.7", indexed(ids[32:] + ids[:32])


RULES = (
    catalog_rules,
    descriptor_rules,
    sort_rules,
    node_rules,
    enum_name_rules,
    head_rules,
    table_name_rules,
    chunk_id_rules,
    hash_rules,
    wrong_id_rules,
)
