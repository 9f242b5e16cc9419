"""What dropped tables issued: extensions of the catalog (FORMAT.md, section 4.9)."""

from collections import namedtuple

from schema import read_layout
from wire import Cursor, must

# `generations` has the last generation of single slots, by slot.
Space = namedtuple("Space", "type_id layout name highest floor generations")


def read_dropped(data, highest_type_id):
    """The spaces of handles that dropped tables issued; `data` is None if there are none."""
    if data is None:
        return []
    cursor = Cursor(data, "4.9", "a list of dropped handles")
    count = cursor.varint()
    must(count, "4.9", "a list of dropped handles is empty")
    spaces, before = [], None
    for _ in range(count):
        space = read_space(cursor, highest_type_id)
        key = space.type_id, space.layout.bits, space.name
        must(before is None or before < key, "4.9", "spaces of handles are not in order")
        before = key
        spaces.append(space)
    cursor.end()
    return spaces


def read_space(cursor, highest_type_id):
    """Handles that cannot be distinguished."""
    type_id, layout, name = cursor.u16(), read_layout(cursor, "a space"), cursor.text(255)
    if layout.type_bits:
        must(
            0 < type_id < 1 << layout.type_bits,
            "4.9",
            "the type id of a space does not fit its layout",
        )
        must(type_id <= highest_type_id, "4.9", "the type id of a space is above the highest one")
        must(not name, "4.9", "a space has a type id and a name")
    else:
        must(type_id == 0, "4.9", "a space has a type id, but its layout has none")
    highest, floor = cursor.varint(), cursor.varint()
    must(
        1 <= highest <= layout.last_generation,
        "4.9",
        "the highest generation of a space is not possible",
    )
    must(floor <= highest, "4.9", "the floor of a space is above its highest generation")
    count = cursor.varint()
    must(floor or count, "4.9", "a space has no handles")
    slot, generations = -1, {}
    for _ in range(count):
        slot += 1 + cursor.varint()
        must(slot < layout.most_slots, "4.9", "a slot of a space is too large")
        generation = cursor.varint()
        must(floor < generation <= highest, "4.9", "a generation of a space is not possible")
        generations[slot] = generation
    return Space(type_id, layout, name, highest, floor, generations)
