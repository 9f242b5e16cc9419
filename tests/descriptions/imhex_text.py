"""The structures and numbers of schema/hdb.hexpat. This reads the part of the pattern language that
the file uses for structures of fields, not the language."""

import re

from layout import laid_out, size_of

SIZES = {"char": 1, "u8": 1, "u16": 2, "u32": 4, "u64": 8, "s64": 8, "u128": 16}


def camel_case(name):
    return "".join(word.capitalize() for word in name.split("_"))


class ImHexText:
    """An ImHex pattern."""

    def __init__(self, text):
        text = re.sub(r"//.*", "", text)
        self.bodies = {
            (kind, name): body
            for kind, name, body in re.findall(
                r"^(struct|enum|bitfield) (\w+)(?: : u8)? \{(.*?)\}(?: \[\[.*?\]\])?;$",
                text,
                re.MULTILINE | re.DOTALL,
            )
        }

    def structure(self, name):
        """The fields of a struct."""
        return self.fields(camel_case(name))

    def fields(self, name):
        body, depth, fields = self.bodies["struct", name], 0, []
        constants = {
            field: bytes(int(digits, 16) for digits in value.split(r"\x")[1:])
            for field, value in re.findall(r'assert\((\w+) == "((?:\\x[0-9a-f]{2})+)"', body)
        }
        numbers = re.findall(r"assert\((\w+) == (\d+)", body)
        constants.update((field, int(number)) for field, number in numbers)
        for line in body.splitlines():
            match = re.fullmatch(r"\s*([\w:]+) (\w+)(?:\[(.+)\])?;", line)
            if match and match[1] != "return":
                fields.append(self.field_of(*match.groups(), constants, depth > 0))
            depth += line.count("{") - line.count("}")
        return laid_out(fields)

    def field_of(self, type_, name, count, constants, optional):
        size = self.bytes_of(type_)
        repeated = count is not None and not count.isdigit()
        if count is not None and count.isdigit():
            size *= int(count)
        # A field that is repeated any number of times is behind a check for none.
        return name, size, repeated, constants.get(name), optional and not repeated

    def bytes_of(self, type_):
        if type_ in SIZES:
            return SIZES[type_]
        if ("enum", type_) in self.bodies:
            return 1
        if ("bitfield", type_) in self.bodies:
            bits = re.findall(r": (\d+);", self.bodies["bitfield", type_])
            return sum(map(int, bits)) // 8
        return size_of(self.fields(type_)) if ("struct", type_) in self.bodies else None

    def numbers(self, name):
        """An enumeration: the name of each number."""
        pairs = re.findall(r"(\w+) = (\d+)", self.bodies["enum", camel_case(name)])
        return {int(number): word.removesuffix("_") for word, number in pairs}

    def uses_numbers(self, structure, field):
        """Whether a field has the enumeration of its name."""
        body = self.bodies["struct", camel_case(structure)]
        return re.search(rf"^\s*{camel_case(field)} {field};$", body, re.MULTILINE) is not None

    def flags(self, name):
        """The names of flags, by bit, the reserved ones left out."""
        result, bit = {}, 0
        for flag, bits in re.findall(r"(\w+) : (\d+);", self.bodies["bitfield", camel_case(name)]):
            if flag != "reserved":
                result[bit] = flag
            bit += int(bits)
        return result
