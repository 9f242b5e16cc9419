"""The structures and numbers of schema/hdb.ksy."""

import yaml

from layout import laid_out, size_of

SIZES = {"u1": 1, "u2": 2, "u4": 4, "u8": 8, "s1": 1, "s2": 2, "s4": 4, "s8": 8}


class KaitaiText:
    """A Kaitai Struct description."""

    def __init__(self, text):
        self.root = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))

    def structure(self, name):
        """The fields of a type, bits not counted."""
        items = self.root["types"][name]["seq"]
        return laid_out([self.field_of(item) for item in items])

    def field_of(self, item):
        constant = item.get("valid", item.get("contents"))
        if isinstance(constant, list):
            constant = bytes(constant) if any(constant) else None
        if not isinstance(constant, (int, bytes)) or item["id"].endswith("_features"):
            constant = None
        return item["id"], self.bytes_of(item), "repeat" in item, constant, "if" in item

    def bytes_of(self, item):
        """The size of a field, or None."""
        if "contents" in item:
            return len(item["contents"])
        if "size" in item:
            return item["size"] if isinstance(item["size"], int) else None
        if item["type"] in SIZES:
            return SIZES[item["type"]]
        if not isinstance(item["type"], str) or item["type"] not in self.root["types"]:
            return None
        items = self.root["types"][item["type"]]["seq"]
        if all(str(part["type"]).startswith("b") for part in items if "type" in part):
            return sum(int(part["type"][1:]) for part in items) // 8
        return size_of(self.structure(item["type"]))

    def numbers(self, name):
        """An enumeration: the name of each number."""
        return self.root["enums"][name]

    def uses_numbers(self, structure, field):
        """Whether a field has the enumeration of its name."""
        items = {item["id"]: item for item in self.root["types"][structure]["seq"]}
        return items[field].get("enum") == field

    def flags(self, name):
        """The names of flags, by bit, the reserved ones left out."""
        result, bit = {}, 0
        for item in self.root["types"][name]["seq"]:
            if item["id"] != "reserved":
                result[bit] = item["id"]
            bit += int(item["type"][1:])
        return result
