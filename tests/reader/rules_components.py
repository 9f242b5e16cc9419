"""A file for each rule of component tables: a description, the section that it breaks or None, the
file in parts."""

import struct

from build import catalog, descriptor, extensions, file, free_list, i32, root, rows, text
from catalog import DENSE
from rules_packs import pack
from wire import u32s, varint_bytes

SCHEMA = root(i32("a"))
FLAGS = 7  # critical, hashed, safe to copy


def component(owner="e", removal=0, holes=0, flags=FLAGS, more=b""):
    data = text(owner) + bytes([removal]) + varint_bytes(holes) + more
    return extensions((2, flags, data))


def slots_of(table, states, generations, positions=None):
    """The rows of a table whose live slots hold the numbers from 0 on."""
    live = states.count(1)
    columns = [(0, 1, bytes(states)), (1, 4, u32s(generations))]
    if positions is not None:
        columns.append((2, 4, u32s(positions)))
    return rows([*columns, (3, 4, u32s(range(live)))], table)


def pair(extension=component(), owner=None, name="c", more=(), blocks=None, slots=3, **own):
    """Three live records of a table e, generation 2, and a component of the record in slot 1."""
    owner = {"name": "e", "slots": slots, "live": slots, "highest": 2} | (owner or {})
    own = {"slots": slots, "live": 1, "highest": 2, "extensions": extension, "name": name} | own
    described = [descriptor(SCHEMA, **owner), descriptor(SCHEMA, **own)]
    described.sort(key=lambda each: each[1:2])
    if blocks is None:
        blocks = [
            slots_of(0, [3, 1, 3], [0, 2, 0], [0] if own.get("storage") == DENSE else None),
            slots_of(1, [1, 1, 1], [2, 2, 2]),
        ]
        if name > owner["name"]:
            blocks = [slots_of(0, [1, 1, 1], [2, 2, 2]), slots_of(1, [3, 1, 3], [0, 2, 0])]
    return file(catalog([SCHEMA], described, own.get("type_id", 0)), [*blocks, *more])


def owner_rules():
    yield "a component table", None, pair()
    yield "a dense component table", None, pair(storage=DENSE)
    yield "a component table after its owner", None, pair(name="z")
    yield "an owner that is not there", "5.11", pair(component("f"))
    yield "an owner that is the table itself", "5.11", pair(component("c"))
    yield "an owner without a name", "1", pair(component(""))
    yield "an owner that is a component table", "5.11", pair(
        component("e"), owner={"extensions": component("c")}
    )
    yield "an owner that is a singleton", "5.11", pair(
        owner={"flags": 1, "slots": 1, "live": 1}, slots=1, blocks=[]
    )
    yield "an owner of another layout", "5.11", pair(owner={"layout": (16, 16, 0)})
    yield "an owner of more slots", "5.11", pair(owner={"slots": 4})
    yield "an owner of fewer slots", "5.11", pair(owner={"slots": 2, "live": 2})
    yield "an owner of another highest generation", "5.11", pair(owner={"highest": 3})
    yield "more components than records", "5.11", pair(owner={"live": 0, "free": 3})
    yield "an owner that is not hashed", "5.11", pair(owner={"flags": 2})
    yield "an owner and components that are not hashed", None, pair(owner={"flags": 2}, flags=2)
    yield "components that are not hashed", None, pair(flags=2)


def descriptor_rules():
    for flags in (1, 2, 3, 4, 5, 6):
        yield f"a component extension with flags {flags}", "2.7", pair(component(flags=flags))
    yield "a component extension with more bytes", "5.11", pair(component(more=b"\0"))
    yield "a component extension that is cut off", "5.11", pair(
        extensions((2, FLAGS, text("e") + b"\0"))
    )
    yield "a component extension that is empty", "5.11", pair(extensions((2, FLAGS, b"")))
    yield "a removal that is unknown", "5.11", pair(component(removal=2), storage=DENSE)
    yield "a stable table with removal in place", "5.11", pair(component(removal=1))
    yield "removal in place without holes", None, pair(component(removal=1), storage=DENSE)
    yield "holes under swap", "5.11", pair(component(holes=1), storage=DENSE)
    yield "more holes than slots", "5.11", pair(component(removal=1, holes=3), storage=DENSE)
    yield "holes of 64 bits", "5.11", pair(
        component(removal=1, holes=(1 << 64) - 1), storage=DENSE
    )
    typed = {"layout": (32, 16, 15)}
    yield "a component table with a type id", "5.11", pair(
        owner=typed, layout=typed["layout"], type_id=3
    )
    yield "a component table under FIFO", "5.11", pair(fifo=1)
    yield "a component table under lowest", "5.11", pair(fifo=2)
    yield "a component table with a table counter", "5.11", pair(counted=1)
    yield "a component table that wraps", "5.11", pair(wrap=1)
    yield "a component table that is a singleton", "5.11", pair(flags=1)
    yield "a component table with a counter", "5.11", pair(counter=1)
    yield "a component table with a flush cursor", "5.11", pair(cursor=1)
    yield "a component table with free slots", "5.11", pair(free=1)
    yield "a component table with retired slots", "5.11", pair(retired=1)
    sort = extensions((1, 2, b"\1"), (2, FLAGS, text("e") + b"\0\0"))
    yield "a component table with sort work", "5.11", pair(sort, storage=DENSE)


def slot_rules():
    own = slots_of(1, [1, 1, 1], [2, 2, 2])

    def of(states, generations, owner=own, **options):
        return pair(blocks=[slots_of(0, states, generations), owner], **options)

    yield "a component of another generation", "5.11", of([3, 1, 3], [0, 1, 0])
    yield "a component with a generation that was not issued", "5.1", of([3, 1, 3], [0, 3, 0])
    yield "a component without a generation", "5.1", of([3, 1, 3], [0, 0, 0])
    yield "a free slot of a component table", "5.6", of([0, 1, 3], [1, 2, 0])
    yield "a retired slot of a component table", "5.6", of([2, 1, 3], [2147483646, 2, 0])
    yield "two components instead of one", "5.6", of([1, 1, 3], [2, 2, 0])
    for state, generation, counts in ((0, 2, {"free": 1}), (2, 2147483646, {"retired": 1})):
        more = [free_list([1])] if state == 0 else []
        rest = slots_of(1, [1, state, 1], [2, generation, 2])
        if more:
            more[0].table = 1
        yield f"a component of a slot in state {state}", "5.11", pair(
            blocks=[slots_of(0, [3, 1, 3], [0, 2, 0]), rest],
            owner={"live": 2} | counts,
            more=more,
        )
    unissued = slots_of(1, [1, 3, 1], [2, 0, 2])
    yield "a component of an unissued slot", "5.11", pair(
        blocks=[slots_of(0, [3, 1, 3], [0, 2, 0]), unissued], owner={"live": 2}
    )
    every = slots_of(0, [1, 1, 1], [2, 2, 2])
    yield "a component of every record", None, pair(blocks=[every, own], live=3)
    none = slots_of(0, [3, 3, 3], [0, 0, 0])
    yield "no component at all", None, pair(blocks=[none, own], live=0)


def hole_rules():
    own = slots_of(1, [1, 1, 1], [2, 2, 2])

    def holes(listed, position, count=None):
        count = len(listed) if count is None else count
        blocks = [slots_of(0, [3, 1, 3], [0, 2, 0], [position])]
        blocks += [free_list(listed)] if listed else []
        return pair(component(removal=1, holes=count), storage=DENSE, blocks=[*blocks, own])

    yield "a hole before the component", None, holes([0], 1)
    yield "a hole after the component", None, holes([1], 0)
    yield "holes in any order", None, holes([2, 0], 1)
    yield "a hole where a component is", "5.6", holes([1], 1)
    yield "a hole that is too far", "5.6", holes([2], 0)
    yield "a component that is too far", "5.6", holes([0], 2)
    yield "a hole twice", "5.6", holes([0, 0], 1)
    yield "a hole that is not listed", "5.6", holes([], 1, 1)
    packed = varint_bytes(0) + b"\3\1\3" + shuffled([0, 2, 0]) + shuffled([1]) + b"\4" + b"abcd"
    rest = varint_bytes(1) + b"\1\1\1" + shuffled([2, 2, 2]) + b"\x0c" + bytes(12)
    yield "holes in a pack", None, pair(
        component(removal=1, holes=2),
        storage=DENSE,
        blocks=[pack(packed + shuffled([2, 0]) + rest, 0, 2)],
    )
    yield "a pack with too few holes", "5.6", pair(
        component(removal=1, holes=2),
        storage=DENSE,
        blocks=[pack(packed + shuffled([2, 2]) + rest, 0, 2)],
    )


def shuffled(numbers):
    data = struct.pack(f"<{len(numbers)}I", *numbers)
    return b"".join(data[at::4] for at in range(4))


RULES = owner_rules, descriptor_rules, slot_rules, hole_rules
