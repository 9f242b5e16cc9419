#!/usr/bin/env python3
"""References in the documentation lead where they say.

check_references.py [ROOT]        checks the Markdown files of the project
check_references.py --self-test   shows that each rule can fail

A link to a file or a heading leads to one that exists. A numbered section is named with its
heading, as in "Old saves" in section 3, and the heading is in that section; schema/FORMAT.md, whose
numbers are part of the format, is referred to by number alone, from itself and as
`schema/FORMAT.md`, section 7.1. A page of lib/docs that a source names exists.
"""
import os
import re
import sys
import tempfile

FORMAT = "schema/FORMAT.md"


def headings_of(text):
    """The headings of a file: number (or None), words, and the number of the section around."""
    found = []
    around = None
    for line in re.sub(r"^ *```.*?^ *```", "", text, flags=re.M | re.S).splitlines():
        match = re.match(r"(#+) (?:(\d+(?:\.\d+)*)\.? )?(.*)", line)
        if not match:
            continue
        if match[1] == "##":
            around = match[2]
        found.append((match[2], match[3].strip(), match[2] or around))
    return found


def anchor_of(number, words):
    whole = f"{number}. {words}" if number and "." not in number else f"{number or ''} {words}"
    return re.sub(r"[^\w -]", "", whole.strip().lower()).replace(" ", "-")


def check(root):
    texts = {}
    named = []
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in (".git", "build")]
        for name in files:
            if name.endswith(".md"):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    texts[os.path.relpath(path, root)] = file.read()
            elif name.endswith((".hpp", ".cpp", ".cmake", ".py")):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    pages = re.findall(r"(?<![\w/])lib/docs/[\w/-]+\.md", file.read())
                where = os.path.relpath(os.path.join(folder, name), root)
                named += [(where, page) for page in pages]
    headings = {path: headings_of(text) for path, text in texts.items()}
    numbers = {number for number, _, _ in headings.get(FORMAT, []) if number}
    cases = len(named)
    faults = [f"{source}: no file {page}" for source, page in named
              if not os.path.exists(os.path.join(root, page))]
    for path, text in sorted(texts.items()):
        prose = re.sub(r"^ *```.*?^ *```", "", text, flags=re.M | re.S)
        for target in re.findall(r"\]\(([\w./-]*(?:#[\w-]+)?)\)", re.sub(r"`[^`]*`", "", prose)):
            cases += 1
            file, _, anchor = target.partition("#")
            where = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
            if not os.path.exists(os.path.join(root, where)):
                faults.append(f"{path}: no file {where}")
            elif anchor and anchor not in [anchor_of(n, w) for n, w, _ in headings.get(where, [])]:
                faults.append(f"{path}: no heading #{anchor} in {where}")
        for match in re.finditer(r"[Ss]ections?\s+(\d+(?:\.\d+)*)", prose):
            cases += 1
            number = match[1]
            before = prose[: match.start()]
            named = re.search(r"\"([^\"]+)\"\s+in\s+$", before)
            if path == FORMAT or re.search(r"FORMAT\.md`?,?\s+\(?$", before):
                if number not in numbers:
                    faults.append(f"{path}: {FORMAT} has no section {number}")
            elif not named:
                faults.append(f"{path}: section {number} without the words of its heading")
            elif (" ".join(named[1].split()), number) not in [(w, n) for _, w, n in headings[path]]:
                faults.append(f"{path}: section {number} has no \"{named[1]}\"")
    return cases, faults


def self_test():
    good = '## 1. One\n### Old\nSee "Old" in section 1, [so](#1-one), [it](b.md).\n'
    bad = {
        "no file c.md": "[x](c.md)",
        "no heading #two in a.md": "[x](#two)",
        "section 1 without the words": "See section 1.",
        'section 1 has no "New"': 'See "New" in section 1.',
        f"{FORMAT} has no section 9": "(`schema/FORMAT.md`, section 9)",
        "a.hpp: no file lib/""docs/c.md": "// lib/""docs/c.md\n",
    }
    failures = 0
    with tempfile.TemporaryDirectory() as root:
        os.mkdir(os.path.join(root, "schema"))
        for wrong in [None, *bad]:
            more = bad[wrong] if wrong else ""
            of_source = more.startswith("//")
            for name, text in ((FORMAT, "## 2. Two\nSection 2.\n"), ("b.md", ""),
                               ("a.md", good + ("" if of_source else more)),
                               ("a.hpp", more if of_source else "")):
                with open(os.path.join(root, name), "w", encoding="utf-8") as file:
                    file.write(text)
            faults = check(root)[1]
            if bool(faults) != bool(wrong) or (wrong and wrong not in faults[0]):
                failures += 1
                print(f"{wrong}: {faults}")
    print(f"references self-test: cases={len(bad) + 1} failures={failures}")
    return failures


if sys.argv[1:] == ["--self-test"]:
    sys.exit(self_test() != 0)
ROOT = sys.argv[1] if sys.argv[1:] else os.path.join(os.path.dirname(__file__), "../..")
CASES, FAULTS = check(ROOT)
print("\n".join(FAULTS + [f"references: cases={CASES} failures={len(FAULTS)}"]))
sys.exit(bool(FAULTS))
