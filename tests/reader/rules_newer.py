"""Files that need a newer reader and are wrong as well, and files that are only wrong (FORMAT.md,
section 8.3): a description, the section that decides, the file."""

import struct

import frame
from build import array, catalog, descriptor, extended, extensions, file, i32, node, root
from extensions import MAX_BYTES
from rules_extensions import CRITICAL, HASHED, SAFE, SIMPLE
from rules_frame import simple
from rules_geometry import Bytes
from rules_packs import compressed, with_catalogs
from schema import ENUM, MAX_NODES, OPTIONAL, STRUCT, U8
from seal import Part

NEWER = extensions((9, CRITICAL, b""))
VERDICT = "2.7, newer"


def header_rules():
    bytes_ = Bytes()
    u64 = struct.Struct("<Q").pack
    major, feature = struct.pack("<2H", 2, 0), u64(1 << 40)
    for what, version, mask, verdict in (
        ("a later version", major, u64(0), "11, newer"),
        ("an unknown feature", struct.pack("<2H", 0, 10), feature, "2.1, newer"),
        ("a feature of a later version", struct.pack("<2H", 1, 1), feature, "2.1, newer"),
    ):
        whole = bytes_.header(8, version + bytes(4) + mask)
        reserved = bytes_.header(8, version + b"\1\0\0\0" + mask)
        yield f"{what} and reserved bytes", verdict, reserved
        yield f"{what} and nothing but a header", verdict, whole[:64]
        yield f"{what} and a header and a byte", verdict, whole[:65]
        yield f"{what} and no footer", verdict, whole[:-64]
        yield f"{what} and a wrong hash of the header", "2.1", whole[:56] + bytes(8) + whole[64:]
        yield f"{what} and a header that is cut off", "2", whole[:63]
    yield "reserved bytes of version 1.1", "2.1", bytes_.header(8, b"\1\0\1\0\1")


def directory_rules():
    """The directory of `bytes_` has four entries of 56 bytes; byte 48 of each is the type."""
    bytes_ = Bytes()
    type_at = 32 + 56 + 48  # of the first catalog
    later = b"\xc8" + bytes([frame.CRITICAL])
    listed = bytes_.listed(type_at, later)
    yield "an entry of an unknown type that is critical", "2.3, newer", listed
    both = Bytes()
    both.data = listed
    yield "the same in a directory of another file", "2.5", both.listed(8, bytes(16))
    yield "the same in a directory of another length", "2.5", both.listed(24, b"\3")
    for at, what in ((0, "offset"), (8, "stored size"), (52, "reserved bytes")):
        yield f"an unknown critical type and another {what}", "2.3, newer", both.listed(
            32 + 3 * 56 + at, b"\3"
        )
    parts = simple()
    parts.blocks.insert(2, Part(0, frame.CRITICAL))
    yield "a critical block of type 0", "2.3", parts
    parts = simple()
    parts.blocks[1].extensions = NEWER
    parts.blocks[0].content = b"x"
    yield "a critical extension of the catalog's head and short metadata", VERDICT, parts
    parts = simple()
    parts.blocks[1].extensions = NEWER
    parts.blocks[0].payload_hash = 1
    yield "a critical extension of the catalog's head and broken metadata", VERDICT, parts


def copy_rules():
    """The first copy of the catalog with a right payload hash is read."""

    def of(wrong=(), compress=False):
        newer = catalog([SIMPLE], [descriptor(extensions=NEWER)])
        made = file(newer)
        made.blocks[0].content = b"x"  # metadata that are too short
        if compress:
            with_catalogs(made, compressed)
        for at in wrong:
            made.blocks[at].payload_hash = 1
        return made

    yield "two copies of a newer catalog", VERDICT, of()
    yield "a broken copy of a newer catalog", VERDICT, of(wrong=[1])
    yield "a broken second copy of a newer catalog", VERDICT, of(wrong=[2])
    yield "two broken copies of a newer catalog", "2.2", of(wrong=[1, 2])
    yield "two compressed copies of a newer catalog", VERDICT, of(compress=True)
    yield "a broken compressed copy of a newer catalog", VERDICT, of(wrong=[1], compress=True)


def catalog_rules():
    """Catalogs that need a newer reader and are wrong as well."""
    critical, verdict = extensions((9, CRITICAL, b"")), "2.7, newer"
    newer = descriptor(name="b", extensions=critical)

    def of(*descriptors, schemas=(SIMPLE,), metadata=None):
        options = {} if metadata is None else {"metadata": metadata}
        return file(catalog(list(schemas), list(descriptors)), **options)

    yield "a critical extension alone", verdict, of(newer)
    unknown = descriptor(name="a", storage=9)
    yield "an unknown storage in a table before", verdict, of(unknown, newer)
    yield "an unknown storage in the same table", verdict, of(
        descriptor(name="a", storage=9, extensions=critical)
    )
    yield "tables out of order", verdict, of(descriptor(name="c"), newer)
    yield "an unknown field type in the schema", verdict, of(newer, schemas=[root(node(99, "a"))])
    yield "two fields of one name", verdict, of(
        newer, schemas=[root(i32("a"), extended(i32("a"), critical))]
    )
    yield "a schema that belongs to no table", verdict, of(newer, schemas=[SIMPLE, SIMPLE])
    yield "metadata that are too short", verdict, of(newer, metadata=b"x")
    one = of(newer)
    one.blocks.pop()
    yield "one catalog", verdict, one
    yield "a descriptor that ends too early", verdict, of(descriptor(name="a")[:-3], newer)
    yield "an unknown policy of names in a table before", verdict, of(
        descriptor(name="a", names=9), newer
    )


def reading_rules():
    """How far a schema and a descriptor are read."""

    def of(schema_bytes, *descriptors):
        return file(catalog([schema_bytes], list(descriptors) or [descriptor()]))

    last = extended(i32("z"), NEWER)
    yield "an unknown field type before a critical extension", "8", of(root(node(99, "a"), last))
    yield "a reserved flag of a node before it", "4.2", of(root(node(4, "a", flags=16), last))
    yield "a name that is not UTF-8 before it", "1", of(root(i32(b"\xff"), last))
    yield "a name of 256 bytes before it", "4.2", of(root(i32("n" * 256), last))
    deep = extended(node(U8), NEWER)
    for _ in range(30):
        deep = node(OPTIONAL, "", deep)
    yield "a critical extension of the 32nd nested node", VERDICT, of(root(node(1, "b"), deep))
    yield "a critical extension of the 33rd nested node", "9", of(
        root(node(1, "b"), node(OPTIONAL, "o", deep))
    )
    for what, bare in {
        "an array of no elements": array("a", 0, i32()),
        "an enum of an enum": node(ENUM, "e", node(ENUM, "", i32())),
        "a wrong flag of a node": node(4, "a", flags=1),
        "a name with a line": i32("a\n"),
        "a field of a reserved name": i32("@x"),
        "a field without a name": i32(),
    }.items():
        yield f"{what} before a critical extension", VERDICT, of(root(bare, last))
    for what, tag, flags, data, verdict in (
        ("broken enum names", 1, SAFE, b"", VERDICT),
        ("a broken type name", 3, SAFE, b"", VERDICT),
        ("enum names with other flags", 1, HASHED, b"\1\0\1a", VERDICT),
        ("an extension with a reserved flag", 3, 8, b"", "2.7"),
        ("an extension with tag 0", 0, 0, b"", "2.7"),
        ("an extension with a tag that does not rise", 9, 0, b"", "2.7"),
        ("an extension that is too large", 3, 0, bytes(MAX_BYTES + 1), "9"),
    ):
        list_ = extensions((tag, flags, data), (9, CRITICAL, b""))
        both = root(extended(node(ENUM, "e", node(U8)), list_))
        yield f"{what} before a critical extension", verdict, of(both)
    # Tag, flags and size decide; the content may be cut off, but all extensions must have room.
    cut = extended(i32("a"), NEWER[:-1] + b"\5")
    yield "a critical extension that is cut off", VERDICT, of(root(cut))
    yield "a list of more critical extensions than bytes", "4.2", of(
        root(extended(i32("a"), b"\5" + NEWER[1:]))
    )
    first = extended(i32("a"), NEWER)
    room = len(first) // 3
    for count, verdict in ((room, VERDICT), (room + 1, "4.2")):
        claimed = node(STRUCT, "", bytes([count]), first)
        yield f"{count} nodes in the room of {room}", verdict, of(claimed)
    flags = extensions((9, 8 | CRITICAL, b""))
    yield "a critical extension with a reserved flag", "2.7", of(root(extended(i32("a"), flags)))
    yield "bytes after a schema with a critical extension", VERDICT, of(root(last) + b"\0")
    yield "a kind of table that is not known and a critical extension", VERDICT, of(
        SIMPLE, descriptor(extensions=NEWER)[:-9] + b"\2" + descriptor(extensions=NEWER)[-8:]
    )


def limit_rules():
    """Hard limits on the number of nodes."""

    def of(count):
        nodes = [i32(f"{at}") for at in range(count - 2)] + [extended(i32("z"), NEWER)]
        made = file(catalog([root(*nodes)], [descriptor()]))
        return with_catalogs(made, compressed)

    yield "a critical extension of the last node that a schema may have", VERDICT, of(MAX_NODES)
    yield "a critical extension of a node beyond the limit", "9", of(MAX_NODES + 1)
    full = root(*[i32(f"{at}") for at in range(MAX_NODES - 1)])
    tables = [descriptor(name=f"{at:02}", schema_index=at) for at in range(17)]
    many = file(catalog([full] * 16 + [root(extended(i32("z"), NEWER))], tables))
    yield "a critical extension beyond the limit of a file", VERDICT, with_catalogs(
        many, compressed
    )


RULES = header_rules, directory_rules, copy_rules, catalog_rules, reading_rules, limit_rules
