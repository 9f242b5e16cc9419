"""A file for each rule of the names of types: a description, the section that it breaks or None,
the file in parts."""

from build import (
    WIDE,
    array,
    extended,
    extensions,
    handle,
    i32,
    node,
    root,
    struct_,
    table,
    variant,
)
from rules_extensions import COLUMN, CRITICAL, HASHED, SAFE, SIMPLE, UNKNOWN
from schema import ENUM, LIST, MAP, OPTIONAL, STRING, U8
from seal import put_together, reseal


def named(bare, name=b"Type", flags=SAFE, more=()):
    """A node with the name of its type."""
    return extended(bare, extensions((3, flags, name), *more))


def type_name_rules():
    def of(*name, **options):
        return table(root(named(i32("a"), *name, **options)), COLUMN)

    yield "a type name", None, of()
    yield "a type name of a path", None, of("game::Größe<int, 3>".encode())
    yield "a type name of 255 bytes", None, of(b"n" * 255)
    yield "a type name of 256 bytes", "4.8", of(b"n" * 256)
    yield "a type name that is empty", "4.8", of(b"")
    yield "a type name with a line", "4.8", of(b"a\n")
    yield "a type name with the byte 7f", "4.8", of(b"a\x7f")
    yield "a type name that is not UTF-8", "4.8", of(b"\xed\xa0\x80")
    for flags in (0, HASHED, CRITICAL, CRITICAL | SAFE, HASHED | SAFE):
        yield f"a type name with flags {flags}", "2.7", of(b"T", flags)
    yield "a type name and an unknown extension", None, of(b"T", more=[UNKNOWN])
    yield "a type name twice", "2.7", of(b"T", more=[(3, SAFE, b"T")])
    yield "a type name of the root", "2.7", table(named(root(i32("a"))), COLUMN)
    enum = extended(node(ENUM, "e", node(U8)), extensions((1, SAFE, b"\1\0\1a"), (3, SAFE, b"E")))
    yield "an enum with names and a type name", None, table(root(enum), [(1, b"\0")])
    yield "a type name of @name", "4.6", table(
        root(named(node(STRING, "@name"))), [(1, b"\1"), (1, b"n")], names=1
    )


def type_name_places():
    """Every node but the root may have a type name, and two nodes the same one."""
    one = (1, b"\1")
    below = named(i32())
    kinds = {
        "struct": (struct_("x", named(i32("a"))), COLUMN),
        "enum": (node(ENUM, "x", below), COLUMN),
        "handle": (handle("x", WIDE, "t"), [(8, bytes(8))]),
        "array": (array("x", 2, below), [(4, bytes(8))]),
        "list": (node(LIST, "x", below), [one, *COLUMN]),
        "optional": (node(OPTIONAL, "x", below), [one, *COLUMN]),
        "variant": (variant("x", below, below), [(1, b"\1"), (4, b""), *COLUMN]),
        "map": (node(MAP, "x", below, named(node(U8))), [one, *COLUMN, one]),
        "string": (node(STRING, "x"), [one, (1, b"s")]),
    }
    for kind, (bare, columns) in kinds.items():
        yield f"a type name of a {kind}", None, table(root(named(bare)), columns)
    parts = variant("x", named(i32("a"), b"A"), i32("b"), named(i32("c"), b"C"))
    columns = [one, (4, b""), *COLUMN, (4, b"")]
    yield "a variant that names some types", None, table(root(parts), columns)
    tuple_ = struct_("x", named(i32("#0")), named(i32("#1")))
    yield "a tuple that names its types", None, table(root(tuple_), COLUMN * 2)


def hash_rules():
    """The state hash does not cover names of types."""
    bare = table(SIMPLE, COLUMN)
    assert reseal(bare)[1] is None
    parts = table(root(named(i32("a"))), COLUMN)
    parts.state_hash = bare.state_hash
    yield "a type name and the state hash without it", None, put_together(parts)


RULES = type_name_rules, type_name_places, hash_rules
