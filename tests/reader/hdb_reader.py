"""A second reader of hdb files, written from schema/FORMAT.md alone: a way through the format,
section by section.

It reads whole files and refuses unsound ones. The modules follow the sections: wire (1), frame (2),
catalog, schema and dropped (3, 4), columns and content (5), state_hash (6, 7). As a program, it
prints what it finds in files.
"""

import sys
from collections import namedtuple

from catalog import check_needed_extensions, read_catalog, read_metadata
from content import check_components, read_content, read_packs
from frame import (
    CATALOG,
    FREE_LIST,
    METADATA,
    ROWS,
    THUMBNAIL,
    check_order,
    content_of,
    find_catalogs,
    read_frame,
)
from state_hash import state_hash
from wire import NeedsNewer, Refused, must

File = namedtuple("File", "header metadata thumbnail catalog contents blocks state_hash")


def read(data):
    """All of a file, from its bytes. Raises Refused where it breaks a rule; NeedsNewer first, as
    section 8 says."""
    try:
        return read_sound(data)
    except NeedsNewer:
        raise
    except Refused:
        check_newer(data)
        raise


def check_newer(data):
    """Refuses a file, which may be unsound, if it says that it needs a newer reader."""
    try:
        for content in find_catalogs(data):
            check_needed_extensions(content)
            break
    except NeedsNewer:
        raise
    except Refused:
        pass


def read_sound(data):
    """As read. Checks in the order of section 8."""
    header, blocks, footer = read_frame(data)
    must(blocks and blocks[0].type == METADATA, "2.4", "the first block is not the metadata")
    metadata = read_metadata(blocks[0].stored_content)
    catalogs = [block for block in blocks if block.type == CATALOG]
    must(
        len(catalogs) == 2 and content_of(catalogs[0]) == content_of(catalogs[1]),
        "2.3",
        "the file does not have exactly two equal catalogs",
    )
    catalog = read_catalog(content_of(catalogs[0]))
    contents = {}
    packs = {}
    for index, (groups, free_parts, pack) in enumerate(check_order(blocks, catalog.tables)):
        if pack:
            packs.setdefault(pack, []).append(index)
        else:
            contents[index] = read_content(catalog.tables[index], groups, free_parts)
    for pack, indices in packs.items():
        contents.update(read_packs(pack, indices, catalog.tables))
    contents = [contents[index] for index in range(len(catalog.tables))]
    check_components(catalog.tables, contents)
    computed = state_hash(catalog, contents)
    if computed != footer.state_hash:
        raise Refused(
            "7", f"the state hash is {computed:032x}, but the footer has another one", computed
        )
    thumbnail = next((block.stored_content for block in blocks if block.type == THUMBNAIL), None)
    return File(header, metadata, thumbnail, catalog, contents, blocks, computed)


def table_bytes(file, index):
    """What a table takes: raw bytes, stored bytes, blocks. Of a pack, its share."""
    if pack := file.contents[index].pack:
        block, raw = pack
        return raw, raw * block.stored_bytes // block.raw_bytes, 1
    blocks = [
        block for block in file.blocks if block.type in (ROWS, FREE_LIST) and block.table == index
    ]
    return (
        sum(block.raw_bytes for block in blocks),
        sum(block.stored_bytes for block in blocks),
        len(blocks),
    )
