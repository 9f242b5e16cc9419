"""Schemas: the tree of the fields of a table's records, read from the catalog (FORMAT.md, sections
4.1 to 4.3)."""

import struct
from dataclasses import dataclass, field

from extensions import (
    ENUM_NAMES,
    OF_NODES,
    TYPE_NAME,
    check_name,
    data_of,
    hashed,
    list_bytes,
    read_list,
    skim_list,
)
from wire import Cursor, hash128, is_name, must

BOOL, I8, I16, I32, I64, U8, U16, U32, U64, F32, F64, CHAR8, CHAR16, CHAR32 = range(1, 15)
ENUM, HANDLE, STRING, STRUCT, ARRAY, LIST, OPTIONAL, VARIANT, MAP, OPAQUE = range(15, 25)

# How a value of a type with a width is unpacked; enums and handles follow from the parts below
# them.
CODES = {
    BOOL: "B",
    I8: "b",
    I16: "h",
    I32: "i",
    I64: "q",
    U8: "B",
    U16: "H",
    U32: "I",
    U64: "Q",
    F32: "f",
    F64: "d",
    CHAR8: "B",
    CHAR16: "H",
    CHAR32: "I",
}
INTEGERS = (I8, I16, I32, I64, U8, U16, U32, U64)
WIDTHS = {"B": 1, "b": 1, "h": 2, "H": 2, "i": 4, "I": 4, "f": 4, "q": 8, "Q": 8, "d": 8}

# Flags of a node: each of the first three belongs to one type.
VERSIONED, UTF8_CHECKED, STRONG, EXTENDED = 1, 2, 4, 8
FLAG_OF = {STRUCT: VERSIONED, STRING: UTF8_CHECKED, HANDLE: STRONG}

MIN_BYTES = 3  # of a node
MAX_DEPTH, MAX_NODES, MAX_NODES_PER_FILE = 32, 16384, 262144
MAX_ARRAY_COUNT, MAX_FIXED_ROW_BYTES = 1 << 20, 16 << 20


@dataclass(frozen=True)
class Layout:
    """How a handle's bits are divided: index lowest, then generation, then type id (section
    4.3)."""

    index_bits: int
    generation_bits: int
    type_bits: int

    @property
    def bits(self):
        return self.index_bits, self.generation_bits, self.type_bits

    @property
    def code(self):
        """The struct code of a handle."""
        return "H" if sum(self.bits) <= 16 else "I" if sum(self.bits) <= 32 else "Q"

    @property
    def last_generation(self):
        return 2**31 - 2 if self.generation_bits == 31 else 2**self.generation_bits - 1

    @property
    def most_slots(self):
        return min(2**self.index_bits, 2**32 - 1)

    def split(self, handle):
        """Slot, generation and type id of a handle; none if no table can have issued it."""
        parts = []
        for bits in self.bits:
            parts.append(handle & (1 << bits) - 1)
            handle >>= bits
        return None if handle or parts[0] >= 2**32 else parts


def read_layout(cursor, what):
    index, generation, type_id = cursor.u8(), cursor.u8(), cursor.u8()
    sound = (
        index >= 1
        and 1 <= generation <= 31
        and type_id <= 16
        and index + generation + type_id <= 64
    )
    must(sound, "4.3", f"{what} has a layout of {index}, {generation} and {type_id} bits")
    return Layout(index, generation, type_id)


@dataclass
class Node:
    """One field, or a part of one."""

    kind: int
    flags: int
    name: bytes
    children: list = field(default_factory=list)
    count: int = 0  #of the elements of an array
    names: dict = None  # of an enum: names by numbers
    type_name: bytes = None
    extensions: tuple = ()
    layout: Layout = None  # of a handle
    table: bytes = b""  # of a handle

    @property
    def own_flags(self):
        """The flags that belong to one type."""
        return self.flags & ~EXTENDED

    @property
    def code(self):
        """The struct code of a type with a width, else None."""
        if self.kind == ENUM:
            return self.children[0].code
        return self.layout.code if self.kind == HANDLE else CODES.get(self.kind)

    @property
    def fixed_bytes(self):
        """Fixed-width data of a value (section 4.5)."""
        if self.code:
            return WIDTHS[self.code]
        if self.kind == STRUCT:
            return sum(child.fixed_bytes for child in self.children)
        return self.count * self.children[0].fixed_bytes if self.kind == ARRAY else 0

    def column_widths(self):
        """The widths of the columns of this field, in pre-order (section 5.1)."""
        if self.code:
            return [WIDTHS[self.code]]
        below = [width for child in self.children for width in child.column_widths()]
        if self.kind in (STRING, OPAQUE):
            return [1, 1]  # lengths, bytes
        return below if self.kind in (STRUCT, ARRAY) else [1] + below  # lengths, presence or tags


def read_enum_names(node, data):
    """The names of the values of an enum (section 4.7); `data` is None if there are none."""
    if data is None:
        return
    must(node.kind == ENUM, "2.7", "a node that is no enum has enum names")
    cursor = Cursor(data, "4.7", "a list of enum names")
    code = "<" + node.code
    node.names = {}
    last = None
    for _ in range(cursor.varint()):
        (number,) = struct.unpack(code, cursor.take(struct.calcsize(code)))
        name = cursor.name()
        must(last is None or last < number, "4.7", "a number of an enum does not rise")
        last = number
        node.names[number] = name
    cursor.end()
    must(node.names, "4.7", "a list of enum names is empty")
    must(
        len(set(node.names.values())) == len(node.names), "4.7", "two enum values have one name"
    )


def read_type_name(node, data, depth):
    """The name of the type of a field's values (section 4.8); `data` is None if there is none."""
    if data is None:
        return
    must(depth > 1, "2.7", "the root has a type name")
    check_name(data, "4.8", "the name of a type")
    node.type_name = data


def check_count(count, cursor):
    """Refuses a number of nodes that cannot be there."""
    must(count <= MAX_NODES, "9", "a schema has too many nodes")
    must(count <= cursor.left() // MIN_BYTES, "4.2", "a schema has fewer bytes than nodes")


def skim(cursor, depth=1, nodes=1):
    """A node and those below it, without the meaning of its numbers (section 4.2). Returns the
    number of the next node; this one has the number `nodes`."""
    kind, flags = cursor.u8(), cursor.u8()
    cursor.text(255)
    sound = BOOL <= kind <= OPAQUE and flags < 2 * EXTENDED
    must(sound, "4.2", "a node cannot be read")
    must(depth <= MAX_DEPTH and nodes <= MAX_NODES, "9", "a schema has too many nodes")
    count = 0
    if kind == STRUCT:
        if flags & VERSIONED:
            cursor.u32()
        count = cursor.varint()
    elif kind == VARIANT:
        count = cursor.u8()
    elif kind == HANDLE:
        cursor.take(3)
        cursor.text(255)
    elif kind == ARRAY:
        cursor.varint()
        count = 1
    elif kind in (ENUM, LIST, OPTIONAL, MAP):
        count = 2 if kind == MAP else 1
    check_count(count, cursor)
    nodes += 1
    for _ in range(count):
        nodes = skim(cursor, depth + 1, nodes)
    if flags & EXTENDED:
        skim_list(cursor, OF_NODES)
    return nodes


class Schema:
    """The root of a tree of fields, and what follows from it."""

    def __init__(self, data):
        self.nodes = 0
        self.cuts = []  # what the fingerprint has in place of stored bytes: first, end, bytes
        cursor = Cursor(data, "4.2", "a schema")
        self.root = self.read_node(cursor, 1)
        cursor.end()
        self.fingerprint = hash128(self.hashed_bytes(data))
        must(
            self.root.kind == STRUCT and not self.root.name,
            "4.2",
            "the root is not a struct without a name",
        )
        must(self.root.fixed_bytes <= MAX_FIXED_ROW_BYTES, "9", "a record has too many bytes")
        self.column_widths = self.root.column_widths()

    @property
    def is_of_blobs(self):
        """Whether tables of this schema are blob tables: only they have fields with these names
        (section 4.6)."""
        return any(field.name == b"@offset" for field in self.root.children)

    def hashed_bytes(self, data):
        """The bytes of the schema without the extensions that are not hashed (section 4.2)."""
        for first, end, kept in sorted(self.cuts, reverse=True):
            data = data[:first] + kept + data[end:]
        return data

    def read_node(self, cursor, depth):
        start = cursor.at
        node = self.read_field(cursor, depth)
        if node.flags & EXTENDED:
            first = cursor.at
            extensions = read_list(cursor, OF_NODES)
            must(extensions, "4.2", "an extended node has no extensions")
            node.extensions = extensions
            read_enum_names(node, data_of(extensions, ENUM_NAMES))
            read_type_name(node, data_of(extensions, TYPE_NAME), depth)
            kept = hashed(extensions)
            self.cuts.append((first, cursor.at, list_bytes(kept) if kept else b""))
            if not kept:
                self.cuts.append((start + 1, start + 2, bytes([node.own_flags])))
        return node

    def read_field(self, cursor, depth):
        """A node without its extensions."""
        self.nodes += 1
        must(
            self.nodes <= MAX_NODES and depth <= MAX_DEPTH,
            "9",
            "a schema has too many nodes or is too deep",
        )
        node = Node(cursor.u8(), cursor.u8(), cursor.text(255))
        must(BOOL <= node.kind <= OPAQUE, "8", f"there is no field type {node.kind}")
        must(
            node.own_flags & ~FLAG_OF.get(node.kind, 0) == 0,
            "4.2",
            f"a field of type {node.kind} has flags {node.flags}",
        )
        if node.kind == STRUCT:
            if node.flags & VERSIONED:
                cursor.u32()
            self.read_children(cursor, node, cursor.varint(), depth)
            names = [child.name for child in node.children]
            must(all(map(is_name, names)), "4.2", "a child of a struct has no name")
            must(
                len(set(names)) == len(names), "4.2", "two children of a struct have the same name"
            )
        elif node.kind == VARIANT:
            count = cursor.u8()
            must(count >= 1, "4.2", "a variant has no alternatives")
            self.read_children(cursor, node, count, depth)
            names = [child.name for child in node.children]
            sound = all(not name or is_name(name) for name in names)
            must(sound, "4.2", "an alternative's name has control characters")
        elif node.kind == HANDLE:
            node.layout = read_layout(cursor, "a handle")
            node.table = cursor.text(255)
            must(
                not node.table or is_name(node.table),
                "4.2",
                "the table of a handle is not a valid name",
            )
        elif node.kind in (ARRAY, ENUM, LIST, OPTIONAL, MAP):
            if node.kind == ARRAY:
                node.count = cursor.varint()
                must(
                    1 <= node.count <= MAX_ARRAY_COUNT, "4.2", f"an array has {node.count} elements"
                )
            self.read_children(cursor, node, 2 if node.kind == MAP else 1, depth)
            named = any(child.name for child in node.children)
            must(not named, "4.2", f"the content of a field of type {node.kind} holds has a name")
            if node.kind == ENUM:
                must(
                    node.children[0].kind in INTEGERS,
                    "4.2",
                    "the child of an enum is not an integer",
                )
            elif node.kind != OPTIONAL:
                must(
                    any(child.column_widths() for child in node.children),
                    "4.2",
                    "an array of such elements has no columns",
                )
        return node

    def read_children(self, cursor, node, count, depth):
        check_count(count, cursor)
        node.children = [self.read_node(cursor, depth + 1) for _ in range(count)]
