"""Extensions of catalogs, table descriptors, nodes of schemas and block heads (FORMAT.md, sections
2.7, 4.7 to 4.9, 5.9, 5.11)."""

from collections import namedtuple

from wire import is_name, must, must_know, varint_bytes, well_formed

CRITICAL, HASHED, SAFE_TO_COPY = 1, 2, 4
MIN_BYTES = 3
MAX_BYTES, MAX_CATALOG_BYTES = 65536, 33554432

# Four registries of tags: the flags of each extension that is known.
DROPPED, UNHASHED_DROPPED = 1, 2
SORT_WORK, COMPONENT = 1, 2
ENUM_NAMES, TYPE_NAME = 1, 3
TABLE_NAME, CHUNK_IDS = 1, 2
OF_CATALOGS = {DROPPED: HASHED | SAFE_TO_COPY, UNHASHED_DROPPED: SAFE_TO_COPY}
OF_TABLES = {SORT_WORK: HASHED, COMPONENT: CRITICAL | HASHED | SAFE_TO_COPY}
OF_NODES = {ENUM_NAMES: SAFE_TO_COPY, TYPE_NAME: SAFE_TO_COPY}
OF_HEADS = {TABLE_NAME: SAFE_TO_COPY, CHUNK_IDS: 0}
CHUNK_ID_BYTES = 32

Extension = namedtuple("Extension", "tag flags data")


def read_list(cursor, known):
    """The extensions of a list, of which these are known. They may be none."""
    found = skim_list(cursor, known)
    for each in found:
        must(
            each.flags == known.get(each.tag, each.flags),
            "2.7",
            f"an extension of {cursor.what} has flags that its tag {each.tag} does not allow",
        )
    return found


def skim_list(cursor, known):
    """The extensions of a list, whatever flags the known ones have."""
    what = f"an extension of {cursor.what}"
    most = MAX_CATALOG_BYTES if known is OF_CATALOGS else MAX_BYTES
    found = []
    count = cursor.varint()
    must(count <= cursor.left() // MIN_BYTES, cursor.section, f"{what} is not there")
    for _ in range(count):
        tag, flags, size = cursor.u8(), cursor.u8(), cursor.varint()
        must(tag, "2.7", f"{what} has tag 0")
        must(not found or found[-1].tag < tag, "2.7", f"{what} has a tag that does not rise")
        must(flags & ~(CRITICAL | HASHED | SAFE_TO_COPY) == 0, "2.7", f"{what} has reserved flags")
        must(size <= most, "9", f"{what} is too large")
        must_know(
            tag in known or not flags & CRITICAL,
            "2.7",
            f"{what} has the unknown tag {tag} and is critical",
        )
        found.append(Extension(tag, flags, cursor.take(size)))
    return tuple(found)


def list_bytes(extensions):
    """Extensions as they are stored."""
    return varint_bytes(len(extensions)) + b"".join(
        bytes([each.tag, each.flags]) + varint_bytes(len(each.data)) + each.data
        for each in extensions
    )


def hashed(extensions):
    """Those that are state."""
    return tuple(each for each in extensions if each.flags & HASHED)


def data_of(extensions, tag):
    """What the extension with a tag holds, or None."""
    return next((each.data for each in extensions if each.tag == tag), None)


def check_name(data, section, what):
    """A name that fills its extension, without a length before it."""
    must(well_formed(data) and is_name(data), section, f"{what} is not a name")
