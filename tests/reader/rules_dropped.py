"""A file for each rule of the handles of dropped tables: a description, the section that it breaks
or None, the file."""

import struct

from build import SMALL, TYPED, WIDE, catalog, descriptor, extensions, file, rows, text
from extensions import MAX_CATALOG_BYTES
from rules_extensions import COLUMN, HASHED, SAFE, SIMPLE
from rules_packs import compressed, with_catalogs
from seal import put_together, reseal
from wire import u32s, varint_bytes

LAST = 65535  # generation of the layout SMALL
MOST = 2**32 - 1  # slots of the layout WIDE


def space(*pairs, type_id=0, layout=SMALL, name="", highest=9, floor=0, count=None):
    """A space with pairs of skips and generations."""
    data = struct.pack("<H", type_id) + bytes(layout) + text(name)
    data += b"".join(map(varint_bytes, (highest, floor, len(pairs) if count is None else count)))
    return data + b"".join(varint_bytes(skip) + varint_bytes(last) for skip, last in pairs)


def content(*spaces, count=None):
    return varint_bytes(len(spaces) if count is None else count) + b"".join(spaces)


def with_catalog(*listed, highest_type_id=0, **options):
    """A file whose catalog has these extensions."""
    list_ = extensions(*listed) if listed else b""
    described = descriptor(SIMPLE, **options)
    one = catalog([SIMPLE], [described], highest_type_id, extensions=list_)
    return file(one, [rows([(0, 1, b"\1"), (1, 4, u32s([1])), (3, *COLUMN[0])])])


def dropped(*spaces, more=b"", highest_type_id=0, tag=1, flags=HASHED | SAFE):
    return with_catalog((tag, flags, content(*spaces) + more), highest_type_id=highest_type_id)


def extension_rules():
    data = content(space(floor=1))
    for tag, right in ((1, HASHED | SAFE), (2, SAFE)):
        for flags in range(8):
            verdict = None if flags == right else "2.7"
            yield f"the tag {tag} of catalogs with flags {flags}", verdict, with_catalog(
                (tag, flags, data)
            )
        yield f"the tag {tag} of catalogs without spaces", "4.9", with_catalog((tag, right, b"\0"))
        yield f"the tag {tag} of catalogs, empty", "4.9", with_catalog((tag, right, b""))
        broken = content(space(highest=0, floor=0))
        yield f"the tag {tag} of catalogs, broken", "4.9", with_catalog((tag, right, broken))
    both = (1, HASHED | SAFE, data), (2, SAFE, data)
    yield "the same space in both extensions", None, with_catalog(*both)
    yield "both extensions and an unknown one", None, with_catalog(*both, (9, HASHED, b"x"))
    yield "dropped handles in the wrong order", "2.7", with_catalog(*reversed(both))
    yield "dropped handles and no table", None, file(
        catalog([], [], 0, extensions((1, HASHED | SAFE, data)))
    )


def space_rules():
    yield "a space with a floor", None, dropped(space(floor=9))
    yield "a space with a slot", None, dropped(space((0, 1)))
    yield "a space with both", None, dropped(space((3, 9), floor=2))
    yield "a slot that is not above the floor", "4.9", dropped(space((0, 1), floor=9))
    yield "a space without handles", "4.9", dropped(space())
    yield "a floor above the highest generation", "4.9", dropped(space(floor=10))
    yield "no highest generation", "4.9", dropped(space(highest=0, floor=0))
    yield "the last generation", None, dropped(space(highest=LAST, floor=LAST))
    yield "a generation above the last", "4.9", dropped(space(highest=LAST + 1, floor=1))
    wide = {"layout": WIDE, "floor": 1}
    yield "the last generation of 31 bits", None, dropped(space(highest=2**31 - 2, **wide))
    yield "a generation above that of 31 bits", "4.9", dropped(space(highest=2**31 - 1, **wide))
    yield "a generation of 64 bits", "4.9", dropped(space(highest=2**64 - 1, **wide))
    yield "a floor of 64 bits", "4.9", dropped(space(floor=2**64 - 1))
    yield "a layout that is not valid", "4.3", dropped(space(layout=(0, 8, 0), floor=1))
    yield "a name", None, dropped(space(name="unit", floor=1))
    yield "a name with control characters", None, dropped(space(name="a\n\0", floor=1))
    yield "a name of 255 bytes", None, dropped(space(name="n" * 255, floor=1))
    yield "a name of 256 bytes", "4.9", dropped(space(name="n" * 256, floor=1))
    yield "a name that is not UTF-8", "1", dropped(space(name=b"\xff", floor=1))
    yield "a highest generation that is not short", "1", dropped(
        space(floor=1)[:-3] + b"\x89\0\1\0"
    )
    yield "one space too few", "4.9", with_catalog(
        (1, HASHED | SAFE, content(space(floor=1), count=2))
    )
    yield "a huge number of spaces", "4.9", with_catalog(
        (1, HASHED | SAFE, content(space(floor=1), count=2**63))
    )
    yield "a byte after the last space", "4.9", dropped(space(floor=1), more=b"\0")
    yield "a space that is cut off", "4.9", dropped(space(floor=1)[:-1])


def slot_rules():
    yield "slots one after another", None, dropped(space((0, 1), (0, 2), (0, 9)))
    yield "slots with others between them", None, dropped(space((5, 1), (1000, 2)))
    yield "a slot without a generation", "4.9", dropped(space((0, 0)))
    yield "a slot above the highest generation", "4.9", dropped(space((0, 10)))
    yield "a slot of 64 bits of generation", "4.9", dropped(space((0, 2**64 - 1)))
    yield "the last slot", None, dropped(space((65535, 1)))
    yield "a slot above the last", "4.9", dropped(space((65536, 1)))
    yield "the last slot after another", None, dropped(space((65534, 1), (0, 1)))
    yield "a slot above the last after another", "4.9", dropped(space((65535, 1), (0, 1)))
    yield "the last slot of 32 bits", None, dropped(space((MOST - 1, 1), layout=WIDE))
    yield "a slot above that of 32 bits", "4.9", dropped(space((MOST, 1), layout=WIDE))
    for skip in (2**64 - 1, 2**64 - 2, 2**32 - 1, 2**63):
        yield f"the skip {skip} after a slot", "4.9", dropped(space((1, 1), (skip, 1)))
    yield "one slot too few", "4.9", dropped(space((0, 1), count=2))
    yield "a huge number of slots", "4.9", dropped(space((0, 1), count=2**64 - 1))
    yield "a skip that is not short", "1", dropped(space(count=1) + b"\x80\0\1")


def type_id_rules():
    typed = {"layout": TYPED, "floor": 1}
    top = 2 ** TYPED[2] - 1
    yield "a space of a type id", None, dropped(space(type_id=3, **typed), highest_type_id=3)
    yield "the highest type id of a space", None, dropped(
        space(type_id=top, **typed), highest_type_id=top
    )
    yield "a type id of a space above its layout", "4.9", dropped(
        space(type_id=top + 1, **typed), highest_type_id=top + 1
    )
    yield "a type id of a space above the highest", "4.9", dropped(
        space(type_id=3, **typed), highest_type_id=2
    )
    yield "type bits, but no type id", "4.9", dropped(space(**typed), highest_type_id=3)
    yield "a type id, but no type bits", "4.9", dropped(
        space(type_id=3, floor=1), highest_type_id=3
    )
    yield "a type id and a name", "4.9", dropped(
        space(type_id=3, name="unit", **typed), highest_type_id=3
    )


def order_rules():
    typed = {"layout": TYPED, "floor": 1}
    small, wide = {"layout": SMALL, "floor": 1}, {"layout": WIDE, "floor": 1}
    rising = [
        space(name="z", **small),
        space(name="", **wide),
        space(name="a", **wide),
        space(name="ab", **wide),
        space(name="\u00e9", **wide),
        space(type_id=1, **typed),
        space(type_id=2, layout=(16, 8, 8), floor=1),
        space(type_id=2, **typed),
    ]
    yield "spaces in order", None, dropped(*rising, highest_type_id=2)
    for at in range(len(rising) - 1):
        first, second = rising[at : at + 2]
        yield f"the spaces {at} and {at + 1}", None, dropped(first, second, highest_type_id=2)
        yield f"the spaces {at + 1} and {at}", "4.9", dropped(second, first, highest_type_id=2)
    yield "a space twice", "4.9", dropped(rising[0], rising[0])
    yield "a space twice with other handles", "4.9", dropped(space(floor=1), space(floor=2))


def hash_rules():
    """The state hash covers the dropped handles that are hashed, and no other."""
    data, other = content(space(floor=1)), content(space(floor=2))
    hashed = (1, HASHED | SAFE, data)

    def with_hash_of(parts, of):
        assert reseal(of)[1] is None
        parts.state_hash = of.state_hash
        return put_together(parts)

    yield "unhashed dropped handles and the state hash without", None, with_hash_of(
        with_catalog((2, SAFE, data)), with_catalog()
    )
    yield "dropped handles and the state hash without", "7", with_hash_of(
        with_catalog(hashed), with_catalog()
    )
    yield "dropped handles and the state hash of others", "7", with_hash_of(
        with_catalog(hashed), with_catalog((1, HASHED | SAFE, other))
    )
    yield "both kinds of dropped handles and the state hash of one", None, with_hash_of(
        with_catalog(hashed, (2, SAFE, other)), with_catalog(hashed)
    )


def size_rules():
    """An extension of a catalog is larger than others."""
    for size, verdict in ((MAX_CATALOG_BYTES, None), (MAX_CATALOG_BYTES + 1, "9")):
        large = with_catalog((9, 0, bytes(size)))
        compact = with_catalogs(large, compressed)
        yield f"an extension of a catalog of {size} bytes", verdict, compact
    many = space(*[(0, 1)] * 40000)
    yield "dropped handles of more than 64 KiB", None, with_catalogs(dropped(many), compressed)


RULES = (
    extension_rules,
    space_rules,
    slot_rules,
    type_id_rules,
    order_rules,
    hash_rules,
    size_rules,
)
