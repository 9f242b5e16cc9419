"""A file for each hard maximum that a small file can exceed (FORMAT.md, section 9): a description,
the section that it breaks or None, the file in parts."""

from build import METADATA, array, catalog, descriptor, file, i32, node, root, text
from catalog import MAX_SCHEMAS, MAX_TABLES
from frame import CATALOG, MAX_BYTES
from frame import METADATA as METADATA_TYPE
from rules_packs import compressed, with_catalogs
from schema import MAX_ARRAY_COUNT, MAX_NODES, MAX_NODES_PER_FILE, U8


def of(schemas, descriptors):
    """A file of tables without slots."""
    return with_catalogs(file(catalog(schemas, descriptors)), compressed)


def empty(at=0, schema_index=0):
    name = f"t{at:05}"
    return descriptor(name=name, schema_index=schema_index, slots=0, live=0, highest=0)


def limit_rules():
    one = root(i32("a"))
    yield "the most tables", None, of([one], [empty(at) for at in range(MAX_TABLES)])
    yield "a table too many", "9", of([one], [empty(at) for at in range(MAX_TABLES + 1)])
    for count, verdict in ((MAX_SCHEMAS, None), (MAX_SCHEMAS + 1, "9")):
        tables = [empty(at, at) for at in range(MAX_TABLES)]
        yield f"{count} schemas", verdict, of([one] * count, tables)

    def nodes(count):
        return root(*[node(U8, f"{at}") for at in range(count - 1)])

    yield "a node of a schema too many", "9", of([nodes(MAX_NODES + 1)], [empty()])
    most = 4096  # what a reader accepts without being asked for more
    count = MAX_NODES_PER_FILE // most
    full, tables = nodes(most), [empty(at, at) for at in range(count + 1)]
    yield "the most nodes of a file", None, of([full] * count, tables[:-1])
    yield "a node of a file too many", "9", of([full] * count + [nodes(1)], tables)
    row = array("a", MAX_ARRAY_COUNT, array("", 16, node(U8)))
    yield "the largest record", None, of([root(row)], [empty()])
    yield "a record with a byte too many", "9", of([root(row, node(U8, "b"))], [empty()])
    large = with_catalogs(file(bytes(MAX_BYTES[CATALOG] + 1)), compressed)
    yield "a catalog that is too large", "9", large
    title = METADATA[:24] + text(b"t" * (MAX_BYTES[METADATA_TYPE] - 24)) + b"\0"
    yield "metadata that are too large", "9", file(catalog([], []), metadata=title)


RULES = (limit_rules,)
