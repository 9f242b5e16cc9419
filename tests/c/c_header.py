"""Reads the calls and structures that hdb/c.h declares. For tests that compare it with other texts:
the ABI of the last release, the declarations for C#."""
import pathlib
import re
from dataclasses import dataclass


@dataclass
class Call:
    name: str
    result: str      # "hdb_status", "const char*"
    types: list      # of the parameters: ["const hdb_table*", "hdb_handle"]
    names: list


@dataclass
class Structure:
    name: str
    members: list    # (type, name)


def plain(text):
    """The text without comments."""
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def normal(declared):
    """A type with one space between words and none before a '*'."""
    return re.sub(r" +\*", "*", re.sub(r"\s+", " ", declared)).strip()


def parameter(text):
    """Type and name of a parameter or member."""
    found = re.fullmatch(r"(.*?)(\w+)", normal(text), flags=re.S)
    return normal(found[1]), found[2]


def calls(header):
    """All calls, in the order of the header."""
    found = []
    for result, name, parameters in re.findall(
            r"HDB_C_API\s+([\w\s*]+?)(hdb_\w+)\s*\(([^)]*)\)\s*;", plain(header)):
        pairs = [] if parameters.strip() == "void" else [
            parameter(each) for each in parameters.split(",")]
        found.append(Call(name, normal(result), [p[0] for p in pairs], [p[1] for p in pairs]))
    return found


def structures(header):
    """All structures with members, in the order of the header."""
    found = []
    for body, name in re.findall(r"typedef struct \w+ \{(.*?)\} (\w+);", plain(header), flags=re.S):
        members = [parameter(each) for each in body.split(";") if each.strip()]
        found.append(Structure(name, members))
    return found


def read(root):
    """The text of the header of a source folder."""
    return (pathlib.Path(root) / "lib/extras/c/include/hdb/c.h").read_text()
