"""Compares what the reader found in a file with what hdbinspect prints of it (its JSON:
schema/json)."""

import json
import math
import struct
import subprocess

import schema
from catalog import (
    DENSE,
    IGNORE_CASE,
    IN_PLACE,
    NOT_HASHED,
    ONE_RECORD,
    ON_DEMAND,
    RETIRE,
    TABLE_COUNTER,
)
from hdb_reader import table_bytes


def number(text):
    """An integer of JSON; -0 is a float."""
    return -0.0 if text == "-0" else int(text)


def inspect(program, *arguments):
    """The objects that a command of hdbinspect prints, one in each line."""
    lines = subprocess.run([program, "--json", *arguments], check=True, capture_output=True).stdout
    return [json.loads(line, parse_int=number) for line in lines.splitlines()]


def compare_records(program, path, file):
    """What differs between the records of a file and those of `hdbinspect dump`, which prints slots
    in rising order."""
    printed = iter(inspect(program, "dump", path))
    for table, content in zip(file.catalog.tables, file.contents):
        name = table.name.decode()
        for slot, record in content.records.items():
            line = next(printed, None)
            if line is None:
                return f"hdbinspect does not print {name}:{slot}"
            generation = content.generations[slot]
            handle = f"{name}:{slot}@{generation}"
            if table.owner is not None:
                handle = f"{table.owner.decode()}:{slot}@{generation}.{name}"
            if (line["table"], line["handle"], line["slot"], line["generation"]) != (
                name,
                handle,
                slot,
                generation,
            ):
                return f"hdbinspect prints {line['handle']}, but the reader finds {handle}"
            if not same(table.schema.root, record, line["fields"], file.catalog):
                return f"{handle} is {record}, but hdbinspect prints {line['fields']}"
    return None if next(printed, None) is None else "hdbinspect prints more records"


def same(node, value, printed, catalog):
    """Whether a value equals the printed one."""
    kind = node.kind
    if kind in (schema.F32, schema.F64):
        return same_float(node.code, value, printed)
    if kind == schema.HANDLE:
        return printed == handle_text(node, value, catalog)
    if node.code:
        # Numbers beyond 2^53 are strings. True and 1 are equal to Python, but not here.
        return (
            isinstance(printed, bool) == (kind == schema.BOOL)
            and (printed if kind == schema.BOOL else int(printed)) == value
        )
    if kind == schema.STRING:
        return printed == {"hex": value.hex()} or printed == value.decode("utf-8", "replace") != "�"
    if kind == schema.OPAQUE:
        return printed == {"hex": value.hex()}
    if kind == schema.STRUCT:
        names = [child.name.decode() for child in node.children]
        return list(printed) == names and all(
            same(child, part, printed[name], catalog)
            for child, part, name in zip(node.children, value, names)
        )
    if kind in (schema.ARRAY, schema.LIST):
        child = node.children[0]
        pairs = zip(value, printed)
        return len(printed) == len(value) and all(
            same(child, part, there, catalog) for part, there in pairs
        )
    if kind == schema.OPTIONAL:
        return same(node.children[0], value[0], printed, catalog) if value else printed is None
    if kind == schema.VARIANT:
        tag, held = value
        return printed["tag"] == tag and same(node.children[tag], held, printed["value"], catalog)
    assert kind == schema.MAP
    return len(printed) == len(value) and all(
        list(there) == ["key", "value"]
        and same(node.children[0], pair[0], there["key"], catalog)
        and same(node.children[1], pair[1], there["value"], catalog)
        for pair, there in zip(value, printed)
    )


def same_float(code, value, printed):
    """Floats are equal bit by bit, except that every NaN is the same word; -0 is a text."""
    if math.isnan(value):
        return printed == "NaN"
    if math.isinf(value):
        return printed == ("Infinity" if value > 0 else "-Infinity")
    if value == 0 and math.copysign(1, value) < 0:
        return printed == "-0"
    return not isinstance(printed, (str, bool)) and struct.pack(code, printed) == struct.pack(
        code, value
    )


def handle_text(node, handle, catalog):
    """table:slot@generation, when the handle belongs to a table of the file (section 4.3)."""
    if handle == 0:
        return None
    for table in catalog.tables if node.layout.split(handle) else ():
        slot, generation, type_id = node.layout.split(handle)
        named = table.name == node.table if node.table else table.type_id
        issues = table.owner is None and table.layout == node.layout
        if named and issues and table.type_id == type_id:
            return f"{table.name.decode()}:{slot}@{generation}"
    return f"0x{handle:0{node.fixed_bytes * 2}x}"


def compare_tables(program, path, file):
    """What differs between the tables of a file and those of `hdbinspect ls`."""
    printed = inspect(program, "ls", path)
    tables = file.catalog.tables
    if len(printed) != len(tables):
        return f"hdbinspect ls prints {len(printed)} tables of {len(tables)}"
    for index, (table, line) in enumerate(zip(tables, printed)):
        raw_bytes, stored_bytes, blocks = table_bytes(file, index)
        bits = [str(count) for count in table.layout.bits if count]
        found = {
            "table": table.name.decode(),
            "storage": "dense" if table.storage == DENSE else "stable",
            "layout": f"<{','.join(bits)}>",
            "free_list": ("lifo", "fifo", "lowest")[table.free_policy],
            "generations": "table_counter" if table.generations == TABLE_COUNTER else "per_slot",
            "overflow": "retire" if table.overflow == RETIRE else "wrap",
            "names": "ignore_case"
            if table.names == IGNORE_CASE
            else "exact"
            if table.names
            else "none",
            "flush_cursor": table.flush_cursor,
            "sorting": table.sort_work is not None,
            "type_id": table.type_id,
            "singleton": bool(table.flags & ONE_RECORD),
            "hashed": not table.flags & NOT_HASHED,
            "slots": table.slots,
            "live": len(file.contents[index].records),
            "free": table.free,
            "retired": table.retired,
            "unissued": table.slots - table.live - table.retired - table.free,
            "counter": table.counter,
            "highest_generation": table.highest_generation,
            "group_slots": 1 << table.group_shift,
            "raw_bytes": raw_bytes,
            "stored_bytes": stored_bytes,
            "blocks": blocks,
            "later": [],  # golden files have no additions
        }
        if table.blobs:
            found["blob_capacity_bytes"] = table.capacity
            found["blob_alignment"] = table.alignment
            found["compaction"] = "on_demand" if table.compaction == ON_DEMAND else "at_release"
        if table.owner is not None:
            found["owner"] = table.owner.decode()
            found["removal"] = "in_place" if table.removal == IN_PLACE else "swap"
            found["holes"] = table.holes
        there = {key: value for key, value in line.items() if key not in ("type", "v", "file")}
        if found != there:
            differing = sorted(
                key for key in found.keys() | there.keys() if found.get(key) != there.get(key)
            )
            return f"hdbinspect ls prints for {line['table']} another {', '.join(differing)}"
    return None


def compare_info(program, path, file):
    """What differs between the metadata of a file and those of `hdbinspect info`."""
    (line,) = inspect(program, "info", path)
    metadata = file.metadata
    values = {key.decode(): value.decode() for key, value in metadata.values.items()}
    found = [
        metadata.title.decode(),
        metadata.sequence,
        metadata.play_time_ms,
        values,
        f"{file.state_hash:032x}",
    ]
    there = [line[key] for key in ("title", "sequence", "play_time_ms", "values", "state_hash")]
    ids = f"{file.header.file_id:032x}", len(file.blocks), metadata.date_ms
    same_ids = ids == (line["file_id"], line["blocks"], line.get("date_unix_ms", 0))
    return (
        None
        if found == there and same_ids
        else f"hdbinspect info prints {there}, but the reader finds {found}"
    )
