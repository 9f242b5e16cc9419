"""Compares what a parser made from hdb.ksy finds in a file with what hdbinspect prints of the file
and with what the second reader finds (tests/reader)."""

from compare import inspect
from content import FIRST_OF_SCHEMA, POSITIONS, unshuffled, widths_of
from wire import hash64, u32s

HEAD_FIELDS = ("table", "part", "group", "stored_size", "raw_size", "payload_hash")


def number(hash128):
    return hash128.high << 64 | hash128.low


def bits(flags, *names):
    """Flags as the number that is stored."""
    return sum(getattr(flags, name) << bit for bit, name in enumerate((*names, "reserved")))


def listed(extensions):
    """The tag, the flags and the bytes of each extension."""
    return [
        (
            each.tag,
            bits(each.flags, "critical", "hashed", "safe_to_copy"),
            getattr(each, "_raw_content", each.content),  # as bytes, where it has a type too
        )
        for each in extensions.extensions
    ]


def block_bits(flags):
    return bits(flags, "critical", "safe_to_copy", "indexed")


def differing(what, pairs):
    """A failure for each name whose two values differ."""
    return [
        f"{what}: {name} is {found}, but {wanted} is expected"
        for name, (found, wanted) in pairs.items()
        if found != wanted
    ]


def compare_info(program, path, parsed):
    """Header, metadata and footer against `hdbinspect info`."""
    (line,) = inspect(program, "info", path)
    header, metadata = parsed.header, parsed.blocks[0].payload
    values = {pair.key.value: pair.value.value for pair in metadata.values}
    version = f"{header.major_version}.{header.minor_version}"
    return differing(
        "info",
        {
            "format": (version, line["format"]),
            "file_id": (f"{number(header.file_id):032x}", line["file_id"]),
            "sequence": (metadata.sequence, line["sequence"]),
            "play_time_ms": (metadata.play_time_ms, line["play_time_ms"]),
            "date_ms": (metadata.date_ms, line.get("date_unix_ms", 0)),
            "title": (metadata.title.value, line["title"]),
            "values": (values, line["values"]),
            "file_size": (parsed.footer.file_size, line["bytes"]),
            "state_hash": (f"{number(parsed.footer.state_hash):032x}", line["state_hash"]),
            "num_entries": (parsed.directory.num_entries, line["blocks"]),
        },
    )


def compare_blocks(program, path, parsed, catalog):
    """Every head against `hdbinspect info --blocks`, and against its entry of the directory."""
    lines = inspect(program, "info", "--blocks", path)[1:]
    names = [table.descriptor.name.value for table in catalog.tables]
    failures = differing("blocks", {"count": (len(parsed.blocks), len(lines))})
    offset = 64
    for block, entry, line in zip(parsed.blocks, parsed.directory.entries, lines):
        head, what = block.head, f"block at {offset}"
        end = offset + line["bytes"]
        is_pack = head.type.name == "pack"
        tables = names[head.table : head.table + head.group] if is_pack else None
        owner = names[head.table] if head.type.name in ("rows", "free_list") else None
        failures += differing(
            what,
            {
                "offset": (offset, line["offset"]),
                "type": (head.type.name, line["block"]),
                "flags": (block_bits(head.flags), line["flags"]),
                "table": (owner, line.get("table")),
                "tables": (tables, line.get("tables")),
                "part": (head.part, line["part"]),
                "stored_size": (head.stored_size, line["stored_bytes"]),
                "raw_size": (head.raw_size, line["raw_bytes"]),
                "payload_hash": (f"{head.payload_hash:016x}", line["hash"]),
                "file_id": (number(head.file_id), number(parsed.header.file_id)),
                "offset of the entry": (entry.offset, offset),
                "type of the entry": (entry.type, head.type),
                "flags of the entry": (block_bits(entry.flags), block_bits(head.flags)),
            },
        )
        if owner and head.type.name == "rows":
            failures += differing(what, {"group": (head.group, line["group"])})
        pairs = {name: (getattr(entry, name), getattr(head, name)) for name in HEAD_FIELDS}
        failures += differing(f"entry of the {what}", pairs)
        offset = end
    return failures + differing("directory", {"offset": (offset, parsed.footer.directory_offset)})


def compare_tables(program, path, catalog):
    """Every table descriptor against `hdbinspect ls`."""
    lines = inspect(program, "ls", path)
    failures = differing("ls", {"count": (len(catalog.tables), len(lines))})
    for table, line in zip(catalog.tables, lines):
        found, layout = table.descriptor, table.descriptor.layout
        parts = (layout.index_bits, layout.generation_bits, layout.type_bits)
        names = {"ignoring_the_case_of_ascii_letters": "ignore_case"}
        is_blobs = found.blobs.name == "a_blob_table"
        failures += differing(
            f"table {line['table']}",
            {
                "name": (found.name.value, line["table"]),
                "type_id": (found.type_id, line["type_id"]),
                "layout": (f"<{','.join(str(part) for part in parts if part)}>", line["layout"]),
                "storage": (found.storage.name, line["storage"]),
                "free_list": (found.free_list.name, line["free_list"]),
                "generations": (found.generations.name, line["generations"]),
                "overflow": (found.overflow.name, line["overflow"]),
                "singleton": (bool(found.flags.singleton), line["singleton"]),
                "hashed": (not found.flags.not_in_the_state_hash, line["hashed"]),
                "group_shift": (1 << found.group_shift, line["group_slots"]),
                "num_slots": (found.num_slots, line["slots"]),
                "num_live_slots": (found.num_live_slots, line["live"]),
                "num_retired_slots": (found.num_retired_slots, line["retired"]),
                "num_free_slots": (found.num_free_slots, line["free"]),
                "counter": (found.counter, line["counter"]),
                "highest_generation": (found.highest_generation, line["highest_generation"]),
                "names": (names.get(found.names.name, found.names.name), line["names"]),
                "flush_cursor": (found.flush_cursor, line["flush_cursor"]),
                "extensions": (
                    1 in [tag for tag, _, _ in listed(found.extensions)],
                    line["sorting"],
                ),
                "capacity": (found.capacity if is_blobs else None, line.get("blob_capacity_bytes")),
                "alignment": (found.alignment if is_blobs else None, line.get("blob_alignment")),
                "compaction": (
                    found.compaction.name if is_blobs else None,
                    line.get("compaction"),
                ),
            },
        )
    return failures


def compare_catalog(catalog, wanted):
    """Schemas and extensions against the second reader."""
    failures = differing(
        "catalog",
        {
            "num_schemas": (len(catalog.schemas), len(wanted.schemas)),
            "highest_type_id": (catalog.highest_type_id, wanted.highest_type_id),
        },
    )
    for at, (schema, expected) in enumerate(zip(catalog.schemas, wanted.schemas)):
        failures += compare_node(f"schema {at}", schema.root, expected.root)
        columns = (schema.num_columns, len(expected.column_widths))
        failures += differing(f"schema {at}", {"num_columns": columns})
    for table, expected in zip(catalog.tables, wanted.tables):
        stored = [(each.tag, each.flags, each.data) for each in expected.extensions]
        pairs = {
            "schema": (table.descriptor.schema, expected.schema_index),
            "extensions": (listed(table.descriptor.extensions), stored),
        }
        failures += differing(f"table {table.descriptor.name.value}", pairs)
    return failures


def compare_node(what, node, wanted):
    """A field of a schema, with the fields in it, against the second reader."""
    kind = node.kind.name
    pairs = {
        "kind": (node.kind.value, wanted.kind),
        "flags": (
            bits(node.flags, "versioned", "utf_8_checked", "strong", "extended"),
            wanted.flags,
        ),
        "name": (node.name.value.encode(), wanted.name),
        "children": (len(node.children), len(wanted.children)),
        "num_elements": (node.num_elements.value if kind == "array" else 0, wanted.count),
    }
    if kind == "handle":
        layout = node.layout
        found = (layout.index_bits, layout.generation_bits, layout.type_bits)
        pairs["layout"] = (found, wanted.layout.bits)
        pairs["table"] = (node.table.value.encode(), wanted.table)
    failures = differing(f"{what}.{node.name.value}", pairs)
    for child, expected in zip(node.children, wanted.children):
        failures += compare_node(f"{what}.{node.name.value}", child, expected)
    return failures


def compare_chunks(parsed, wanted):
    """The chunks of indexed blocks: their bytes have their hashes, and the columns are those that
    the second reader expects of the table."""
    failures = []
    for at, (block, expected) in enumerate(zip(parsed.blocks, wanted.blocks)):
        if not block.head.flags.indexed:
            continue
        entries, stored = block.payload.entries, block.payload.chunks
        widths = {entry.column: entry.width for entry in entries}
        table = wanted.catalog.tables[block.head.table]
        is_rows = block.head.type.name == "rows"
        pairs = {
            "hashes": ([hash64(bytes(data)) for data in stored], [e.stored_hash for e in entries]),
            "raw_size": (sum(entry.raw_size for entry in entries), block.head.raw_size),
            "columns": (widths, widths_of(table) if is_rows else {0: 4}),
            "payload": (b"".join(stored), expected.payload[-sum(map(len, stored)) :]),
        }
        failures += differing(f"chunks of block {at}", pairs)
    return failures


def compare_pack(pack, wanted):
    """The tables of a pack against what the second reader finds in it."""
    failures = []
    for table in pack.tables:
        expected = wanted.catalog.tables[table.table.value]
        content = wanted.contents[table.table.value]
        widths = widths_of(expected)
        columns = [width for number, width in widths.items() if number >= FIRST_OF_SCHEMA]
        is_dense = POSITIONS in widths
        uneven = [width for width, part in zip(columns, table.columns) if part.size.value % width]
        pairs = {
            "name": (table.descriptor.name.value.encode(), expected.name),
            "states": (table.states, bytes(content.states)),
            "generations": (unshuffled(4, table.generations), u32s(content.generations)),
            "positions": (len(table.positions) if is_dense else 0, 4 * expected.live * is_dense),
            "columns": (len(table.columns), len(columns)),
            "columns without a whole number of values": (uneven, []),
            # Under "lowest" there is none.
            "free_list": (
                unshuffled(4, getattr(table, "free_list", b"")),
                u32s(content.free_list),
            ),
        }
        failures += differing(f"pack, table {table.descriptor.name.value}", pairs)
    return failures
