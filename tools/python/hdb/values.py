"""Values of records in Python, from and to the JSON of hdb_get_json and hdb_set_json."""
from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .tables import Field


@dataclass(frozen=True)
class Handle:
    """A handle of a record. Handles compare by value, and str() is "monsters:7@1".

    Handles of tables come from the table: insert, handles, or Table.handle. Handles in fields are
    these, too; one whose table does not exist has the table None and is "0x..." as text.
    """

    table: str | None
    bits: int
    slot: int = 0
    generation: int = 0

    def __str__(self) -> str:
        if self.bits == 0:
            return "null"
        if self.table is None:
            return f"0x{self.bits:x}"
        return f"{self.table}:{self.slot}@{self.generation}"

    def __bool__(self) -> bool:
        return self.bits != 0


#: The null handle. In a field, None means the same; but an optional that is None has no value.
NULL = Handle(None, 0)


class Variant(NamedTuple):
    """The alternative number `tag` of a variant, and its value."""

    tag: int
    value: Any


def split_handle(text: str) -> tuple[str, int, int]:
    """Table, slot and generation of "monsters:7@1". Raises ValueError if it is something else."""
    table, colon, place = text.rpartition(":")
    slot, at_sign, generation = place.partition("@")
    if not (table and colon and at_sign and slot.isdigit() and generation.isdigit()):
        raise ValueError(f"'{text}' is not a handle: it looks like monsters:7@1")
    return table, int(slot), int(generation)


def _float(kind: str, json: Any) -> float:
    if not isinstance(json, str):  # the text is the shortest one that rounds to the f32
        number = float(json)
        return struct.unpack("<f", struct.pack("<f", number))[0] if kind == "f32" else number
    if not json.startswith("NaN("):
        return float(json)
    bits = int(json[len("NaN("):-1], 16)  # a NaN with other bits than the usual ones
    if kind == "f32":
        bits = bits >> 31 << 63 | 0x7ff << 52 | (bits & 0x7fffff) << 29
    return float(struct.unpack("<d", struct.pack("<Q", bits))[0])


def _nan_text(kind: str, value: float) -> str:
    """The text of a NaN, with its bits if they are not the usual ones."""
    bits = struct.unpack("<Q", struct.pack("<d", value))[0]
    if kind == "f32":
        bits = bits >> 63 << 31 | 0xff << 23 | (bits >> 29 & 0x7fffff)
    return "NaN" if bits in (0x7fc00000, 0x7ff8000000000000) else f"NaN(0x{bits:x})"


def from_json(field: "Field", json: Any, handle: Any) -> Any:
    """The value of a field. `handle(text)` makes a Handle of "monsters:7@1" and "0x..."."""
    kind = field.kind
    if kind == "handle":
        return None if json is None else handle(json)
    if kind in ("f32", "f64"):
        return _float(kind, json)
    if kind == "boolean":
        return json
    if kind == "enum":
        return field.names.get(int(json), int(json))
    if kind in ("string", "opaque"):
        return bytes.fromhex(json["hex"]) if isinstance(json, dict) else json
    if kind == "struct":
        return {each.name: from_json(each, json[each.name], handle) for each in field.children}
    if kind in ("array", "list"):
        return [from_json(field.children[0], each, handle) for each in json]
    if kind == "map":
        pairs = [tuple(from_json(field.children[i], pair[part], handle)
                       for i, part in enumerate(("key", "value"))) for pair in json]
        try:
            return dict(pairs)
        except TypeError:  # keys that have no hash
            return pairs
    if kind == "optional":
        held = field.children[0]
        if json is None:
            return None
        if held.kind in ("handle", "optional") and isinstance(json, list):
            json = json[0]
            if json is None and held.kind == "handle":
                return NULL
        return from_json(held, json, handle)
    if kind == "variant":
        return Variant(json["tag"], from_json(field.children[json["tag"]], json["value"], handle))
    return int(json)


def to_json(field: "Field", value: Any) -> Any:
    """The inverse of from_json. What does not fit is left to hdb, which names the field."""
    kind = field.kind
    if hasattr(value, "item") and not hasattr(value, "__len__"):  # a number of NumPy
        value = value.item()
    if kind == "handle":
        if isinstance(getattr(value, "handle", None), Handle):  # a Record
            value = value.handle
        if isinstance(value, Handle):  # as text with its table, so that hdb refuses another one
            if not value:
                return None
            return f"0x{value.bits:x}" if value.table is None else str(value)
        return value
    if kind in ("f32", "f64") and isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            value = float(value)
        except OverflowError:
            return value
        if math.isnan(value):
            return _nan_text(kind, value)
        if math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        return "-0" if value == 0 and math.copysign(1, value) < 0 else value
    if isinstance(value, (bytes, bytearray)):
        return {"hex": bytes(value).hex()}
    if kind == "struct" and isinstance(value, dict):
        known = {each.name: each for each in field.children}
        return {name: to_json(known[name], each) if name in known else each
                for name, each in value.items()}
    if kind in ("array", "list") and hasattr(value, "__iter__") and not isinstance(value, str):
        return [to_json(field.children[0], each) for each in value]
    if kind == "map" and hasattr(value, "__iter__"):
        pairs = value.items() if isinstance(value, dict) else value
        return [{"key": to_json(field.children[0], key), "value": to_json(field.children[1], each)}
                for key, each in pairs]
    if kind == "optional":
        if value is None:
            return None
        held = to_json(field.children[0], value)
        return [held] if field.children[0].kind in ("handle", "optional") else held
    if kind == "variant" and isinstance(value, Variant):
        known = value.tag < len(field.children)
        return {"tag": value.tag,
                "value": to_json(field.children[value.tag], value.value) if known else None}
    return value


def find_unfit(made: Any, path: str) -> tuple[str, Any] | None:
    """Path and value of the first part of what to_json made that JSON has no form for."""
    if isinstance(made, dict):
        for name, each in made.items():
            if not isinstance(name, str):
                return path, name
            if found := find_unfit(each, f"{path}.{name}" if path else name):
                return found
    elif isinstance(made, (list, tuple)):
        for i, each in enumerate(made):
            if found := find_unfit(each, f"{path}[{i}]"):
                return found
    elif isinstance(made, float):
        return None if math.isfinite(made) else (path, made)
    elif made is not None and not isinstance(made, (bool, int, str)):
        return path, made
    return None
