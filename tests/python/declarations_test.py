"""Compares the calls and structures that tools/python/hdb declares with those of hdb/c.h."""
import ctypes
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "c"))
import c_header  # noqa: E402
from hdb import _library  # noqa: E402

NUMBERS = {"size_t": ctypes.c_size_t, "uint8_t": ctypes.c_uint8, "uint16_t": ctypes.c_uint16,
           "uint32_t": ctypes.c_uint32, "uint64_t": ctypes.c_uint64, "int64_t": ctypes.c_int64,
           "int": ctypes.c_int, "hdb_status": ctypes.c_uint32, "hdb_kind": ctypes.c_uint32,
           "hdb_handle": ctypes.c_uint64, "hdb_layout": _library.HdbLayout,
           "hdb_hash": _library.HdbHash, "double": ctypes.c_double}


def fits(declared, given):
    """Whether a type of ctypes is that of a declaration."""
    if declared == "void":
        return given is None
    base = declared.replace("const ", "").replace(" const", "").replace("struct ", "")
    if not base.endswith("*"):
        return given is NUMBERS[base]
    pointee = base[:-1]
    if given is ctypes.c_void_p:  # opaque objects and memory; texts that are freed later
        return pointee in ("void", "char") or (pointee.startswith("hdb_") or pointee in NUMBERS)
    if pointee == "char":
        return given is ctypes.c_char_p
    if pointee == "char*" and given is ctypes.POINTER(ctypes.c_char_p):
        return True
    if pointee.endswith("*"):
        return given is ctypes.POINTER(ctypes.c_void_p)
    if pointee in _library.STRUCTURES:
        return given is ctypes.POINTER(_library.STRUCTURES[pointee])
    return given is ctypes.POINTER(NUMBERS[pointee])


def faults(header):
    """What the package declares otherwise than a header."""
    found = []
    calls = {call.name: call for call in c_header.calls(header)}
    for name, (result, parameters) in _library.SIGNATURES.items():
        call = calls.get(name)
        if call is None:
            found.append(f"{name}: the header has no such call")
            continue
        types = list(call.types)
        if types and types[-1] == "hdb_error**":
            types.pop()
        if len(types) != len(parameters) or not fits(call.result, result):
            found.append(f"{name}: {call.result} with {len(types)} parameters in the header")
            continue
        found += [f"{name}: parameter {i} is {types[i]} in the header"
                  for i in range(len(types)) if not fits(types[i], parameters[i])]
    structures = {each.name: each for each in c_header.structures(header)}
    for name, given in _library.STRUCTURES.items():
        members = structures[name].members
        own = given._fields_
        if [each[1] for each in members] != [each[0] for each in own]:
            found.append(f"{name}: its members are {[each[1] for each in members]} in the header")
            continue
        found += [f"{name}.{member[1]} is {member[0]} in the header"
                  for member, (_, declared) in zip(members, own)
                  if not fits(member[0], declared)]
    return found


# Edits of the header that must be noticed.
PLANTED = [
    ("HDB_C_API uint64_t hdb_count(", "HDB_C_API uint32_t hdb_count("),
    ("HDB_C_API void hdb_free(void* memory)", "HDB_C_API void hdb_free(void* memory, int how)"),
    ("HDB_C_API const char* hdb_version(void)", "HDB_C_API const char* hdb_versions(void)"),
    ("  uint32_t level;", "  uint64_t level;"),
    ("  uint8_t verify; ", "  uint8_t verified; "),
]


def main():
    header = c_header.read(sys.argv[1])
    if found := faults(header):
        sys.exit("declarations_test.py: tools/python/hdb/_library.py differs from hdb/c.h:\n  "
                 + "\n  ".join(found))
    for before, after in PLANTED:
        if header.count(before) != 1 or not faults(header.replace(before, after)):
            sys.exit(f"declarations_test.py: '{after}' is not noticed")
    print(f"declarations: cases={len(_library.SIGNATURES) + len(PLANTED)} failures=0")


main()
