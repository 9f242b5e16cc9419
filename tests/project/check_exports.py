#!/usr/bin/env python3
"""What the public headers declare and a library compiles is marked for export.

Reads the headers with libclang (Debian: python3-clang-14), as a program with shared libraries sees
them: each such declaration must have default visibility by a macro of hdb/detail/base/api.hpp, and
by that of its own library. Usage: check_exports.py FOLDER | --self-test FOLDER
"""
import os
import sys

try:
    from clang.cindex import AvailabilityKind, CursorKind, Index
except ImportError:
    print("check_exports.py: install python3-clang-14")
    sys.exit(1 if os.environ.get("CI") else 77)

FUNCTIONS = (CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD, CursorKind.CONSTRUCTOR,
             CursorKind.DESTRUCTOR, CursorKind.CONVERSION_FUNCTION)
CLASSES = (CursorKind.CLASS_DECL, CursorKind.STRUCT_DECL)
# Declarations that no library defines, on purpose: names that cereal may find.
NEVER_DEFINED = {"CerealNames"}
# Headers that need a library which the program brings.
LEFT_OUT = {"hdb/entt.hpp", "hdb/detail/entt/component_pool.hpp",
            "hdb/detail/entt/entity_groups.hpp", "hdb/detail/entt/entity_ids.hpp",
            "hdb/detail/entt/entity_registry.hpp", "hdb/imgui.hpp",
            "hdb/detail/imgui/draw_lists.hpp", "hdb/detail/imgui/draw_record.hpp",
            "hdb/detail/imgui/draw_time.hpp", "hdb/detail/imgui/widgets.hpp"}


def public_headers(folders):
    for folder in folders:
        for path, _, files in os.walk(folder):
            for name in sorted(files):
                header = os.path.relpath(os.path.join(path, name), folder)
                if name.endswith(".hpp") and header not in LEFT_OUT:
                    yield header


def is_exported(cursor):
    return any(child.kind == CursorKind.VISIBILITY_ATTR for child in cursor.get_children())


def is_defaulted(cursor):
    return any(token.spelling in ("default", "delete") for token in list(cursor.get_tokens())[-3:])


def is_compiled(cursor):
    """Whether a library must define the function."""
    return (cursor.get_definition() is None and not cursor.is_pure_virtual_method() and
            cursor.availability != AvailabilityKind.NOT_AVAILABLE and not is_defaulted(cursor))


def declarations(cursor, owner, folders):
    """Yields (function, class that has it or None) for the functions of these folders."""
    for child in cursor.get_children():
        if child.kind in (CursorKind.NAMESPACE, CursorKind.LINKAGE_SPEC,
                          CursorKind.UNEXPOSED_DECL):
            yield from declarations(child, owner, folders)
            continue
        file = child.location.file
        if file is None or not file.name.startswith(folders):
            continue
        if child.kind in CLASSES and child.is_definition():
            yield from declarations(child, child, folders)
        elif child.kind == CursorKind.FRIEND_DECL:
            yield from declarations(child, None, folders)
        elif child.kind in FUNCTIONS and is_compiled(child):
            yield child, owner if child.semantic_parent.kind in CLASSES else None


def check(folder, extra=None):
    """Returns the number of functions, and lines for those that are not exported."""
    folder = os.path.abspath(folder)
    folders = tuple(os.path.join(folder, path) for path in
                    ("lib/include/", "schema/include/", "lib/extras/archive/include/",
                     "lib/extras/entt/include/", "lib/extras/imgui/include/"))
    text = "".join(f'#include "{header}"\n' for header in public_headers(folders))
    name = folders[0] + "every_header.cpp"
    unit = Index.create().parse(
        name, args=["-std=c++20", "-DHDB_SHARED", "-DHDB_ENABLE_ASSERTS=1"] +
        [f"-I{path}" for path in folders], unsaved_files=[(name, text + (extra or ""))])
    faults = [f"{fault}" for fault in unit.diagnostics if fault.severity >= 3]
    count = 0
    for function, owner in declarations(unit.cursor, None, folders):
        if owner is not None and owner.spelling in NEVER_DEFINED:
            continue
        count += 1
        if not is_exported(function) and not (owner is not None and is_exported(owner)):
            place = function.location
            of_class = f"{owner.spelling}::" if owner is not None else ""
            faults.append(f"{os.path.relpath(place.file.name, folder)}:{place.line}: "
                          f"{of_class}{function.spelling} has no mark of hdb/detail/base/api.hpp; "
                          "programs with the shared library cannot call it")
    return count, faults


def self_test(folder):
    planted = ("namespace hdb { void planted(); class Planted { public: void call(); };\n"
               "struct HDB_API Marked { void call(); }; HDB_API void marked(); }\n")
    _, faults = check(folder, planted)
    found = [name for name in ("planted", "Planted::call", "marked", "Marked::call")
             if any(f": {name} has no mark" in fault for fault in faults)]
    return ["the check misses or invents marks: " + ", ".join(found)] \
        if found != ["planted", "Planted::call"] else []


if sys.argv[1] == "--self-test":
    cases, failures = 4, self_test(sys.argv[2])
else:
    cases, failures = check(sys.argv[1])
print("\n".join(failures + [f"exports: cases={cases} failures={len(failures)}"]))
sys.exit(bool(failures))
