#!/usr/bin/env python3
"""Checks that no call of a header passes an error over: each function that returns a Result or a
Status is [[nodiscard]]. The alias hdb::Result is a class of another library, so it cannot say so
itself.

Usage: check_nodiscard.py ROOT, or --self-test
"""
import pathlib
import re
import sys

ATTRIBUTE = r"\[\[[^\]]*\]\]\s*"
SPECIFIERS = r"(?:(?:static|virtual|inline|constexpr|friend|explicit)\s+)*"
FUNCTION = re.compile(
    r"^[ \t]*(?:template\s*<[^\n]*>\s*)?(?P<attributes>(?:" + ATTRIBUTE + ")*)" + SPECIFIERS +
    r"(?:hdb::)?(?:Result<[^;{}()=]*>|Status)\s+\**(?P<name>\w+)\s*\(", re.MULTILINE)


def offenders(text):
    for found in FUNCTION.finditer(text):
        before = text[:found.start()].rstrip()
        if "nodiscard" in found["attributes"] or before.endswith("[[nodiscard]]"):
            continue
        line = text[:found.start("name")].count("\n") + 1
        yield line, found["name"]


def check(root):
    count = 0
    failures = 0
    for folder in sorted(root.glob("lib/extras/*/include")) + [root / "lib/include",
                                                               root / "schema/include"]:
        for path in sorted(folder.rglob("*.hpp")):
            count += 1
            for line, name in offenders(path.read_text(encoding="utf-8")):
                print(f"{path.relative_to(root)}:{line}: {name} returns a Result; make it "
                      "[[nodiscard]]")
                failures += 1
    print(f"nodiscard: cases={count} failures={failures}")
    return count != 0 and failures == 0


def self_test():
    wrong = ["Status load();", "  static Result<std::vector<int>> list(int a);",
             "template <class T>\nResult<T> get(", "virtual Status read(\n  int a);"]
    right = ["[[nodiscard]] Status load();", "[[nodiscard]] static Result<int> list(int a);",
             "template <class T>\n[[nodiscard]] Result<T> get(",
             "[[nodiscard]]\nStatus read(int a);", "  Status status;",
             "  Result<int> found = get();", "std::function<Status(int)> call;"]
    return all(list(offenders(text)) for text in wrong) and \
        not any(list(offenders(text)) for text in right)


if __name__ == "__main__":
    passed = self_test() if sys.argv[1] == "--self-test" else check(pathlib.Path(sys.argv[1]))
    sys.exit(0 if passed else 1)
