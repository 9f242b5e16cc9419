#!/usr/bin/python3
"""Compares the ABI of hdb/c.h with that of the last release, lib/extras/c/abi/libhdb-c.abi.

    abi_test.py ROOT LIBRARY    the test; LIBRARY is libhdb_c.so
    abi_test.py ROOT --write    writes the description: at a release

A call, constant or member that went or changed fails; so does a structure without struct_size that
grew. Calls, constants, and members at the end of structures with struct_size may be added. The
description has a line for each of them; places and sizes are those that the C compiler says."""
import os
import re
import subprocess
import sys
import tempfile

import c_header


def run(*command):
    made = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if made.returncode != 0:
        sys.exit(f"abi_test.py: {command[0]} failed:\n{made.stdout}")
    return made.stdout


def describe(root, header):
    """The description of a header: a set of lines. Of x86-64 and other 64-bit machines."""
    lines = [f"call {call.result} {call.name}({', '.join(call.types)})"
             for call in c_header.calls(header)]
    lines += [f"callback {c_header.normal(each)}" for each in
              re.findall(r"typedef (\w+ \(\*\w+\)\([^)]*\));", c_header.plain(header))]
    code = ["#include <hdb/c.h>", "#include <stdio.h>", "int main(void) {"]
    for each in c_header.structures(header):
        sized = "" if each.members[0][1] == "struct_size" else f" %zu\", sizeof({each.name})"
        code.append(f'printf("struct {each.name}{sized or chr(34)}); puts("");')
        for declared, name in each.members:
            code.append(
                f'printf("member {each.name}.{name} {declared} at %zu, %zu bytes\\n", '
                f'offsetof({each.name}, {name}), sizeof((({each.name}*)0)->{name}));')
    constants = re.findall(r"\b(HDB_[A-Z0-9_]+) = ", c_header.plain(header))
    errors = open(os.path.join(root, "lib/include/hdb/error_codes.def")).read()
    constants += [f"HDB_E_{name}" for name in re.findall(r"^HDB_ERROR\((\w+),", errors, flags=re.M)]
    code += [f'printf("constant {name} = %lu\\n", (unsigned long){name});'
             for name in constants if name != "HDB_STATUS_END"]
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.join(folder, "hdb"))
        with open(os.path.join(folder, "hdb/c.h"), "w") as out:
            out.write(header)
        source = os.path.join(folder, "describe.c")
        with open(source, "w") as out:
            out.write("\n".join(code + ["return 0; }", ""]))
        program = os.path.join(folder, "describe")
        run(os.environ.get("CC", "cc"), "-std=c11", "-w", "-I", folder, "-I",
            os.path.join(root, "lib/include"), "-o", program, source)
        return set(lines + run(program).splitlines())


def broken(old, new):
    """The lines of the old description that do not hold any more."""
    return sorted(old - new)


def exported(library):
    return set(re.findall(r" T (hdb_\w+)", run("nm", "-D", "--defined-only", library)))


# Edits of the header, and whether programs that were built before still run.
EDITS = [
    ("two members change places", "  uint64_t low;\n  uint64_t high;",
     "  uint64_t high;\n  uint64_t low;", False),
    ("a member goes", "  uint32_t backups; ", "  /* none */ ", False),
    ("a member becomes wider", "  uint8_t verify; ", "  uint32_t verify; ", False),
    ("a member is added before others", "  uint64_t added;\n",
     "  uint64_t moved;\n  uint64_t added;\n", False),
    ("a structure without struct_size grows", "  uint64_t high;\n",
     "  uint64_t high;\n  int more;\n", False),
    ("a constant changes", "HDB_FIFO = 1", "HDB_FIFO = 3", False),
    ("a constant goes", ", HDB_LOWEST = 2 }", " }", False),
    ("a call goes", "HDB_C_API void hdb_free(void* memory);", "", False),
    ("a parameter changes", "void hdb_free(void* memory)", "void hdb_free(uint64_t memory)", False),
    ("a parameter is added", "void hdb_free(void* memory)", "void hdb_free(void* memory, int how)",
     False),
    ("a parameter of a callback changes", "hdb_before_destroy)(void* context, hdb_handle",
     "hdb_before_destroy)(void* context, int", False),
    ("a result changes", "HDB_C_API uint64_t hdb_count(", "HDB_C_API uint32_t hdb_count(", False),
    ("a call is added", "HDB_C_API void hdb_free(void* memory);",
     "HDB_C_API void hdb_free(void* memory);\nHDB_C_API void hdb_more(hdb_table* table);", True),
    ("a constant is added", "HDB_LOWEST = 2 }", "HDB_LOWEST = 2, HDB_HIGHEST = 3 }", True),
    ("a member is added before the last", "  uint64_t reused; ",
     "  uint64_t moved;  uint64_t reused; ", False),
    ("a member is added at the end", "} hdb_difference;", "  uint64_t moved;\n} hdb_difference;",
     True),
]


def main():
    root, what = sys.argv[1:]
    stored = os.path.join(root, "lib/extras/c/abi/libhdb-c.abi")
    header = c_header.read(root)
    present = describe(root, header)
    if what == "--write":
        with open(stored, "w") as out:
            out.write("\n".join(sorted(present)) + "\n")
        return
    names = {call.name for call in c_header.calls(header)}
    if missing := names - exported(what):
        sys.exit(f"abi_test.py: {what} does not export {', '.join(sorted(missing))}")
    with open(stored) as file:
        old = set(file.read().splitlines())
    if len(names) < 80 or len(old) < 300:
        sys.exit(f"abi_test.py: read only {len(names)} calls and {len(old)} lines")
    if lines := broken(old, present):
        sys.exit("abi_test.py: programs that were built with the last release would break. Undo "
                 "the change, or raise HDB_C_ABI and describe the ABI again (CONTRIBUTING.md, \"A "
                 "release\"). What it had:\n  " + "\n  ".join(lines))
    for name, before, after, is_fine in EDITS:
        if header.count(before) != 1:
            sys.exit(f"abi_test.py: '{name}': the header has no such place any more")
        lines = broken(present, describe(root, header.replace(before, after)))
        if bool(lines) == is_fine:
            sys.exit(f"abi_test.py: '{name}' should {'pass' if is_fine else 'fail'}: {lines}")
    print(f"abi: cases={len(EDITS) + 1} failures=0")


main()
