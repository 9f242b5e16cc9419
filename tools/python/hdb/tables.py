"""Tables, their fields and their records."""
from __future__ import annotations

import array
import ctypes
import json
import operator
from ctypes import byref, c_size_t, c_uint32, c_uint64, c_void_p
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterable, Iterator

from . import values
from ._library import Error, HdbField, HdbTableOptions, NotFoundError, encoded, library, sized
from .values import NULL, Handle

if TYPE_CHECKING:
    from .database import Database

_KINDS = ["", "boolean", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64",
          "char8", "char16", "char32", "enum", "handle", "string", "struct", "array", "list",
          "optional", "variant", "map", "opaque"]
# The types of columns: of array.array, and of NumPy.
_CODES = {"boolean": ("B", "?"), "i8": ("b", "i1"), "i16": ("h", "i2"), "i32": ("i", "i4"),
          "i64": ("q", "i8"), "u8": ("B", "u1"), "u16": ("H", "u2"), "u32": ("I", "u4"),
          "u64": ("Q", "u8"), "f32": ("f", "f4"), "f64": ("d", "f8"), "char8": ("B", "u1"),
          "char16": ("H", "u2"), "char32": ("I", "u4")}

Key = Handle | str  #: A handle, its text "monsters:7@1", or the name of a record.


@dataclass(frozen=True)
class Field:
    """A field of a record, with its children: of structs the fields, of lists the element."""

    name: str
    kind: str                   #: "i32", "f64", "enum", "handle", "string", "struct", "list", ...
    children: tuple["Field", ...]
    count: int                  #: Of an array.
    table: str | None           #: Of a handle: the table that it refers to.
    names: dict[int, str]       #: Of an enum: the names of its numbers.

    @staticmethod
    def _read(raw: HdbField) -> "Field":
        kind = _KINDS[raw.kind]
        children = tuple(Field._read(raw.children[i]) for i in range(raw.child_count))
        names = {}
        for i in range(raw.value_count):
            number = raw.value_numbers[i]
            width = {"8": 8, "6": 16, "2": 32, "4": 64}[children[0].kind[-1]]
            if children[0].kind[0] == "i" and number >> (width - 1):
                number -= 1 << width
            names[number] = raw.value_names[i].decode()
        return Field((raw.name or b"").decode(), kind, children, raw.count,
                     raw.table.decode() if raw.table else None, names)


class Table:
    """A table of a database. Made by Database; good until the database is closed.

    len() is the number of records; iteration gives a Record for each, in the order of the table. A
    record is found by its handle, the text of the handle, or its name.
    """

    def __init__(self, database: "Database", pointer: int) -> None:
        self._database = database
        self._table = c_void_p(pointer)
        raw = sized(HdbTableOptions)
        library.table_describe(self._table, byref(raw))
        self.name: str = library.table_name(self._table).decode()
        self.fields = tuple(Field._read(raw.fields[i]) for i in range(raw.field_count))
        self.has_names: bool = raw.names != 0
        self.is_singleton: bool = raw.is_singleton != 0
        #: The table whose records this one gives components; None for other tables.
        self.owner: str | None = None
        if raw.owner:
            self.owner = library.table_name(c_void_p(raw.owner)).decode()
        self._layout = raw.layout
        self._type_id: int = raw.type_id
        self._root = Field("", "struct", self.fields, 0, None, {})

    def __repr__(self) -> str:
        return f"<hdb.Table {self.name!r}: {len(self)} records>"

    @property
    def _pointer(self) -> c_void_p:
        self._database._check_open()
        return self._table

    # --- handles

    def handle(self, slot: int, generation: int) -> Handle:
        """The handle of this slot and generation, whether or not the record exists. Raises
        ValueError if no handle of the table has them."""
        owner = self._database[self.owner] if self.owner else self
        layout = owner._layout
        if not (0 <= slot < 1 << layout.index_bits
                and 0 <= generation < 1 << layout.generation_bits):
            raise ValueError(f"hdb: {slot}@{generation} is not a handle of table '{owner.name}': "
                             f"slots are from 0 to {(1 << layout.index_bits) - 1}, generations "
                             f"from 0 to {(1 << layout.generation_bits) - 1}")
        bits = slot | generation << layout.index_bits
        if layout.type_bits:
            bits |= owner._type_id << layout.index_bits + layout.generation_bits
        return Handle(owner.name, bits, slot, generation)

    def handle_of(self, bits: int) -> Handle:
        """The handle of these bits, as `handle_bits` and columns have them, whether or not the
        record exists. NULL for 0. Raises ValueError if no handle of the table has such bits."""
        bits = operator.index(bits)
        if bits == 0:
            return NULL
        made = self._handle_of(bits)
        if self.handle(made.slot, made.generation).bits != bits:
            raise ValueError(f"hdb: 0x{bits:x} is not a handle of table '{made.table}'")
        return made

    def _handle_of(self, bits: int) -> Handle:
        owner = self._database[self.owner] if self.owner else self
        layout = owner._layout
        return Handle(owner.name, bits, bits & (1 << layout.index_bits) - 1,
                      bits >> layout.index_bits & (1 << layout.generation_bits) - 1)

    def handles(self) -> list[Handle]:
        """The handles of all records, in the order of the table."""
        return [self._handle_of(bits) for bits in self.handle_bits().tolist()]

    def handle_bits(self) -> Any:
        """As handles, but as numbers: an array like that of `column`."""
        count = len(self)
        result, address = _new_array("u64", count)
        library.read_handles(self._pointer, address, count)
        return result

    def find(self, name: str) -> Handle | None:
        """The handle of the record with this name; None if no record has it."""
        text = encoded(name, "the name of a record", any_bytes=True)
        bits = library.find_named(self._pointer, text, len(text))
        return self._handle_of(bits) if bits else None

    def _key(self, key: Key) -> Handle:
        if isinstance(key, Handle):  # the bits may name a record of any table
            if key.table != (self.owner or self.name) or not 0 <= key.bits < 1 << 64:
                raise self._not_own(key)
            return key
        if not isinstance(key, str):
            raise TypeError("hdb: a record is found by its handle, the text of the handle, or its "
                            f"name, not by {type(key).__name__}")
        if self.has_names and (found := self.find(key)):
            return found
        try:
            table, slot, generation = values.split_handle(key)
        except ValueError:
            raise NotFoundError("not_found", f"table '{self.name}' has no record '{key}'",
                                where=f"table '{self.name}'", next_step="give a handle, its text, "
                                "or the name of a record") from None
        if table != (self.owner or self.name):
            raise self._not_own(key)
        try:
            return self.handle(slot, generation)
        except ValueError:
            raise self._not_own(key) from None

    def _not_own(self, key: Key) -> NotFoundError:
        return NotFoundError("not_found", f"{key} is not a handle of table '{self.name}'",
                             where=f"table '{self.name}'",
                             next_step=f"give a handle of table '{self.owner or self.name}'")

    # --- records

    def __len__(self) -> int:
        return int(library.count(self._pointer))

    def __iter__(self) -> Iterator["Record"]:
        return (Record(self, handle) for handle in self.handles())

    def __contains__(self, key: Key) -> bool:
        try:
            handle = self._key(key)
        except NotFoundError:
            return False
        return library.find(self._pointer, handle.bits, None) is not None

    def __getitem__(self, key: Key) -> "Record":
        """The record. Raises NotFoundError if it does not exist."""
        handle = self._key(key)
        if library.find(self._pointer, handle.bits, None) is None:
            raise NotFoundError("not_found", f"{handle}: the handle names no record of table "
                                f"'{self.name}'", where=str(handle),
                                next_step="look the record up again: it may have been erased")
        return Record(self, handle)

    def insert(self, fields: dict[str, Any] | None = None, *, name: str | None = None,
               owner: Handle | None = None) -> "Record":
        """Inserts a record of these fields; those that are missing have their defaults. `name`: in
        a table with names. `owner`: in a component table, the record that gets the component.
        Raises Error if a field does not exist or a value does not fit; nothing has changed then."""
        text = _json_text(self._root, fields or {}, "", f"a record of table '{self.name}'")
        if owner is not None:
            owner = self._key(owner)
            library.insert_component_json(self._pointer, owner.bits, text)
            return Record(self, owner)
        its_name = encoded("" if name is None else name, "the name of a record", any_bytes=True)
        made = c_uint64()
        library.insert_json(self._pointer, its_name, len(its_name), text, byref(made))
        return Record(self, self._handle_of(made.value))

    def erase(self, key: Key) -> None:
        """Erases a record. Its handle is stale for ever."""
        library.erase(self._pointer, self._key(key).bits)

    def clear(self) -> None:
        """Erases all records."""
        library.clear(self._pointer)

    # --- columns

    def column_paths(self) -> list[str]:
        """The paths of all columns: the fields of fixed size that each record has once."""
        found: list[str] = []

        def walk(field: Field, path: str) -> None:
            if field.kind == "struct":
                for child in field.children:
                    walk(child, f"{path}.{child.name}" if path else child.name)
            elif field.kind in _CODES or field.kind in ("enum", "handle"):
                found.append(path)

        walk(self._root, "")
        return found

    def column(self, path: str) -> Any:
        """A field of all records, in the order of the table: a NumPy array in the type of the
        field, or an array.array without NumPy. Enumerations are their numbers, handles their bits.
        Raises Error if the field does not exist or is not a column."""
        kind = c_uint32()
        its_path = encoded(path, "the path of a field")
        try:
            library.column_kind(self._pointer, its_path, byref(kind))
        except Error as error:
            if error.code == "type_mismatch":
                error.next_step = (f"read the field record by record, as [record[{path!r}] for "
                                   "record in table]; column_paths() lists the columns")
            raise
        count = len(self)
        result, address = _new_array(_KINDS[kind.value], count)
        library.read_column(self._pointer, its_path, kind, address, count)
        return result

    def to_pandas(self, paths: Iterable[str] | None = None) -> Any:
        """A pandas.DataFrame of columns (default: all), with the texts of handles as index. Raises
        ImportError without pandas."""
        import pandas
        columns = {path: self.column(path)
                   for path in (self.column_paths() if paths is None else paths)}
        return pandas.DataFrame(columns, index=[str(handle) for handle in self.handles()])


class Record:
    """A record of a table. It refers to the table: what is read is what is there now."""

    __slots__ = ("table", "handle")

    def __init__(self, table: Table, handle: Handle) -> None:
        self.table = table
        self.handle = handle

    def __repr__(self) -> str:
        return f"<hdb.Record {self.handle} of {self.table.name!r}>"

    def __getitem__(self, path: str) -> Any:
        """The value at a path: record["hp"], record["pos.x"], record["items[3].name"].
        Numbers are int and float, enumerations their names (or numbers), handles Handle or None,
        structs dict, lists list, maps dict, optionals None or the value, variants Variant."""
        out = c_void_p()
        its_path = encoded(path, "the path of a field")
        library.get_json(self.table._pointer, self.handle.bits, its_path, byref(out))
        read = json.loads(library.take_text(out))
        return values.from_json(self._field(path), read, self.table._database._handle)

    def __setitem__(self, path: str, value: Any) -> None:
        """Sets the value at a path. Members of structs that a dict lacks keep their values. Raises
        Error if the value does not fit; nothing has changed then. A handle field also takes the
        Record itself."""
        its_path = encoded(path, "the path of a field")
        text = _json_text(self._field(path), value, path, str(self.handle))
        library.set_json(self.table._pointer, self.handle.bits, its_path, text)

    def value(self) -> dict[str, Any]:
        """All fields."""
        return self[""]

    def update(self, fields: dict[str, Any]) -> None:
        """Sets several fields as one change."""
        self[""] = fields

    @property
    def name(self) -> str | None:
        """The name of the record; None if it has none. Can be set, also to None."""
        size = c_size_t()
        text = library.name(self.table._pointer, self.handle.bits, byref(size))
        return ctypes.string_at(text, size.value).decode(errors="replace") if text else None

    @name.setter
    def name(self, name: str | None) -> None:
        text = encoded("" if name is None else name, "the name of a record", any_bytes=True)
        library.rename(self.table._pointer, self.handle.bits, text, len(text))

    def erase(self) -> None:
        """Erases the record."""
        self.table.erase(self.handle)

    def _field(self, path: str) -> Field:
        """The field at a path of hdb. Of an unknown path an empty struct: hdb reports it."""
        try:
            return self._known_field(path)
        except (IndexError, ValueError):  # "hp[0]" and "notes[", "either<x>"
            return Field("", "unknown", (), 0, None, {})

    def _known_field(self, path: str) -> Field:
        field = self.table._root
        for name, index in _steps(path):
            while field.kind == "optional" and name is not None:
                field = field.children[0]
            if name is not None:
                found = [each for each in field.children if each.name == name]
                if field.kind == "map" and name in ("key", "value"):
                    found = [field.children[name == "value"]]
                field = found[0]
            elif index == "?":
                field = field.children[0]
            elif index.startswith("<"):
                field = field.children[int(index[1:-1])]
            elif field.kind == "map":  # [3] is a pair, ['key'] the value
                if index[1] in "'\"" or not index[1:-1].isdigit():
                    field = field.children[1]
            else:
                field = field.children[0]
        return field


def _steps(path: str) -> Iterator[tuple[str | None, str]]:
    """The parts of a path: names of fields, and "[3]", "<2>", "?"."""
    at = 0
    while at < len(path):
        if path[at] == "[":
            end = at + 1
            if end < len(path) and path[end] in "'\"":
                end = path.find(path[end] + "]", end + 1)
                end = len(path) if end < 0 else end + 2
            else:
                end = path.find("]", end)
                end = len(path) if end < 0 else end + 1
            yield None, path[at:end]
        elif path[at] == "<":
            end = path.find(">", at)
            end = len(path) if end < 0 else end + 1
            yield None, path[at:end]
        elif path[at] == "?":
            end = at + 1
            yield None, "?"
        elif path[at] == ".":
            end = at + 1
        else:
            end = at
            while end < len(path) and path[end] not in ".[<?":
                end += 1
            yield path[at:end], ""
        at = end


def _json_text(field: Field, value: Any, path: str, of: str) -> bytes:
    """The value of the field at a path as JSON for hdb, which checks it. Raises Error for a NaN or
    an infinity that no float field gets, and TypeError for what no field can hold."""
    made = values.to_json(field, value)
    try:
        return json.dumps(made, allow_nan=False).encode()
    except (TypeError, ValueError):
        unfit = values.find_unfit(made, path)
        if unfit is None:
            raise
    path, part = unfit
    where = f"field '{path}' of {of}" if path else of
    if isinstance(part, float):
        raise Error("invalid_value", f"{part} is not a value of {where}", where,
                    next_step="give a number or text that fits; only f32 and f64 hold NaN and "
                              "infinities")
    raise TypeError(f"hdb: {where} cannot hold a value of type {type(part).__name__}")


def _new_array(kind: str, count: int) -> tuple[Any, c_void_p]:
    """An array of NumPy or of array.array, and its address."""
    code, dtype = _CODES[kind]
    try:
        import numpy
    except ImportError:
        result = array.array(code, bytes(array.array(code).itemsize * count))
        return result, c_void_p(result.buffer_info()[0] if count else None)
    made = numpy.empty(count, dtype)
    return made, c_void_p(made.ctypes.data)
