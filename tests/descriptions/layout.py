"""Layouts of structures as FORMAT.md, hdb.ksy and hdb.hexpat can be compared: fields in order, each
with its offset, as far as all fields before it have fixed sizes."""

import re
from collections import namedtuple

# offset: bytes from the beginning of the structure, None after a field of no fixed size. size: in
# bytes, of one element if repeated, None if not fixed. constant: bytes or a number, or None.
Field = namedtuple("Field", "name offset size repeated constant")


def laid_out(fields):
    """Fields with offsets, from tuples of name, size, repeated, constant, optional."""
    offset, result = 0, []
    for name, size, repeated, constant, optional in fields:
        result.append(Field(name, offset, size, repeated, constant))
        fixed = offset is not None and size is not None and not repeated and not optional
        offset = offset + size if fixed else None
    return result


def size_of(fields):
    """The size of a structure in bytes, or None."""
    last = fields[-1]
    fixed = last.offset is not None and last.size is not None and not last.repeated
    return last.offset + last.size if fixed else None


def identifier(text):
    """A phrase of FORMAT.md as a name: lower case, words joined by underscores."""
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")


def differences(wanted, found):
    """What differs between two lists of fields, or between two maps of numbers to names. `wanted`
    is from FORMAT.md, where the size of a field may be unknown."""
    if isinstance(wanted, dict):
        numbers = sorted(set(wanted) | set(found))
        return [
            f"{number} is {found.get(number)}, but {wanted.get(number)} in FORMAT.md"
            for number in numbers
            if wanted.get(number) != found.get(number)
        ]
    result = []
    for at in range(max(len(wanted), len(found))):
        if at >= len(wanted) or at >= len(found):
            extra, where = (found, "") if at >= len(wanted) else (wanted, "only FORMAT.md ")
            result.append(f"{where}has a field {extra[at].name} after the others")
            continue
        for what in Field._fields:
            if getattr(wanted[at], what) != getattr(found[at], what):
                result.append(
                    f"field {found[at].name}: its {what} is {getattr(found[at], what)}, but "
                    f"{getattr(wanted[at], what)} in FORMAT.md"
                )
    return result
