"""A second reader of hdb files, written from schema/FORMAT.md alone: a way through the format,
section by section.

It reads whole files and refuses unsound ones. The modules follow the sections: wire (1), frame (2),
catalog and schema (3, 4), columns and content (5), state_hash (6, 7). As a program, it prints what
it finds in files.
"""

import sys
from collections import namedtuple

from catalog import read_catalog, read_metadata
from content import read_content
from frame import CATALOG, FREE_LIST, METADATA, ROWS, THUMBNAIL, check_order, read_frame
from state_hash import state_hash
from wire import Refused, hash128, hash_bytes, must

File = namedtuple("File", "header metadata thumbnail catalog contents blocks state_hash")


def read(data):
    """All of a file, from its bytes. Raises Refused where it breaks a rule. Checks in the order of
    section 8."""
    header, blocks, footer = read_frame(data)
    must(blocks and blocks[0].type == METADATA, "2.4", "the first block is not the metadata")
    metadata = read_metadata(blocks[0].payload)
    catalogs = [block.payload for block in blocks if block.type == CATALOG]
    must(
        len(catalogs) == 2 and catalogs[0] == catalogs[1],
        "2.3",
        "the file does not have exactly two equal catalogs",
    )
    catalog = read_catalog(catalogs[0])
    check_file_id(header, metadata, catalog, blocks[0].payload)
    contents = []
    for table, (groups, free_parts) in zip(catalog.tables, check_order(blocks, catalog.tables)):
        contents.append(read_content(table, groups, free_parts))
    computed = state_hash(catalog, contents)
    if computed != footer.state_hash:
        raise Refused(
            "7", f"the state hash is {computed:032x}, but the footer has another one", computed
        )
    thumbnail = next((block.payload for block in blocks if block.type == THUMBNAIL), None)
    return File(header, metadata, thumbnail, catalog, contents, blocks, computed)


def check_file_id(header, metadata, catalog, payload):
    named = metadata.sequence.to_bytes(8, "little")
    named += b"".join(hash_bytes(schema.fingerprint) for schema in catalog.schemas) + payload
    must(hash128(named) == header.file_id, "2.1", "the file id is wrong")


def table_blocks(file, index):
    """The blocks of a table: its row groups and its free list."""
    return [
        block for block in file.blocks if block.type in (ROWS, FREE_LIST) and block.table == index
    ]


def main():
    for path in sys.argv[1:]:
        with open(path, "rb") as source:
            data = source.read()
        try:
            file = read(data)
        except Refused as refused:
            print(f"{path}: refused: {refused}")
            continue
        print(f"{path}: {file.metadata.title.decode()!r}, state hash {file.state_hash:032x}")
        for table, content in zip(file.catalog.tables, file.contents):
            counts = f"{table.live} live, {table.free} free, {table.retired} retired"
            print(f"  {table.name.decode()!r}: {table.slots} slots, {counts}")
            for slot, record in content.records.items():
                print(f"    {slot}@{content.generations[slot]}: {record}"[:160])


if __name__ == "__main__":
    main()
