#!/usr/bin/env python3
"""The recipes of tools/packaging name what exists, and one version.

check_recipes.py [ROOT]        checks the project
check_recipes.py --self-test   shows that each rule can fail

The version is that of project() in CMakeLists.txt. Each option that a recipe sets is one of the
CMake files, each plug-in a folder of lib/extras. Debian, vcpkg and Conan bring the libraries of
tools/packaging/dependencies.json and no others. A recipe copies folders that exist.
"""
import ast
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile

VERSIONS = {  # where else the version stands, and how
    "tools/packaging/vcpkg/hdb/vcpkg.json": r'"version": "([0-9.]+)"',
    "tools/viewer/reader/package.json": r'"version": "([0-9.]+)"',
}
CONAN = "tools/packaging/conan/conanfile.py"
VCPKG = "tools/packaging/vcpkg/hdb/vcpkg.json"
PORT = "tools/packaging/vcpkg/hdb/portfile.cmake"
CONTROL = "tools/packaging/debian/control.in"
RULES = "tools/packaging/debian/rules"
MESON = "tests/packaging/meson/meson.build"
LIST = "tools/packaging/dependencies.json"
CMAKE = ("CMakeLists.txt", "lib/cmake/hdbBundled.cmake")
BUILD_TOOLS = {"cmake", "debhelper-compat", "doxygen", "mandoc", "ninja-build", "pkgconf",
               "python3", "python3-markdown-it", "python3-pygments"}
FEATURES = {"archive": "archive", "postgres": "postgres", "tools": "tools"}


def check(root):
    """The number of comparisons, and the faults."""
    text = {path: (root / path).read_text(encoding="utf-8")
            for path in (*VERSIONS, CONAN, VCPKG, PORT, CONTROL, RULES, MESON, LIST, *CMAKE)}
    cases = 0
    faults = []

    def compare(what, found, wanted):
        nonlocal cases
        cases += 1
        if found != wanted:
            faults.append(f"{what}: {found}, not {wanted}")

    version = re.search(r"^project\(hdb VERSION ([0-9.]+)", text["CMakeLists.txt"], re.M)[1]
    for path, pattern in VERSIONS.items():
        compare(f"{path}: version", re.search(pattern, text[path])[1], version)
    for number in re.findall(r"find_package\(hdb ([0-9.]+)", "".join(
            (root / path).read_text(encoding="utf-8")
            for path in ("tests/project/consumer/CMakeLists.txt",
                         "tests/project/c_consumer/CMakeLists.txt"))):
        compare("tests/project: find_package", number, version.rpartition(".")[0])

    options = set(re.findall(r"(?:option|set)\((HDB_\w+)", "".join(text[path] for path in CMAKE)))
    extras = {path.parent.name for path in (root / "lib/extras").glob("*/CMakeLists.txt")}
    for path in (CONAN, PORT, RULES, MESON):
        for option in set(re.findall(r"(?:\b|-D)(HDB_\w+)", text[path])):
            compare(f"{path}: {option} is an option", option in options, True)
    named = re.findall(r"set\(extras ([\w ]+)\)|IN ITEMS ([\w ]+)\)", text[PORT])
    named = [f"{a} {b}" for a, b in named] + re.findall(r"'HDB_EXTRAS': '([\w;]+)'", text[MESON])
    named += re.findall(r'extras = \[(.*?)\]', text[CONAN])
    named += re.findall(r'extras\.append\("(\w+)"\)', text[CONAN])
    for extra in {word for words in named for word in re.findall(r"\w+", words)}:
        compare(f"the plug-in {extra} exists", extra in extras, True)

    parts = json.loads(text[LIST])
    names = {where: {key: {part[key] for part in found if key in part}
                     for key in ("debian", "vcpkg", "conan")} for where, found in parts.items()}
    port = json.loads(text[VCPKG])

    def brought(entry):
        found = {item if isinstance(item, str) else item["name"]
                 for item in entry.get("dependencies", [])}
        return {name for name in found if name != "hdb" and not name.startswith("vcpkg-cmake")}
    compare(f"{VCPKG}: dependencies", brought(port), names["library"]["vcpkg"])
    for feature, entry in port["features"].items():
        compare(f"{VCPKG}: {feature}", brought(entry),
                names[FEATURES[feature]]["vcpkg"] if feature in FEATURES else set())
    compare(f"{CONAN}: requires", set(re.findall(r'requires\("([\w-]+)/', text[CONAN])),
            set().union(*(part["conan"] for part in names.values())))
    block = re.search(r"^Build-Depends:\n((?: .*\n)+)", text[CONTROL], re.M)[1]
    needed = set(re.findall(r"^ ([\w.+-]+)", block, re.M)) - BUILD_TOOLS
    compare(f"{CONTROL}: Build-Depends", needed,
            set().union(*(part["debian"] for part in names.values())))
    sources = next(node.value for node in ast.parse(text[CONAN]).body
                   if isinstance(node, ast.Assign) and node.targets[0].id == "SOURCES")
    for pattern in ast.literal_eval(sources):
        compare(f"{CONAN}: {pattern} exists", any(root.glob(pattern)), True)
    return cases, faults


def copy_of(root, folder):
    extras = [path.relative_to(root) for path in (root / "lib/extras").glob("*/CMakeLists.txt")]
    for path in (*VERSIONS, CONAN, VCPKG, PORT, CONTROL, RULES, MESON, LIST, *CMAKE, *extras,
                 "LICENSE", "schema/hdb.ksy", "tests/project/consumer/CMakeLists.txt",
                 "tests/project/c_consumer/CMakeLists.txt"):
        os.makedirs((folder / path).parent, exist_ok=True)
        shutil.copy(root / path, folder / path)


def self_test(root):
    edits = (
        ("CMakeLists.txt", "hdb VERSION 0.", "hdb VERSION 9.", "version"),
        ("CMakeLists.txt", "option(HDB_BUILD_TOOLS", "option(HDB_TOOLS", "HDB_BUILD_TOOLS is an"),
        (PORT, "-DHDB_BUILD_TESTS", "-DHDB_TESTS", "HDB_TESTS is an option"),
        (PORT, "set(extras entt", "set(extras ent", "plug-in ent "),
        (CONAN, '"c", "entt"', '"c", "entity"', "plug-in entity "),
        (VCPKG, '"xxhash",\n', "", "vcpkg.json: dependencies"),
        (VCPKG, '"fmt",\n', "", "vcpkg.json: tools"),
        (CONAN, "zstd/", "zlib/", "conanfile.py: requires"),
        (CONAN, '"schema/*"', '"schemas/*"', "schemas/* exists"),
        (CONTROL, " libfmt-dev,\n", "", "Build-Depends"),
        (LIST, '"debian": "libpq-dev"', '"debian": "libpq5"', "Build-Depends"),
    )
    for path, old, new, wanted in edits:
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder)
            copy_of(root, tree)
            text = (tree / path).read_text(encoding="utf-8")
            if check(tree)[1] or old not in text:
                sys.exit(f"check_recipes.py: the copy is not as the project, or lacks {old!r}")
            (tree / path).write_text(text.replace(old, new), encoding="utf-8")
            if not any(wanted in fault for fault in check(tree)[1]):
                sys.exit(f"check_recipes.py: {path} without {old!r} passes")
    print(f"recipes self-test: cases={len(edits)} failures=0")


if __name__ == "__main__":
    project = pathlib.Path(__file__).resolve().parents[2]
    if sys.argv[1:] == ["--self-test"]:
        self_test(project)
    else:
        count, found = check(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else project)
        print("\n".join(found), end="\n" if found else "")
        print(f"recipes: cases={count} failures={len(found)}")
        sys.exit(bool(found))
