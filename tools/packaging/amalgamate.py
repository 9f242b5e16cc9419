#!/usr/bin/env python3
"""Makes hdb.hpp and hdb.cpp: the library, without its extras, in two files to drop into a tree.

amalgamate.py [OUT]   (default: build/amalgamation)

A program includes hdb.hpp, and compiles hdb.cpp once, with -std=c++20, cereal and tl-expected on
the include path, and zstd and xxHash to link with. hdb.hpp has all public headers of the library
but hdb/cereal_structs.hpp, which a program has to ask for: hdb_cereal_structs.hpp, a third file.
"""
import pathlib
import re
import sys

PROJECT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = PROJECT / "lib" / "include"
ROOTS = (INCLUDE, PROJECT / "schema" / "include", PROJECT / "lib" / "src", PROJECT / "schema")
SOURCES = (PROJECT / "lib" / "src", PROJECT / "schema")
QUOTED = re.compile(r'^\s*#\s*include\s+"([^"]+)".*$')
SYSTEMS = {"windows": "#ifdef _WIN32", "posix": "#ifndef _WIN32"}
OF_SYSTEMS = re.compile(r"#include (<windows[.]h>|\"files/windows/)")
LEFT_OUT = ("shuffle_avx2.cpp",)  # which has to be compiled with -mavx2
ASKED_FOR = "cereal_structs.hpp"
HEADS = """// hdb {version}: {what}.
// Made by tools/packaging/amalgamate.py: edit the sources, not this file.
//
{licence}
"""


def version():
    text = (PROJECT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"^project\(hdb VERSION ([0-9.]+)", text, re.M)[1]


class Writer:
    """Puts files in place of the lines that include them: each header once."""

    def __init__(self, seen=()):
        self.seen = set(seen)
        self.lines = []

    def path_of(self, name, beside):
        for root in (beside, *ROOTS):
            if (root / name).is_file():
                return (root / name).resolve()
        sys.exit(f"amalgamate.py: {name} is in none of the folders that are searched")

    def add(self, path):
        if path.suffix == ".hpp":
            if path in self.seen:
                return
            self.seen.add(path)
        for line in path.read_text(encoding="utf-8").splitlines():
            found = QUOTED.match(line)
            if found:
                self.add(self.path_of(found[1], path.parent))
            elif line.strip() != "#pragma once":
                self.lines.append(line)

    def write(self, path, what, first=()):
        licence = (PROJECT / "LICENSE").read_text(encoding="utf-8").strip().splitlines()
        head = HEADS.format(version=version(), what=what,
                            licence="\n".join("// " + line if line else "//" for line in licence))
        path.write_text(head + "\n".join([*first, *self.lines]) + "\n", encoding="utf-8")


def public_headers():
    """The promised headers, hdb/hdb.hpp first."""
    found = [path.resolve() for root in ROOTS[:2] for folder in ("hdb", "hdb/inspect")
             for path in sorted((root / folder).glob("*.hpp")) if path.name != ASKED_FOR]
    return sorted(found, key=lambda path: path.name != "hdb.hpp")


def main():
    out = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else PROJECT / "build" / "amalgamation")
    out.mkdir(parents=True, exist_ok=True)
    header = Writer()
    for path in public_headers():
        header.add(path)
    header.write(out / "hdb.hpp", "saves of games, exactly", ["#pragma once"])
    structs = Writer(header.seen)
    structs.add(INCLUDE / "hdb" / ASKED_FOR)
    structs.write(out / f"hdb_{ASKED_FOR}", "plain structs in archives of cereal",
                  ["#pragma once", '#include "hdb.hpp"'])
    source = Writer(header.seen)
    sources = [path for folder in SOURCES for path in sorted(folder.rglob("*.cpp"))
               if path.name not in LEFT_OUT]
    # Headers of Windows define ordinary words as macros, so what includes them comes last.
    for path in sorted(sources, key=lambda path: bool(OF_SYSTEMS.search(path.read_text("utf-8")))):
        system = next((guard for part, guard in SYSTEMS.items() if part in str(path)), None)
        source.lines += [system] if system else []
        source.add(path)
        source.lines += ["#endif"] if system else []
    source.write(out / "hdb.cpp", "the library in one file", ['#include "hdb.hpp"'])
    for name in ("hdb.hpp", f"hdb_{ASKED_FOR}", "hdb.cpp"):
        lines = (out / name).read_text(encoding="utf-8").count("\n")
        print(f"{out / name}: {lines} lines")


main()
