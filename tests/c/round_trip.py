#!/usr/bin/env python3
"""Golden files as rows and as structs of the C interface, and damaged files. What the package
hdb reads of them (tests/python/ tests it) is compared with what its calls of hdb/c.h return.

round_trip.py FIXTURES FOLDER
"""
import ctypes
import os
import struct
import sys
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_uint64, c_void_p

import hdb
from hdb import library_path
from hdb._library import SIGNATURES, HdbField, HdbLoadOptions, HdbTableOptions, Library, sized

STATUS = SIGNATURES["hdb_save"][0]
C = Library(library_path(), SIGNATURES | {  # the package does not need these
    "hdb_table_create": (STATUS, [c_void_p, c_char_p, POINTER(HdbTableOptions),
                                  POINTER(c_void_p)]),
    "hdb_insert_named": (STATUS, [c_void_p, c_char_p, c_size_t, c_char_p, c_size_t,
                                  POINTER(c_uint64)]),
    "hdb_replace": (STATUS, [c_void_p, c_uint64, c_char_p, c_size_t]),
    "hdb_load_bytes": (STATUS, [c_void_p, c_char_p, c_size_t, POINTER(HdbLoadOptions),
                                POINTER(c_void_p)]),
    "hdb_validate": (STATUS, [c_char_p, c_int, POINTER(c_void_p)]),
    "hdb_diff_files": (STATUS, [c_char_p, c_char_p, c_uint64, c_void_p, POINTER(c_void_p)]),
})

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
        copy = HdbField.from_buffer_copy(field)
        if field.kind == STRUCT:
            inside, bytes_inside = lay_out(children(field))
            copy.children = (HdbField * len(inside))(*inside)
        elif field.kind == ARRAY:
            inside, copy.stride = lay_out(children(field))
            copy.children = (HdbField * len(inside))(*inside)
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


def record(table, handle):
    """The bytes of a record."""
    size = c_size_t()
    return ctypes.string_at(C.find(table, handle, byref(size)), size.value)


def bits_of(table):
    """The handles of a table as numbers."""
    bits = (c_uint64 * C.count(table))()
    C.read_handles(table, bits, len(bits))
    return list(bits)


def check_same(path, other):
    """Two files hold the same."""
    text = c_void_p()
    C.diff_files(path.encode(), other.encode(), 100, None, byref(text))
    difference = C.take_text(text)
    check(difference == "", f"{other} is as {path}: {difference}")
    check(hdb.read_info(path).state_hash == hdb.read_info(other).state_hash, "the same hash")


def test_rows(path, again):
    with hdb.open(path) as save:
        check(save.state_hash() == save.info.state_hash, path)
        save.save(again)
        check_same(path, again)
        for table in save:
            for handle in bits_of(table._pointer):  # a row that was read is one that can be written
                row = record(table._pointer, handle)
                C.replace(table._pointer, handle, row, len(row))
                check(record(table._pointer, handle) == row, "the row is as before")


def struct_tables(rows, structs):
    """Makes a table of structs for each table of fixed fields: (structs, rows, fields) of each."""
    made = []
    for table in rows:
        options = sized(HdbTableOptions)
        C.table_describe(table._pointer, byref(options))
        try:
            fields, size = lay_out([options.fields[i] for i in range(options.field_count)])
        except NoStruct:
            continue
        if table.owner:
            options.owner = C.table_find(structs, table.owner.encode())
            if not options.owner:  # comes later, or is a table of rows
                continue
        options.fields, options.field_count = (HdbField * len(fields))(*fields), len(fields)
        options.record_size, options.record_alignment, options.initial = size, 1, None
        options.initial_size = 0
        pointer = c_void_p()
        C.table_create(structs, table.name.encode(), byref(options), byref(pointer))
        made.append((pointer, table._pointer, fields))
    return made


def saved(database, path):
    """Saves a database of C; its state hash."""
    snapshot, state_hash = c_void_p(), hdb._library.HdbHash()
    C.capture(database, byref(snapshot))
    C.save(snapshot, path.encode(), None)
    C.snapshot_hash(snapshot, byref(state_hash))
    C.snapshot_free(snapshot)
    return str(state_hash)


def test_structs(path, again):
    """Each table of fixed fields becomes one of structs. Returns how many there were."""
    structs = c_void_p()
    C.database_create(byref(structs))
    with hdb.open(path) as rows:
        made = struct_tables(rows, structs)
        if made:
            options = sized(HdbLoadOptions, keep_unknown=1, exact_policies=1)
            C.load(structs, path.encode(), byref(options), None)
            for table, as_rows, fields in made:
                check(bits_of(table) == bits_of(as_rows), "all records are there")
                for handle in bits_of(table):
                    check(row_of(fields, record(table, handle)) == record(as_rows, handle),
                          "a struct is as its row")
            check(saved(structs, again) == rows.state_hash(), "the state is the same")
            check_same(path, again)
    C.database_free(structs)
    return len(made)


def test_refusals(fixtures):
    database = c_void_p()
    C.database_create(byref(database))
    for name, wanted in (("newer_version.hdb", "newer_version"),
                         ("unknown_feature.hdb", "unknown_feature"),
                         ("none.hdb", "file_not_found")):
        path = os.path.join(fixtures, "invalid", name).encode()
        for call in (lambda: C.load(database, path, None, None),
                     lambda: C.tables_create_from(database, path),
                     lambda: C.validate(path, 0, None)):
            try:
                call()
                check(False, f"{name} is refused")
            except hdb.Error as error:
                check(error.code == wanted and name in str(error), f"{error.code}: {error}")
    check(C.table_at(database, 0) is None, "nothing has changed")
    C.database_free(database)


def test_damage(path):
    """A file that is damaged anywhere is refused, or is as it was."""
    with open(path, "rb") as file:
        whole = file.read()
    with hdb.open(path) as save:
        before = save.state_hash()
        for i in range(0, len(whole), 37):
            damaged = whole[:i] + bytes([whole[i] ^ 0x41]) + whole[i + 1:]
            for content in (damaged, whole[:i]):
                try:
                    C.load_bytes(save._check_open(), content, len(content), None, None)
                except hdb.Error:
                    pass
                check(save.state_hash() == before, f"byte {i}")


def test_written_rows(path):
    """Rows that Python puts together."""
    number = sized(HdbField, kind=7)
    fields = (HdbField * 2)(
        sized(HdbField, name=b"name", kind=STRING, utf8=1),
        sized(HdbField, name=b"scores", kind=LIST, child_count=1,
              children=ctypes.pointer(number)))
    database, table, handle = c_void_p(), c_void_p(), c_uint64()
    C.database_create(byref(database))
    options = sized(HdbTableOptions, fields=fields, field_count=2, names=1)
    C.table_create(database, b"players", byref(options), byref(table))
    row = b"\x05Zo\xc3\xabs" + b"\x02" + struct.pack("<HH", 7, 500)
    C.insert_named(table, b"zoe", 3, row, len(row), byref(handle))
    saved(database, path)
    C.database_free(database)
    C.validate(path.encode(), 2, None)
    with hdb.open(path) as save:
        zoe = save["players"]["zoe"]
        check(zoe.handle.bits == handle.value, "the handle was saved")
        check(zoe.value() == {"name": "Zo\xebs", "scores": [7, 500]}, f"{zoe.value()}")
        check(record(save["players"]._pointer, handle.value) == row, "the row was saved")


def main():
    fixtures, folder = sys.argv[1:]
    again = os.path.join(folder, "again.hdb")
    # resources.hdb has a sort that an earlier version began: its progress is state that goes.
    files = [os.path.join(fixtures, name) for name in sorted(os.listdir(fixtures))
             if name.endswith(".hdb") and name != "resources.hdb"]
    check(len(files) >= 12, "the fixtures are there")
    structs = 0
    for path in files:
        test_rows(path, again)
        structs += test_structs(path, again)
    check(structs >= 10, f"{structs} tables of structs")
    test_refusals(fixtures)
    test_damage(os.path.join(fixtures, "every_field.hdb"))
    test_written_rows(again)
    print(f"c from Python: checks={checks} failures=0, {len(files)} files, {structs} structs")


if __name__ == "__main__":
    main()
