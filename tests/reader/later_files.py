"""Files of later versions of the format, with what FORMAT.md promises of each (sections 2.1 to 2.3,
2.7, 8.3, 8.5, 8.6, 11): a reader of this version accepts it, needs a newer one, or finds it
corrupt."""

import random
from dataclasses import dataclass, field

import frame
from build import catalog, descriptor, extended, extensions, file, i32, node, root, rows
from catalog import DENSE
from columns import chunk_id
from rules_packs import compressed, with_catalogs
from seal import Chunk, Part, put_together, reseal, sealed
from wire import u32s

CRITICAL, HASHED, SAFE = 1, 2, 4
SOUND, NEWER, CORRUPT = "sound", "newer", "corrupt"
METADATA, FIRST_CATALOG, ROWS, OTHER_ROWS, SECOND_CATALOG = range(5)  # blocks of a file
COLUMN = 3  # the first one of a schema
LATER = 1, 1  # a version
MIXED = 40  # files that are put together by chance
FIRST_TAG = 9  # of the additions


# How a load may end, by what it leaves out; `keep` stands for LoadOptions::keep_unknown. With state
# it is refused, or says so; without "more" it says so.
REFUSED = "refused newer "
LOADS = {
    "": {"exact": ["loaded same"], "fork": ["loaded same"], "keep": ["loaded same"]},
    "more": {"exact": ["loaded same "], "fork": ["loaded same "], "keep": ["loaded same "]},
    "state": {
        "exact": [REFUSED],
        "fork": ["loaded other ", "loaded same "],
        "keep": [REFUSED],
    },
    "table": {
        "exact": ["loaded other without c"],
        "fork": ["loaded other without c"],
        "keep": ["loaded same keeps c"],
    },
    "sort": dict.fromkeys(("exact", "fork", "keep"), ["loaded other a::1"]),
}


@dataclass
class Later:
    """A file, and what must become of it. What is wrong or newer may be in an unknown block, which
    a decoder reads only to check the whole file or to copy the block: `skips` is then the block's
    flags."""

    what: str
    data: bytes
    verdict: str
    loses: str = ""  # what a load leaves out: a key of LOADS
    is_read_only: bool = False
    skips: int = None
    limits: dict = field(default_factory=dict)  # verdicts of a load, by the limit that is lowered


def save(schema_bytes=root(i32("a")), *, of_catalog=b"", columns=None, **options):
    """A file of two tables, `a` and `b`, with two records each. The schema, the columns and the
    options are those of `a`."""
    described = [
        descriptor(name="a", **{"slots": 2, "live": 2} | options),
        descriptor(name="b", schema_index=1, slots=2, live=2),
    ]
    schemas = [schema_bytes, root(i32("a"))]
    slots = [(0, 1, b"\1\1"), (1, 4, u32s([1, 1]))]
    own = columns or [(COLUMN, 4, u32s([11, 12]))]
    blocks = [rows(slots + own, 0), rows([*slots, (COLUMN, 4, u32s([21, 22]))], 1)]
    return file(catalog(schemas, described, extensions=of_catalog), blocks)


def save_three(schema_bytes=root(i32("a")), list_=b"\0"):
    """A file with a third table, `c`, that the game does not have."""
    parts = save()
    described = [
        descriptor(name="a", slots=2, live=2),
        descriptor(name="b", slots=2, live=2),
        descriptor(name="c", schema_index=1, slots=2, live=2, extensions=list_),
    ]
    for at in (FIRST_CATALOG, SECOND_CATALOG):
        parts.blocks[at].content = catalog([root(i32("a")), schema_bytes], described)
    slots = [(0, 1, b"\1\1"), (1, 4, u32s([1, 1])), (COLUMN, 4, u32s([31, 32]))]
    parts.blocks.insert(SECOND_CATALOG, rows(slots, 2))
    return parts


def bits(parts, incompatible=0, read_only=0, compatible=0, version=LATER):
    parts.features = incompatible, read_only, compatible
    parts.version = version
    return parts


def unknown(parts, at=ROWS, **head):
    """The file with an unknown block before one of its blocks."""
    block = Part(**{"type": 7, "flags": frame.SAFE_TO_COPY, "content": b"later"} | head)
    parts.blocks.insert(at, block)
    return parts


def with_block(parts, at, **fields):
    for name, value in fields.items():
        setattr(parts.blocks[at], name, value)
    return parts


def named(table, *more):
    return extensions((1, SAFE, table), *more)


def header_files():
    for version in ((0, 9), (0, 10), (1, 0), (1, 1), (1, 65535)):
        yield f"version {version}", bits(save(), version=version), SOUND
    for version in ((0, 11), (0, 65535), (2, 0), (2, 1), (65535, 65535)):
        yield f"version {version}", bits(save(), version=version), NEWER
    for bit in (*range(8), 8, 63):
        mask = 1 << bit
        yield f"incompatible feature {bit}", bits(save(), mask), NEWER
        yield f"read-only feature {bit}", bits(save(), 0, mask), SOUND, {"is_read_only": True}
        yield f"compatible feature {bit}", bits(save(), 0, 0, mask), SOUND
    every = 2**64 - 1
    yield "every compatible feature", bits(save(), 0, 0, every), SOUND
    yield "every feature that allows reading", bits(save(), 0, every, every), SOUND, {
        "is_read_only": True
    }
    yield "an incompatible feature of version 0.10", bits(save(), 1, version=(0, 10)), NEWER
    whole = put_together(bits(save(), version=(2, 0)))
    yield "version 2.0 and a header alone", whole[:64], NEWER
    yield "version 2.0 and other content", whole[:64] + b"x" * 1000, NEWER
    feature = put_together(bits(save(), 1 << 40))
    yield "an incompatible feature and a file that is cut off", feature[:-100], NEWER
    yield "an incompatible feature and a broken footer", feature[:-8] + bytes(8), NEWER
    read_only = put_together(bits(save(), 0, 1))[:-8] + bytes(8)
    yield "a read-only feature and a broken footer", read_only, CORRUPT, {"is_read_only": True}
    yield "reserved bytes of version 1.1", sealed_header(bits(save()), 12), CORRUPT
    yield "reserved bytes and a feature", sealed_header(bits(save(), 1), 12), NEWER


def sealed_header(parts, at):
    """The file with a byte of its header set to 1."""
    whole = put_together(parts)
    return sealed(whole[:at] + b"\1" + whole[at + 1 : 56]) + whole[64:]


def block_files():
    for flags in (0, frame.SAFE_TO_COPY):
        for at in range(1, 6):
            made = unknown(save(), at, flags=flags)
            yield f"a block before block {at}, flags {flags}", made, SOUND
    later = [Chunk(9, 8, 77, b"any", filter=200, codec=100), Chunk(0, 0, 0, b"")]
    indexed = {"chunks": later, "content": b""}
    for flags in (frame.INDEXED, frame.INDEXED | frame.SAFE_TO_COPY):
        made = unknown(save(), **indexed, flags=flags)
        yield f"a block with an index, flags {flags}", made, SOUND
    ids = extensions((2, 0, b"".join(chunk_id(chunk.raw) for chunk in later)))
    both = frame.INDEXED | frame.SAFE_TO_COPY
    yield "a block with chunk ids", unknown(save(), **indexed, flags=both, extensions=ids), SOUND
    for table in (b"a", b"b", b"gone"):
        for flags in (0, frame.SAFE_TO_COPY):
            own = unknown(save(), extensions=named(table), flags=flags)
            yield f"a block of the table {table.decode()}, flags {flags}", own, SOUND
    two = unknown(save(), extensions=named(b"a"), group=3, part=4)
    two = unknown(two, extensions=named(b"b"), group=3, part=4)
    yield "blocks of one place of two tables", two, SOUND
    yield "two equal blocks", unknown(unknown(save())), SOUND
    many = save()
    for at, table in enumerate((b"a", b"gone", b"b", b"a")):
        unknown(many, at + 1, extensions=named(table), type=200 + at, part=at, group=2**64 - 1)
    yield "blocks of several tables", unknown(many, flags=0), SOUND
    yield "an empty block", unknown(save(), content=b""), SOUND
    yield "a block of any raw size", unknown(save(), more=2**40), SOUND
    for type_ in (7, 8, 9, 10, 255):
        yield f"type {type_}", unknown(save(), type=type_), SOUND
        yield f"critical type {type_}", unknown(save(), type=type_, flags=CRITICAL), NEWER
    for at in range(0, 6):
        yield f"a critical block before block {at}", unknown(save(), at, flags=7, **indexed), NEWER
    for flags in (0, frame.SAFE_TO_COPY):
        made = unknown(save(), flags=flags, payload_hash=1)
        yield f"a broken block, flags {flags}", made, CORRUPT, {"skips": flags}
    yield "a critical block, broken", unknown(save(), flags=CRITICAL, payload_hash=1), NEWER
    yield "a block with a reserved flag", unknown(save(), flags=8), CORRUPT
    yield "the same with a feature", bits(unknown(save(), flags=8), 1 << 9), NEWER
    yield "rows with another flag", with_block(save(), ROWS, flags=7), CORRUPT
    yield "rows with another flag and a feature", bits(
        with_block(save(), ROWS, flags=7), 1 << 9
    ), NEWER
    for at in (METADATA, ROWS):
        made = with_block(unknown(save(), 5, flags=CRITICAL), at, payload_hash=1)
        yield f"a critical block and a broken block {at}", made, NEWER


def extension_files():
    for flags in range(8):
        one = (FIRST_TAG, flags, b"later")
        list_ = extensions(one)
        verdict = NEWER if flags & CRITICAL else SOUND
        loses = {"loses": "state" if flags & HASHED else "more"}
        places = {
            "the catalog": save(of_catalog=list_),
            "a table": save(extensions=list_),
            "a root": save(extended(root(i32("a")), list_)),
            "a field": save(root(extended(i32("a"), list_))),
        }
        for place, made in places.items():
            yield f"an extension of {place}, flags {flags}", made, verdict, loses
        for place in range(5):
            head = with_block(save(), place, extensions=list_)
            yield f"an extension of the head of block {place}, flags {flags}", head, verdict
        for block in (0, frame.SAFE_TO_COPY):
            head = unknown(save(), flags=block, extensions=list_)
            what = f"an extension of the head of a block of flags {block}, flags {flags}"
            yield what, head, verdict, {"skips": block} if verdict == NEWER else {}
        both = extensions(one, (FIRST_TAG + 1, flags ^ SAFE, b""))
        everywhere = save(
            extended(root(extended(i32("a"), both)), both), extensions=both, of_catalog=both
        )
        unknown(with_block(everywhere, ROWS, extensions=both), extensions=named(b"a", one))
        yield f"extensions everywhere, flags {flags}", bits(everywhere, 0, 0, 1), verdict, loses
        of_unknown = save_three(extended(root(i32("a")), list_), list_)
        unknown(of_unknown, extensions=named(b"c", one[:2] + (b"",)))
        what = f"extensions of a table that the game does not have, flags {flags}"
        yield what, of_unknown, verdict, {"loses": "table"}
    sorting = extensions((1, HASHED, b"\xc8later"))
    columns = [(2, 4, u32s([0, 1])), (COLUMN, 4, u32s([11, 12]))]
    dense = save(storage=DENSE, columns=columns, extensions=sorting)
    yield "a later algorithm of a sort", dense, SOUND, {"loses": "sort"}
    state, more = (FIRST_TAG, HASHED, b"x"), (FIRST_TAG + 1, SAFE, b"y")
    mixed = save(of_catalog=extensions(more), extensions=extensions(state, more))
    yield "extensions that are state and others", mixed, SOUND, {"loses": "state"}
    excluded = save(extensions=extensions(state), flags=2)
    yield "a hashed extension of a table that is not hashed", excluded, SOUND, {"loses": "state"}


def some(chosen, flags):
    """Up to three extensions of these flags, with rising tags."""
    tags = sorted(chosen.sample(range(FIRST_TAG, 256), chosen.choice((0, 0, 1, 2, 3))))
    return [(tag, chosen.choice(flags), bytes(chosen.randrange(9))) for tag in tags]


def mixed_files(count=MIXED):
    """Additions that are chosen by chance, in all places of a file."""
    for at in range(count):
        chosen = random.Random(at)
        flags = range(8) if chosen.randrange(8) == 0 else (0, HASHED, SAFE, HASHED | SAFE)
        of = {place: some(chosen, flags) for place in ("catalog", "table", "root", "field")}
        lists = {place: extensions(*of[place]) if of[place] else b"" for place in of}
        field_ = extended(i32("a"), lists["field"]) if of["field"] else i32("a")
        schema_bytes = extended(root(field_), lists["root"]) if of["root"] else root(field_)
        made = save(
            schema_bytes, of_catalog=lists["catalog"], extensions=lists["table"] or b"\0"
        )
        for block in range(5):
            if heads := chosen.randrange(4) == 0 and some(chosen, (0, HASHED, SAFE)):
                made.blocks[block].extensions = extensions(*heads)
        for _ in range(chosen.randrange(4)):
            heads = some(chosen, (0, SAFE))
            if table := chosen.choice((b"", b"a", b"b", b"gone")):
                heads.insert(0, (1, SAFE, table))
            head = {"type": chosen.randrange(7, 256)}
            head |= {"flags": chosen.choice((0, frame.SAFE_TO_COPY))}
            head |= {"group": chosen.randrange(1 << 64), "part": chosen.randrange(1 << 32)}
            head |= {"extensions": extensions(*heads)} if heads else {}
            unknown(made, chosen.randrange(1, 6), **head)
        is_read_only = chosen.randrange(8) == 0
        version = chosen.choice(((0, 9), (0, 10), (1, 0), LATER, (1, 77)))
        if chosen.randrange(2):
            with_catalogs(made, compressed)
        bits(made, 0, is_read_only << chosen.randrange(64), chosen.randrange(1 << 64), version)
        used = [each[1] for listed in of.values() for each in listed]
        loses = "state" if any(each & HASHED for each in used) else "more" if used else ""
        verdict = NEWER if any(each & CRITICAL for each in used) else SOUND
        yield f"mix {at}", made, verdict, {"loses": loses, "is_read_only": is_read_only}


def new_numbers():
    """Each new number in its place: what it is, the file."""
    field_type = [(COLUMN, 4, u32s([11, 12]))]
    yield "field type 25", save(root(node(25, "a")), columns=field_type)
    yield "flag 16 of a node", save(root(node(4, "a", flags=16)))
    yield "flag 1 of an integer", save(root(node(4, "a", flags=1)))
    for name, value in (("filter", 4), ("codec", 2), ("codec", 3), ("width", 16)):
        made = save()
        setattr(made.blocks[ROWS].chunks[2], name, value)
        yield f"{name} {value} of rows", made
    for policy, value in (
        ("storage", 2), ("fifo", 3), ("counted", 2), ("wrap", 2), ("names", 3), ("flags", 4)
    ):  # fmt: skip
        yield f"{policy} {value}", save(**{policy: value})
    made = save()
    of_table = descriptor(name="a", slots=2, live=2)
    later = of_table[:-6] + b"\2" + of_table[-5:]
    for at in (FIRST_CATALOG, SECOND_CATALOG):
        made.blocks[at].content = made.blocks[at].content.replace(of_table, later)
    yield "another kind of table", made
    for layout in ((32, 32, 0), (33, 31, 1), (0, 31, 0), (32, 15, 17)):
        yield f"the layout {layout}", save(layout=layout)
    yield "group shift 17", save(shift=17)
    yield "a descriptor with more fields", save(extensions=b"\0\0\0\0\0")
    yield "an extension with a new flag", save(extensions=extensions((9, 8, b"")))
    yield "a longer catalog", save(of_catalog=b"\0")
    state = [(0, 1, b"\1\4"), (1, 4, u32s([1, 1])), (COLUMN, 4, u32s([11]))]
    made = save(live=1)
    made.blocks[ROWS] = rows(state, 0)
    yield "state 4 of a slot", made
    made = save()
    made.blocks[METADATA].content += b"\0"
    yield "longer metadata", made


def number_files():
    for what, made in new_numbers():
        yield what, made, CORRUPT
        for version in ((0, 9), LATER):
            yield f"{what} of version {version}", bits(made, version=version), CORRUPT
        yield f"{what} with a compatible feature", bits(made, 0, 0, 1 << 5), CORRUPT
        yield f"{what} with an incompatible feature", bits(made, 1 << 5), NEWER
    critical = extensions((FIRST_TAG, CRITICAL, b""))
    for what, made in new_numbers():
        if what not in ("a descriptor with more fields", "a longer catalog"):
            last = made.blocks[SECOND_CATALOG]
            last.content = made.blocks[FIRST_CATALOG].content = last.content + critical
            yield f"{what} and a critical extension of the catalog", made, NEWER


def limit_files():
    """A limit that is met before what is newer ends the reading, but no other limit does."""
    later = {name: NEWER for name in ("max_slots_per_table", "max_schema_fields")}
    later |= {name: NEWER for name in ("max_metadata_bytes", "max_memory_bytes")}
    critical = extensions((FIRST_TAG, CRITICAL, b""))
    names = "max_file_bytes", "max_directory_bytes", "max_blocks", "max_tables"
    ends = dict.fromkeys(names, "limit")
    every = dict.fromkeys([*later, *ends], NEWER)
    yield "version 2.0 and limits", bits(save(), version=(2, 0)), NEWER, {"limits": every}
    yield "a feature and limits", bits(save(), 1), NEWER, {"limits": every}
    block = {"max_file_bytes": "limit", "max_directory_bytes": "limit", "max_tables": NEWER}
    yield "a critical block and limits", unknown(save(), flags=CRITICAL), NEWER, {
        "limits": later | block
    }
    of_table = later | ends
    yield "a critical extension of a table and limits", save(extensions=critical), NEWER, {
        "limits": of_table
    }
    yield "a critical extension of the catalog and limits", save(of_catalog=critical), NEWER, {
        "limits": of_table
    }
    sound = dict.fromkeys(of_table, "limit")
    yield "a sound file and limits", save(), SOUND, {"limits": sound}


GROUPS = header_files, block_files, extension_files, mixed_files, number_files, limit_files


def all_files():
    """Each file once; those in parts are sealed."""
    usual = save()
    reseal(usual)
    for group in GROUPS:
        for what, made, verdict, *more in group():
            if not isinstance(made, bytes):
                made.state_hash = usual.state_hash
            data = made if isinstance(made, bytes) else reseal(made)[0]
            yield Later(what, data, verdict, **(more[0] if more else {}))
