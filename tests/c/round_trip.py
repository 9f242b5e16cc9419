#!/usr/bin/env python3
"""The C interface from Python: golden files as rows and as structs, and damaged files.

round_trip.py LIBRARY FIXTURES FOLDER
"""
import ctypes
import os
import struct
import sys
from ctypes import byref

import binding
from binding import Difference, Field, HdbError, LoadOptions, TableOptions, sized

KINDS = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 2, 8: 4, 9: 8, 10: 4, 11: 8, 12: 1, 13: 2, 14: 4}
ENUM, HANDLE, STRING, STRUCT, ARRAY, LIST = 15, 16, 17, 18, 19, 20

checks = 0


def check(condition, text):
    global checks
    checks += 1
    if not condition:
        sys.exit(f"round_trip.py: not true: {text}")


def children(field):
    return [field.children[i] for i in range(field.child_count)]


def width(field):
    """The bytes of a number or handle; 0 for all others."""
    if field.kind == ENUM:
        return KINDS[field.children[0].kind]
    if field.kind == HANDLE:
        layout = field.layout
        bits = layout.index_bits + layout.generation_bits + layout.type_bits
        return 2 if bits <= 16 else 4 if bits <= 32 else 8
    return KINDS.get(field.kind, 0)


class NoStruct(Exception):
    """A field has no fixed size."""


def lay_out(fields):
    """Copies of the fields with offsets, and their size. A gap of one byte is before each field, so
    that a struct differs from a row."""
    size, copies = 0, []
    for field in fields:
        copy = Field.from_buffer_copy(field)
        if field.kind == STRUCT:
            inside, bytes_inside = lay_out(children(field))
            copy.children = (Field * len(inside))(*inside)
        elif field.kind == ARRAY:
            inside, copy.stride = lay_out(children(field))
            copy.children = (Field * len(inside))(*inside)
            bytes_inside = copy.stride * field.count
        else:
            bytes_inside = width(field)
            if bytes_inside == 0:
                raise NoStruct
        copy.offset = size + 1
        size += 1 + bytes_inside
        copies.append(copy)
    return copies, max(size, 1)


def row_of(fields, record, base=0):
    """The canonical row of a struct."""
    row = b""
    for field in fields:
        at = base + field.offset
        if field.kind == STRUCT:
            row += row_of(children(field), record, at)
        elif field.kind == ARRAY:
            for i in range(field.count):
                row += row_of(children(field), record, at + i * field.stride)
        else:
            row += record[at:at + width(field)]
    return row


def open_file(hdb, path):
    """A database with all of a file."""
    database = hdb.database_create()
    hdb.tables_create_from(database, path)
    options = sized(LoadOptions, keep_unknown=1, verify=1)
    hdb.free(hdb.load(database, path, byref(options)))
    return database


def save(hdb, database, path):
    snapshot = hdb.capture(database)
    hdb.save(snapshot, path, None)
    hdb.snapshot_free(snapshot)


def check_same(hdb, path, other):
    """Two files hold the same."""
    difference = sized(Difference)
    text = hdb.take_text(hdb.diff_files(path, other, 100, byref(difference)))
    check(text == "" and difference.differs == 0, f"{other} is as {path}: {text}")
    check(hdb.info(path).state_hash.low == hdb.info(other).state_hash.low, "the hash is the same")


def test_rows(hdb, path, again):
    database = open_file(hdb, path)
    info = hdb.info(path)
    check(hdb.state_hash(database) == (info.state_hash.low, info.state_hash.high), path)
    save(hdb, database, again)
    check_same(hdb, path, again)
    for table in hdb.tables(database):
        records = hdb.records(table)
        check(len(records) == hdb.count(table), "each record is found")
        for handle, record in records:  # a row that was read is one that can be written
            hdb.replace(table, handle, record, len(record))
            check(hdb.record(table, handle) == record, "the row is as before")
    hdb.database_free(database)


def test_structs(hdb, path, again):
    """Each table of fixed fields becomes one of structs. Returns how many there were."""
    rows, structs = open_file(hdb, path), hdb.database_create()
    made = []
    for table in hdb.tables(rows):
        options = hdb.describe(table)
        try:
            fields, size = lay_out([options.fields[i] for i in range(options.field_count)])
        except NoStruct:
            continue
        if options.owner:
            options.owner = hdb.table_find(structs, hdb.table_name(options.owner))
            if not options.owner:  # comes later, or is a table of rows
                continue
        options.fields, options.field_count = (Field * len(fields))(*fields), len(fields)
        options.record_size, options.record_alignment, options.initial = size, 1, None
        options.initial_size = 0
        made.append((hdb.table_create(structs, hdb.table_name(table), byref(options)), table,
                     fields))
    if not made:
        hdb.database_free(rows)
        hdb.database_free(structs)
        return 0
    hdb.free(hdb.load(structs, path, byref(sized(LoadOptions, keep_unknown=1, exact_policies=1))))
    for table, as_rows, fields in made:
        check(hdb.count(table) == hdb.count(as_rows), "all records are there")
        for handle, record in hdb.records(table):
            check(row_of(fields, record) == hdb.record(as_rows, handle), "a struct is as its row")
    check(hdb.state_hash(structs) == hdb.state_hash(rows), "the state is the same")
    save(hdb, structs, again)
    check_same(hdb, path, again)
    hdb.database_free(rows)
    hdb.database_free(structs)
    return len(made)


def test_refusals(hdb, fixtures):
    database = hdb.database_create()
    for name, wanted in (("newer_version.hdb", "newer_version"),
                         ("unknown_feature.hdb", "unknown_feature"),
                         ("none.hdb", "file_not_found")):
        path = os.path.join(fixtures, "invalid", name).encode()
        for call in (lambda: hdb.load(database, path, None),
                     lambda: hdb.tables_create_from(database, path),
                     lambda: hdb.validate(path, 0, None)):
            try:
                call()
                check(False, f"{name} is refused")
            except HdbError as error:
                check(error.name == wanted and name in str(error), f"{error.name}: {error}")
    check(hdb.tables(database) == [], "nothing has changed")
    hdb.database_free(database)


def test_damage(hdb, path):
    """A file that is damaged anywhere is refused, or is as it was."""
    with open(path, "rb") as file:
        whole = file.read()
    database = open_file(hdb, path.encode())
    before = hdb.state_hash(database)
    for i in range(0, len(whole), 37):
        damaged = whole[:i] + bytes([whole[i] ^ 0x41]) + whole[i + 1:]
        for content in (damaged, whole[:i]):
            try:
                hdb.free(hdb.load_bytes(database, content, len(content), None))
            except HdbError:
                pass
            check(hdb.state_hash(database) == before, f"byte {i}")
    hdb.database_free(database)


def test_written_rows(hdb, path):
    """Rows that Python puts together."""
    text = Field(struct_size=ctypes.sizeof(Field), name=b"name", kind=STRING, utf8=1)
    number = Field(struct_size=ctypes.sizeof(Field), kind=7)
    numbers = Field(struct_size=ctypes.sizeof(Field), name=b"scores", kind=LIST, child_count=1,
                    children=ctypes.pointer(number))
    fields = (Field * 2)(text, numbers)
    database = hdb.database_create()
    options = sized(TableOptions, fields=fields, field_count=2, names=1)
    table = hdb.table_create(database, b"players", byref(options))
    row = b"\x05Zo\xc3\xabs" + b"\x02" + struct.pack("<HH", 7, 500)
    handle = hdb.insert_named(table, b"zoe", 3, row, len(row))
    check(hdb.record(table, handle) == row and hdb.find_named(table, b"zoe", 3) == handle, "a row")
    save(hdb, database, path)
    hdb.validate(path, 2, None)
    other = open_file(hdb, path)
    check(hdb.record(hdb.table_find(other, b"players"), handle) == row, "the row was saved")
    check('"name":"scores"' in hdb.take_text(hdb.schema_json(other)), "the schema is described")
    hdb.database_free(other)
    hdb.database_free(database)


def main():
    library, fixtures, folder = sys.argv[1:]
    hdb = binding.Library(library)
    again = os.path.join(folder, "again.hdb").encode()
    # resources.hdb has a sort that an earlier version began: its progress is state that goes.
    files = [os.path.join(fixtures, name) for name in sorted(os.listdir(fixtures))
             if name.endswith(".hdb") and name != "resources.hdb"]
    check(len(files) >= 12, "the fixtures are there")
    structs = 0
    for path in files:
        test_rows(hdb, path.encode(), again)
        structs += test_structs(hdb, path.encode(), again)
    check(structs >= 10, f"{structs} tables of structs")
    test_refusals(hdb, fixtures)
    test_damage(hdb, os.path.join(fixtures, "every_field.hdb"))
    test_written_rows(hdb, again)
    print(f"c from Python: checks={checks} failures=0, {len(files)} files, {structs} structs")


if __name__ == "__main__":
    main()
