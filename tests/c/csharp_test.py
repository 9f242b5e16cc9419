#!/usr/bin/python3
"""Compares the declarations for C# on lib/extras/c/csharp.md with hdb/c.h: names, parameters and
their types, members of structures, constants.

    csharp_test.py ROOT"""
import pathlib
import re
import sys

import c_header

NUMBERS = {"uint32_t": "uint", "hdb_status": "uint", "hdb_kind": "uint", "uint64_t": "ulong",
           "int64_t": "long", "hdb_handle": "ulong", "uint8_t": "byte", "uint16_t": "ushort",
           "size_t": "UIntPtr", "int": "int", "double": "double", "void": "void",
           "hdb_hash": "hdb_hash", "hdb_layout": "hdb_layout"}
SAFE_HANDLES = {"hdb_database": "HdbDatabase", "hdb_snapshot": "HdbSnapshot"}
UTF8 = "[MarshalAs(UnmanagedType.LPUTF8Str)] string"


def forms(declared, name):
    """The forms in C# of a parameter, result or member of C."""
    if declared in NUMBERS:
        return {NUMBERS[declared]}
    is_const = declared.startswith("const ")
    base = declared.removeprefix("const ")
    pointee = base[:-1]
    if declared == "const char*":
        # Texts; names, which have a size, may be bytes.
        return {UTF8, "IntPtr"} | ({"byte[]"} if name == "name" else set())
    if pointee.endswith("*"):  # of an object or text that is returned
        object_name = pointee[:-1]
        return {"out IntPtr"} | {f"out {SAFE_HANDLES[each]}" for each in SAFE_HANDLES
                                 if each == object_name}
    if pointee in SAFE_HANDLES:
        return {SAFE_HANDLES[pointee], "IntPtr"}
    if pointee == "void":
        return {"IntPtr", "[Out] double[]", "[Out] long[]", "[Out] ulong[]"}
    if pointee in NUMBERS and not is_const:
        array = {f"[Out] {NUMBERS[pointee]}[]"} if name.endswith("s") else set()
        return {f"out {NUMBERS[pointee]}", "IntPtr"} | array
    if pointee.endswith("_options"):
        return {f"ref {pointee}"}
    return {"IntPtr"}


def declarations(page):
    """Calls of the page: name, result, parameters as (type, name)."""
    found = []
    for result, name, parameters in re.findall(
            r"\[DllImport\(Library\)\] public static extern (\w+) (\w+)\((.*?)\);", page,
            flags=re.S):
        parts = [c_header.parameter(each) for each in parameters.split(",") if each.strip()]
        found.append((name, result, parts))
    return found


def faults(page, header):
    """How the page differs from a header."""
    found = []
    calls = {call.name: call for call in c_header.calls(header)}
    for name, result, parts in declarations(page):
        call = calls.get(name)
        if call is None:
            found.append(f"{name}: hdb/c.h has no such call")
            continue
        if len(parts) != len(call.types):
            found.append(f"{name}: {len(call.types)} parameters, not {len(parts)}")
            continue
        if result not in forms(call.result, "") or "string" in result:
            found.append(f"{name}: it returns {call.result}, not {result}")
        for (given, own), declared, there in zip(parts, call.types, call.names):
            if own != there or given not in forms(declared, there):
                found.append(f"{name}: {declared} {there} is not '{given} {own}'")
    structures = {each.name: each for each in c_header.structures(header)}
    for name, body in re.findall(r"public struct (\w+) \{(.*?)\n\}", page, flags=re.S):
        given = re.findall(r"public (\S+) (\w+);", body)
        wanted = structures[name].members if name in structures else []
        if [each[1] for each in given] != [each[1] for each in wanted]:
            found.append(f"{name}: its members are {[each[1] for each in wanted]}")
            continue
        found += [f"{name}.{there}: {declared} is not {own}"
                  for (own, _), (declared, there) in zip(given, wanted)
                  if own not in forms(declared, there)]
    text = c_header.plain(header)
    for name, number in re.findall(r"\b(HDB_\w+) = (\d+)", page):
        if not re.search(rf"\b{name} = {number}\b", text):
            found.append(f"{name} is not {number}")
    return found


# Edits of the page that must be noticed.
PLANTED = [
    ("extern ulong hdb_count(", "extern uint hdb_count("),
    ("hdb_handle_at(IntPtr table, ulong position)", "hdb_handle_at(IntPtr table, uint position)"),
    ("hdb_handle_at(IntPtr table, ulong position)", "hdb_handle_at(IntPtr table)"),
    ("extern IntPtr hdb_version()", "extern IntPtr hdb_versions()"),
    ("HdbSnapshot snapshot, int fork,", "HdbDatabase snapshot, int fork,"),
    ("out double number", "out float number"),
    ("[Out] ulong[] handles", "ulong[] handles"),
    ("[Out] long[] values", "[Out] int[] values"),
    ("  public uint level;\n  public uint threads;",
     "  public uint threads;\n  public uint level;"),
    ("  public byte verify;", "  public bool verify;"),
    ("  public uint unknown_values;\n", ""),
    ("HDB_F64 = 11", "HDB_F64 = 12"),
]


def main():
    root = pathlib.Path(sys.argv[1])
    page = (root / "lib/extras/c/csharp.md").read_text()
    header = c_header.read(root)
    if found := faults(page, header):
        sys.exit("csharp_test.py: lib/extras/c/csharp.md differs from hdb/c.h:\n  "
                 + "\n  ".join(found))
    used = set(re.findall(r"Hdb\.(hdb_\w+)", page))
    declared = {each[0] for each in declarations(page)}
    if len(declared) < 30 or used - declared:
        sys.exit(f"csharp_test.py: {len(declared)} calls are declared; not {used - declared}")
    for before, after in PLANTED:
        if page.count(before) != 1 or not faults(page.replace(before, after), header):
            sys.exit(f"csharp_test.py: '{after}' is not noticed")
    print(f"csharp: cases={len(declared) + len(PLANTED)} failures=0")


main()
