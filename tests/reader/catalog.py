"""Metadata and catalog: the description of a save and of each of its tables (FORMAT.md, sections 3,
4.4 to 5.11)."""

from collections import namedtuple

import schema
from dropped import read_dropped
from extensions import (
    COMPONENT,
    DROPPED,
    OF_CATALOGS,
    OF_TABLES,
    SORT_WORK,
    UNHASHED_DROPPED,
    data_of,
    read_list,
    skim_list,
)
from schema import MAX_NODES_PER_FILE, Schema, read_layout
from wire import Cursor, NeedsNewer, Refused, must

DENSE, STABLE = 0, 1
LIFO, FIFO, LOWEST = 0, 1, 2
PER_SLOT, TABLE_COUNTER = 0, 1
RETIRE, WRAP = 0, 1
NO_NAMES, EXACT, IGNORE_CASE = 0, 1, 2
AT_RELEASE, ON_DEMAND = 0, 1
ONE_RECORD, NOT_HASHED = 1, 2
SWAP, IN_PLACE = 0, 1

MAX_TABLES = MAX_SCHEMAS = 4096
MAX_BLOB_CAPACITY, MAX_BLOB_ALIGNMENT = 1 << 40, 4096

Metadata = namedtuple("Metadata", "sequence play_time_ms date_ms title values")
Catalog = namedtuple(
    "Catalog", "schemas tables highest_type_id extensions dropped unhashed_dropped"
)


def read_metadata(payload):
    cursor = Cursor(payload, "3.1", "the metadata")
    sequence, play_time_ms, date_ms, title = cursor.u64(), cursor.u64(), cursor.i64(), cursor.text()
    pairs = []
    for _ in range(cursor.varint()):
        pairs.append((cursor.text(), cursor.text()))
        must(
            len(pairs) < 2 or pairs[-2][0] < pairs[-1][0],
            "3.1",
            "the keys are not in ascending order",
        )
    cursor.end()
    return Metadata(sequence, play_time_ms, date_ms, title, dict(pairs))


def check_needed_extensions(payload):
    """A catalog with a critical extension that is not known needs a newer reader, whatever else is
    wrong with it, as far as it can be read (section 8)."""
    cursor = Cursor(payload, "3.2", "the catalog")
    for most, skim in ((MAX_SCHEMAS, schema.skim), (MAX_TABLES, skim_table)):
        count = cursor.u32()
        must(count <= most, "9", "there are too many schemas or tables")
        for _ in range(count):
            item = Cursor(cursor.take(cursor.u32()), "3.2", "an item of the catalog")
            try:
                skim(item)
            except NeedsNewer:
                raise
            except Refused:
                continue
    cursor.u16()
    if cursor.left():
        skim_list(cursor, OF_CATALOGS)


def skim_table(cursor):
    """A table descriptor without the meaning of its numbers (section 4.4)."""
    cursor.text(255)
    cursor.take(2 + 4 + 3 + 4 + 1 + 1 + 4 * 8 + 2 * 4 + 1)
    if cursor.u8() == 1:
        cursor.take(8 + 4 + 1)
    cursor.take(4)
    skim_list(cursor, OF_TABLES)


def read_catalog(payload):
    cursor = Cursor(payload, "3.2", "the catalog")
    count = cursor.u32()
    must(count <= MAX_SCHEMAS, "9", "there are too many schemas")
    schemas = [Schema(cursor.take(cursor.u32())) for _ in range(count)]
    must(
        sum(each.nodes for each in schemas) <= MAX_NODES_PER_FILE,
        "9",
        "the schemas have too many nodes",
    )
    count = cursor.u32()
    must(count <= MAX_TABLES, "9", "there are too many tables")
    tables = [Table(cursor.take(cursor.u32()), schemas) for _ in range(count)]
    highest_type_id = cursor.u16()
    extensions = ()
    if cursor.left():
        extensions = read_list(cursor, OF_CATALOGS)
        must(extensions, "3.2", "the catalog ends in an empty list of extensions")
    cursor.end()
    dropped, unhashed_dropped = (
        read_dropped(data_of(extensions, tag), highest_type_id)
        for tag in (DROPPED, UNHASHED_DROPPED)
    )

    names = [table.name for table in tables]
    rising = all(before < after for before, after in zip(names, names[1:]))
    must(rising, "3.2", "tables are not in the order of their names")
    must(
        {table.schema_index for table in tables} == set(range(len(schemas))),
        "3.2",
        "a schema belongs to no table",
    )
    for table in tables:
        if table.owner is not None:
            table.check_owner({other.name: other for other in tables})
    ids = [table.type_id for table in tables if table.type_id]
    must(len(set(ids)) == len(ids), "3.2", "two tables have the same type id")
    must(
        max(ids, default=0) <= highest_type_id,
        "3.2",
        "a type id is above the highest one of the catalog",
    )
    return Catalog(schemas, tables, highest_type_id, extensions, dropped, unhashed_dropped)


class Table:
    """A table descriptor (section 4.4)."""

    def __init__(self, data, schemas):
        cursor = Cursor(data, "4.4", "a table descriptor")
        self.name = cursor.name()
        self.type_id = cursor.u16()
        self.schema_index = cursor.u32()
        must(self.schema_index < len(schemas), "4.4", "a table names a schema that does not exist")
        self.schema = schemas[self.schema_index]
        self.layout = read_layout(cursor, "a table")
        must(self.type_id < 1 << self.layout.type_bits, "4.4", "a type id does not fit the layout")
        self.storage, self.free_policy, self.generations, self.overflow = (
            self.choice(cursor, 2),
            self.choice(cursor, 3),
            self.choice(cursor, 2),
            self.choice(cursor, 2),
        )
        self.flags = cursor.u8()
        must(self.flags & ~(ONE_RECORD | NOT_HASHED) == 0, "4.4", "a table has reserved flags")
        self.group_shift = cursor.u8()
        must(6 <= self.group_shift <= 16, "4.5", "a group shift is not possible")
        self.read_counts(cursor)
        start = cursor.at
        self.names = self.choice(cursor, 3)
        self.blobs = self.choice(cursor, 2)
        if self.blobs:
            self.read_blobs(cursor)
        self.check_fields()
        self.flush_cursor = cursor.u32()
        must(
            self.flush_cursor in range(max(1, self.slots)),
            "4.4",
            "the flush cursor is beyond the slots",
        )
        self.tail = data[start : cursor.at]  # the state hash covers the stored bytes
        self.extensions = read_list(cursor, OF_TABLES)
        cursor.end()
        self.sort_work = data_of(self.extensions, SORT_WORK)
        must(self.sort_work != b"", "5.9", "the sort work of a table is empty")
        must(
            self.sort_work is None or self.storage == DENSE,
            "5.9",
            "a table that is not dense has sort work",
        )
        self.owner, self.removal, self.holes = None, SWAP, 0
        component = data_of(self.extensions, COMPONENT)
        if component is not None:
            self.read_component(component)

    @staticmethod
    def choice(cursor, count):
        number = cursor.u8()
        must(number < count, "4.4", f"a table has a policy {number}, which is unknown")
        return number

    @property
    def row_groups(self):
        return -(-self.slots >> self.group_shift)

    def group_slots(self, group):
        """The slots of a row group."""
        return range(group << self.group_shift, min(group + 1 << self.group_shift, self.slots))

    @property
    def listed(self):
        """The number of entries of the free list, or of holes."""
        if self.owner is not None:
            return self.holes
        return 0 if self.free_policy == LOWEST else self.free

    def read_counts(self, cursor):
        self.slots, self.live, self.retired, self.free = (
            cursor.u64(),
            cursor.u64(),
            cursor.u64(),
            cursor.u64(),
        )
        must(
            self.slots <= self.layout.most_slots,
            "4.4",
            "a table has more slots than its layout can name",
        )
        must(
            self.live + self.retired + self.free <= self.slots,
            "4.4",
            "live, retired and free slots are more than all slots",
        )
        must(
            not self.flags & ONE_RECORD or self.live <= 1,
            "4.4",
            "a singleton has several records",
        )
        self.counter, self.highest_generation = cursor.u32(), cursor.u32()
        last = self.layout.last_generation
        must(
            self.counter <= last and self.highest_generation <= last,
            "4.4",
            "a generation is above the last one of the layout",
        )
        counted = self.generations == TABLE_COUNTER
        must(
            not counted or self.counter <= self.highest_generation,
            "4.4",
            "the counter is above the highest generation",
        )
        must(
            self.highest_generation or not self.live,
            "4.4",
            "slots are live, but no generation was issued",
        )

    def read_blobs(self, cursor):
        self.capacity, self.alignment, self.compaction = (
            cursor.u64(),
            cursor.u32(),
            self.choice(cursor, 2),
        )
        power = self.alignment and self.alignment & (self.alignment - 1) == 0
        must(
            power and self.alignment <= MAX_BLOB_ALIGNMENT,
            "4.4",
            "an alignment is not a power of two, or is above 4096",
        )
        must(
            self.capacity % self.alignment == 0,
            "4.4",
            "a capacity is not a multiple of the alignment",
        )
        must(self.capacity <= MAX_BLOB_CAPACITY, "9", "a buffer is too large")
        must(self.storage == STABLE, "4.4", "a blob table is dense")
        must(not self.flags & ONE_RECORD, "4.4", "a blob table is a singleton")

    def read_component(self, data):
        """What makes a table a component table (section 5.11)."""
        cursor = Cursor(data, "5.11", "the extension of a component table")
        self.owner, self.removal, self.holes = cursor.name(), cursor.u8(), cursor.varint()
        cursor.end()
        must(self.owner != self.name, "5.11", "a component table is its own owner")
        must(self.removal in (SWAP, IN_PLACE), "5.11", "a removal is unknown")
        must(
            self.removal == SWAP or self.storage == DENSE,
            "5.11",
            "a stable table has removal in place",
        )
        must(self.removal == IN_PLACE or not self.holes, "5.11", "a table makes no holes, but has")
        must(self.live + self.holes <= self.slots, "5.11", "live slots and holes are too many")
        own = (
            self.type_id,
            self.free_policy,
            self.generations,
            self.overflow,
            self.flags & ONE_RECORD,
            self.names,
            self.blobs,
            self.retired,
            self.free,
            self.counter,
            self.flush_cursor,
        )
        must(
            not any(own) and self.sort_work is None,
            "5.11",
            "a component table has something that only other tables have",
        )

    def check_owner(self, tables):
        """The owner is there, and has the same slots."""
        owner = tables.get(self.owner)
        must(owner is not None, "5.11", "the owner of a component table is not there")
        must(owner.owner is None, "5.11", "a component table owns components")
        must(
            not owner.blobs and not owner.flags & ONE_RECORD,
            "5.11",
            "the owner is a blob table or a singleton",
        )
        must(
            (owner.layout, owner.slots, owner.highest_generation)
            == (self.layout, self.slots, self.highest_generation),
            "5.11",
            "the owner has another layout, number of slots or highest generation",
        )
        must(self.live <= owner.live, "5.11", "there are more components than records")
        must(
            self.flags & NOT_HASHED or not owner.flags & NOT_HASHED,
            "5.11",
            "the component table is in the state hash, but its owner is not",
        )

    def check_fields(self):
        """Fields whose names begin with @ are where section 4.6 says, and nowhere else."""
        wanted = [(b"@name", schema.STRING)] if self.names else []
        wanted += [(b"@offset", schema.U64), (b"@bytes", schema.OPAQUE)] if self.blobs else []
        fields = self.schema.root.children
        found = [(field.name, field.kind) for field in fields[: len(wanted)] if field.flags == 0]
        must(found == wanted, "4.6", "the schema does not begin with the fields of names and blobs")
        rest = fields[len(wanted) :]
        must(
            not any(field.name.startswith(b"@") for field in rest),
            "4.6",
            "a field has a reserved name",
        )
