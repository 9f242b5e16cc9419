"""The content of a table: slots, records, free list, dense order; the rules for a whole one
(FORMAT.md, section 5)."""

import struct
from dataclasses import dataclass, field

from catalog import AT_RELEASE, DENSE, IGNORE_CASE, LOWEST, PER_SLOT, RETIRE
from columns import SHUFFLE, decode, read_columns, unfilter
from frame import content_of
from wire import Cursor, must

FREE, LIVE, RETIRED, UNISSUED = 0, 1, 2, 3
STATES, GENERATIONS, POSITIONS, FIRST_OF_SCHEMA = 0, 1, 2, 3
FREE_LIST_ENTRIES = 1 << 18


@dataclass
class Content:
    """What the blocks of one table hold. Records and row bytes are by slot, in slot order, in dense
    tables too."""

    states: bytearray = field(default_factory=bytearray)
    generations: list = field(default_factory=list)
    records: dict = field(default_factory=dict)
    row_bytes: dict = field(default_factory=dict)
    positions: dict = field(default_factory=dict)  # dense tables: of each live slot
    free_list: list = field(default_factory=list)  # component tables: the holes
    pack: tuple = None  # the pack that holds them, if any, and how many bytes of its content


def read_content(table, groups, free_parts):
    """Records, slots and lists of a table from the parts of its row groups and of its free list."""
    content = Content()
    positions = {}
    for group, parts in enumerate(groups):
        columns = read_columns(parts, widths_of(table))
        read_group(table, table.group_slots(group), columns, content, positions)
    content.free_list = read_free_list(free_parts)
    return finish(table, content, positions)


def read_packs(block, indices, tables):
    """The content of each table of a pack (section 5.10)."""
    cursor = Cursor(content_of(block), "5.10", "a pack")
    for index in indices:
        must(cursor.varint() == index, "5.10", "a pack does not hold the tables that it should")
        table = tables[index]
        must(table.row_groups == 1, "5.10", "a packed table does not have one row group")
        sizes = {STATES: table.slots, GENERATIONS: 4 * table.slots, POSITIONS: 4 * table.live}
        columns = {}
        for number, width in widths_of(table).items():
            size = sizes[number] if number in sizes else cursor.varint()
            must(size % width == 0, "5.10", "a column has no whole number of values")
            columns[number] = unshuffled(width, cursor.take(size))
        raw_bytes = 4 * table.listed + sum(map(len, columns.values()))
        content = Content(pack=(block, raw_bytes))
        positions = {}
        read_group(table, table.group_slots(0), columns, content, positions)
        free = unshuffled(4, cursor.take(4 * table.listed))
        content.free_list = list(struct.unpack(f"<{table.listed}I", free))
        yield index, finish(table, content, positions)
    cursor.end()


def unshuffled(width, data):
    return data if width == 1 else unfilter(SHUFFLE, width, data, len(data))


def widths_of(table):
    """The columns of a row group of the table, with their widths."""
    own = {STATES: 1, GENERATIONS: 4} | ({POSITIONS: 4} if table.storage == DENSE else {})
    return own | dict(enumerate(table.schema.column_widths, FIRST_OF_SCHEMA))


def finish(table, content, positions):
    check_whole(table, content, positions)
    content.positions = positions
    return content


def check_components(tables, contents):
    """Each component has its record (section 5.11)."""
    places = {table.name: place for place, table in enumerate(tables)}
    for table, content in zip(tables, contents):
        if table.owner is None:
            continue
        owner = contents[places[table.owner]]
        for slot in content.records:
            must(
                owner.states[slot] == LIVE and owner.generations[slot] == content.generations[slot],
                "5.11",
                f"the component of slot {slot} has no record",
            )


def read_group(table, slots, columns, content, positions):
    states, generations = columns.pop(STATES), columns.pop(GENERATIONS)
    there = len(states) == len(slots) and len(generations) == 4 * len(slots)
    must(there, "5.1", "a row group has the wrong number of slots")
    must(all(state <= UNISSUED for state in states), "5.1", "a slot has an unknown state")
    generations = struct.unpack(f"<{len(slots)}I", generations)
    for state, generation in zip(states, generations):
        check_generation(table, state, generation)
    live = [slot for slot, state in zip(slots, states) if state == LIVE]
    if table.storage == DENSE:
        here = columns.pop(POSITIONS)
        must(
            len(here) == 4 * len(live),
            "5.1",
            "the number of positions differs from the number of live slots",
        )
        positions.update(zip(live, struct.unpack(f"<{len(live)}I", here)))
    rows = decode(table.schema.root, len(live), iter(columns.values()))
    content.states += states
    content.generations += generations
    content.records.update(zip(live, rows.values))
    content.row_bytes.update(zip(live, rows.raw))


def check_generation(table, state, generation):
    last = table.layout.last_generation
    if state == LIVE:
        must(
            1 <= generation <= table.highest_generation,
            "5.1",
            "a live slot has a generation that was not issued",
        )
    elif state == FREE:
        must(
            1 <= generation <= table.highest_generation,
            "5.1",
            "a free slot has a generation that was not issued",
        )
        retires = table.generations == PER_SLOT and table.overflow == RETIRE
        must(generation < last or not retires, "5.1", "a free slot has the last generation")
    elif state == UNISSUED:
        must(generation == 0, "5.1", "an unissued slot has a generation")
    else:
        must(generation == last, "5.1", "a retired slot does not have the last generation")


def read_free_list(parts):
    slots = []
    for at, part in enumerate(parts):
        (raw,) = read_columns([part], {0: 4}).values()
        here = len(raw) // 4
        must(here, "5.5", "a block of a free list is empty")
        full = here == FREE_LIST_ENTRIES
        must(
            full or at + 1 == len(parts) and here < FREE_LIST_ENTRIES,
            "5.5",
            "a block of a free list is not full",
        )
        slots += struct.unpack(f"<{here}I", raw)
    return slots


def check_whole(table, content, positions):
    """Sections 5.6 to 5.8."""
    counts = tuple(content.states.count(state) for state in (LIVE, FREE, RETIRED))
    must(
        counts == (table.live, table.free, table.retired),
        "5.6",
        "the numbers of slots differ from those in the descriptor",
    )
    free = [slot for slot, state in enumerate(content.states) if state == FREE]
    if table.free_policy == LOWEST:
        free = []
    must(len(content.free_list) == table.listed, "5.6", "a free list has another length")
    must(
        table.owner is not None or sorted(content.free_list) == free,
        "5.6",
        "the free list does not name every free slot exactly once",
    )
    if table.storage == DENSE:
        holes = content.free_list if table.owner is not None else []
        must(
            sorted([*positions.values(), *holes]) == list(range(table.live + table.holes)),
            "5.6",
            "the positions, with the holes, are not a permutation",
        )
    if table.names:
        # @name is the first field of a record.
        names = [record[0] for record in content.records.values() if record[0]]
        if table.names == IGNORE_CASE:
            names = [name.lower() for name in names]  # of bytes: only A to Z
        must(len(set(names)) == len(names), "5.7", "two records have the same name")
    if table.blobs:
        check_blobs(table, content)


def check_blobs(table, content):
    first = 1 if table.names else 0  # @offset and @bytes come after @name
    end = 0
    for offset, data in sorted(record[first : first + 2] for record in content.records.values()):
        must(offset % table.alignment == 0, "5.8", "a block is not aligned")
        must(offset >= end, "5.8", "two blocks overlap")
        must(
            offset == end or table.compaction != AT_RELEASE,
            "5.8",
            "there is a gap between blocks",
        )
        end = offset + -(-max(len(data), 1) // table.alignment) * table.alignment
    must(end <= table.capacity, "5.8", "a block ends beyond the buffer")
