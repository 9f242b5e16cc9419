"""The frame of an hdb file: header, blocks, directory, footer, and the order of blocks (FORMAT.md,
section 2)."""

from collections import namedtuple

from columns import ZSTD, check_index_hash, decompress, read_index
from extensions import CHUNK_IDS, OF_HEADS, TABLE_NAME, check_name, data_of, read_list
from wire import Cursor, NeedsNewer, Refused, hash64, must, must_know

VERSION = 0, 10
READ_VERSIONS = (0, 9), VERSION
HEADER_BYTES = FOOTER_BYTES = 64
HEAD_BYTES = 72
DIRECTORY_HEAD_BYTES = 32
ENTRY_BYTES = 56
SIGNATURE = bytes.fromhex("894844420d0a1a0a")
MARKER = bytes.fromhex("b1484442")
DIRECTORY_MAGIC = bytes.fromhex("4844424449520d0a")
FOOTER_MAGIC = bytes.fromhex("484442454e440d0a")

METADATA, THUMBNAIL, CATALOG, ROWS, FREE_LIST, PACK = range(1, 7)
CRITICAL, SAFE_TO_COPY, INDEXED = 1, 2, 4
FLAGS = {
    METADATA: CRITICAL,
    THUMBNAIL: SAFE_TO_COPY,
    CATALOG: CRITICAL,
    ROWS: CRITICAL | INDEXED,
    FREE_LIST: CRITICAL | INDEXED,
    PACK: CRITICAL,
}
MAX_BYTES = {METADATA: 16 << 20, THUMBNAIL: 256 << 20, CATALOG: 64 << 20, PACK: 64 << 10}
MAX_ANCILLARY_BYTES = 256 << 20
MAX_PART_RAW_BYTES = 16 << 20

Header = namedtuple("Header", "version file_id incompatible read_only_compatible compatible")
Footer = namedtuple("Footer", "directory_offset directory_bytes directory_hash state_hash")
UNIT_BYTES = 8  # of the extensions of a head


class Block(
    namedtuple(
        "Block",
        "type flags extension_units table part group stored_bytes raw_bytes payload_hash payload"
        " extensions has_checksum",
    )
):
    """A block: its head, its payload, the extensions at the beginning of the payload, and whether a
    compressed content must have a checksum."""

    @property
    def stored_content(self):
        """The payload without the extensions."""
        return self.payload[UNIT_BYTES * self.extension_units :]


def read_frame(data):
    """Header, blocks in the order of the file, and footer, with every hash checked."""
    header = read_header(data)
    footer = read_footer(data)
    blocks = []
    entries = read_directory(data, header, footer)
    check_entries(entries, footer)
    for entry in entries:
        blocks.append(read_block(data, entry, header))
    return header, blocks, footer


def read_header(data):
    must(len(data) >= HEADER_BYTES, "2", "the file is too short for a header")
    cursor = Cursor(data[:HEADER_BYTES], "2.1", "the header")
    must(cursor.take(8) == SIGNATURE, "2.1", "the signature is wrong")
    must(
        hash64(data[:56]) == int.from_bytes(data[56:64], "little"),
        "2.1",
        "the hash of the header is wrong",
    )
    version = cursor.u16(), cursor.u16()
    must(version >= READ_VERSIONS[0], "11", f"version {version[0]}.{version[1]} is an older draft")
    known = version in READ_VERSIONS or version[0] == 1
    must_know(known, "11", f"the file has version {version[0]}.{version[1]}")
    reserved = cursor.u32()
    incompatible, read_only_compatible, compatible = cursor.u64(), cursor.u64(), cursor.u64()
    must_know(incompatible == 0, "2.1", f"the file has incompatible features {incompatible:#x}")
    must(reserved == 0, "2.1", "reserved bytes of the header are not zero")
    return Header(version, cursor.hash128(), incompatible, read_only_compatible, compatible)


def read_footer(data):
    must(
        len(data) >= HEADER_BYTES + FOOTER_BYTES,
        "2",
        "the file is too short for a header and a footer",
    )
    footer = data[-FOOTER_BYTES:]
    cursor = Cursor(footer, "2.6", "the footer")
    offset, size, directory_hash, file_bytes, state_hash = (
        cursor.u64(),
        cursor.u64(),
        cursor.u64(),
        cursor.u64(),
        cursor.hash128(),
    )
    must(cursor.take(8) == FOOTER_MAGIC, "2.6", "the magic of the footer is wrong")
    must(cursor.u64() == hash64(footer[:56]), "2.6", "the hash of the footer is wrong")
    must(file_bytes == len(data), "2.6", "the size of the file differs from the one in its footer")
    must(
        offset % 8 == 0 and offset >= HEADER_BYTES,
        "2.6",
        "the directory begins at an offset that is not allowed",
    )
    must(
        offset + size == len(data) - FOOTER_BYTES,
        "2.6",
        "the directory does not end where the footer begins",
    )
    return Footer(offset, size, directory_hash, state_hash)


def read_directory(data, header, footer):
    directory = data[footer.directory_offset : footer.directory_offset + footer.directory_bytes]
    must(hash64(directory) == footer.directory_hash, "2.6", "the hash of the directory is wrong")
    cursor = Cursor(directory, "2.5", "the directory")
    must(cursor.take(8) == DIRECTORY_MAGIC, "2.5", "the magic of the directory is wrong")
    must(cursor.hash128() == header.file_id, "2.5", "the directory belongs to another file")
    count = cursor.u64()
    must(
        count * ENTRY_BYTES == cursor.left(),
        "2.5",
        "the number of entries does not fit the size of the directory",
    )
    check_needed_types(directory)
    entries = []
    for _ in range(count):
        entry = {
            name: cursor.u64()
            for name in ("offset", "stored_bytes", "raw_bytes", "payload_hash", "group")
        }
        entry |= {name: cursor.u32() for name in ("table", "part")}
        entry |= {name: cursor.u8() for name in ("type", "flags")}
        entry["extension_units"] = cursor.u16()
        cursor.zeros(4)
        entries.append(entry)
    return entries


def check_needed_types(directory):
    """A file with a critical block of an unknown type needs a newer reader, whatever else is wrong
    with its directory (section 8)."""
    for at in range(DIRECTORY_HEAD_BYTES, len(directory), ENTRY_BYTES):
        type_, flags = directory[at + 48 : at + 50]
        known = type_ in FLAGS or type_ == 0 or not flags & CRITICAL
        must_know(known, "2.3", f"blocks of the unknown type {type_} are critical")


def check_entries(entries, footer):
    """The geometry of a file (sections 2.3 to 2.5). The directory lists every block in order,
    without gaps, so all bytes of the file are read."""
    at = HEADER_BYTES
    for entry in entries:
        must(entry["offset"] == at, "2.5", "a block does not begin where the previous block ends")
        stored_bytes = entry["stored_bytes"]
        must(
            at + HEAD_BYTES + stored_bytes <= footer.directory_offset,
            "2.5",
            "a block reaches into the directory",
        )
        content_bytes = stored_bytes - UNIT_BYTES * entry["extension_units"]
        must(content_bytes >= 0, "2.2", "the extensions of a block are larger than its payload")
        check_type(entry["type"], entry["flags"], entry["table"], stored_bytes)
        check_sizes(entry["type"], stored_bytes, content_bytes, entry["raw_bytes"])
        at += HEAD_BYTES + stored_bytes + -stored_bytes % 8
    must(
        at == footer.directory_offset,
        "2.5",
        "the directory does not begin where the last block ends",
    )
    known = [
        tuple(entry[name] for name in ("type", "table", "group", "part"))
        for entry in entries
        if entry["type"] in FLAGS
    ]
    must(
        len(set(known)) == len(known), "2.4", "two blocks have the same type, table, group and part"
    )


def read_block(data, entry, header):
    """The block of an entry of the directory."""
    at = entry["offset"]
    head = data[at : at + HEAD_BYTES]
    cursor = Cursor(head, "2.2", "a block's head")
    must(cursor.take(4) == MARKER, "2.2", "a block has no marker")
    must(
        hash64(head[:64]) == int.from_bytes(head[64:], "little"),
        "2.2",
        "the hash of a block's head is wrong",
    )
    type_, flags, units = cursor.u8(), cursor.u8(), cursor.u16()
    table, part, group, stored_bytes, raw_bytes = (
        cursor.u32(),
        cursor.u32(),
        cursor.u64(),
        cursor.u64(),
        cursor.u64(),
    )
    must(cursor.hash128() == header.file_id, "2.2", "a block belongs to another file")
    payload_hash = cursor.u64()
    head = {
        "stored_bytes": stored_bytes,
        "raw_bytes": raw_bytes,
        "payload_hash": payload_hash,
        "group": group,
        "table": table,
        "part": part,
        "type": type_,
        "flags": flags,
        "extension_units": units,
    }
    for name, value in head.items():
        must(
            value == entry[name],
            "2.5",
            f"an entry and its block have different values of {name}",
        )
    at += HEAD_BYTES
    payload = data[at : at + stored_bytes]
    must(len(payload) == stored_bytes, "2.2", "a block reaches beyond the file")
    padding = -stored_bytes % 8
    must(
        data[at + stored_bytes : at + stored_bytes + padding] == bytes(padding),
        "2.2",
        "padding is not zero",
    )
    block = Block(
        type_,
        flags,
        units,
        table,
        part,
        group,
        stored_bytes,
        raw_bytes,
        payload_hash,
        payload,
        (),
        header.version != READ_VERSIONS[0],
    )
    if flags & INDEXED:
        check_index_hash(block)
    else:
        must(hash64(payload) == payload_hash, "2.2", "the hash of a payload is wrong")
    if units:
        block = block._replace(extensions=read_extensions(block))
    if flags & INDEXED:
        read_index(block, known=type_ in FLAGS)
    return block


def find_catalogs(data):
    """The contents of the catalogs of a file that may be unsound, as far as they can be read."""
    header, footer = read_header(data), read_footer(data)
    entries = read_directory(data, header, footer)
    check_entries(entries, footer)
    for entry in entries:
        if entry["type"] == CATALOG:
            try:
                yield content_of(read_block(data, entry, header))
            except NeedsNewer:
                raise
            except Refused:
                continue


def read_extensions(block):
    """The extensions of a head, which are at the beginning of its payload."""
    area = block.payload[: UNIT_BYTES * block.extension_units]
    cursor = Cursor(area, "2.2", "a block's head")
    extensions = read_list(cursor, OF_HEADS)
    must(extensions, "2.2", "the list of extensions of a block is empty")
    must(cursor.left() < UNIT_BYTES, "2.2", "the extensions of a block have too much padding")
    cursor.zeros(cursor.left())
    name = data_of(extensions, TABLE_NAME)
    if name is not None:
        must(block.type not in FLAGS, "2.7", "a block of a known type has a table name")
        check_name(name, "2.7", "the table name of a block")
    ids = data_of(extensions, CHUNK_IDS)
    must(ids is None or block.flags & INDEXED, "2.7", "a block without an index has chunk ids")
    return extensions


def check_type(type_, flags, table, stored_bytes):
    """The fields that a head must have for its type (section 2.3)."""
    must(type_ != 0, "2.3", "a block has type 0")
    must(flags & ~(CRITICAL | SAFE_TO_COPY | INDEXED) == 0, "2.2", "a block has reserved flags")
    if type_ not in FLAGS:
        must(stored_bytes <= MAX_ANCILLARY_BYTES, "9", "an unknown block is too large")
        must(table == 0, "2.3", "an unknown block has a table")
        return
    must(
        flags == FLAGS[type_],
        "2.3",
        f"a block of type {type_} has flags that its type does not allow",
    )


def check_sizes(type_, stored_bytes, content_bytes, raw_bytes):
    """The sizes of a block of a known type (sections 2.3, 9)."""
    if type_ not in FLAGS:
        return
    if type_ in MAX_BYTES:
        must(
            content_bytes == raw_bytes or type_ in (CATALOG, PACK) and content_bytes < raw_bytes,
            "2.3",
            f"a block of type {type_} has two different sizes",
        )
        must(raw_bytes <= MAX_BYTES[type_], "9", f"a block of type {type_} is too large")
        must(
            raw_bytes or type_ not in (THUMBNAIL, PACK), "2.3", "the thumbnail or a pack is empty"
        )
    else:
        must(raw_bytes <= MAX_PART_RAW_BYTES, "9", "a part has too many raw bytes")
        must(stored_bytes <= 2 * MAX_PART_RAW_BYTES, "9", "a part has too many stored bytes")


def content_of(block):
    """The content of a block, which may be compressed in catalogs and packs (section 2.3)."""
    content = block.stored_content
    if block.type in (CATALOG, PACK) and len(content) < block.raw_bytes:
        return decompress(ZSTD, content, block.raw_bytes, block.has_checksum)
    return content


def place(block):
    return block.type, block.table, block.group, block.part


def check_order(blocks, tables):
    """Checks the order of blocks (section 2.4). Returns row groups and free list of each table, as
    lists of parts, and the pack that it is in, or None."""
    known = [block for block in blocks if block.type in FLAGS]
    check_neighbours(blocks)
    at = 0

    def take(*wanted):
        """The next known block if it has this place, else None."""
        nonlocal at
        if at == len(known) or place(known[at]) != wanted:
            return None
        at += 1
        return known[at - 1]

    def take_parts(type_, table, group):
        parts = []
        while block := take(type_, table, group, len(parts)):
            parts.append(block)
        return parts

    must(take(METADATA, 0, 0, 0), "2.4", "the metadata block is not in its place")
    take(THUMBNAIL, 0, 0, 0)
    must(take(CATALOG, 0, 0, 0), "2.4", "the first catalog is not in its place")
    found = {}
    packed = []  # tables without blocks of their own, since the last pack

    def take_pack():
        pack = take(PACK, packed[0], len(packed), 0) if packed else None
        if pack:
            found.update((index, ([], [], pack)) for index in packed)
            packed.clear()

    for index, table in enumerate(tables):
        if table.slots:
            take_pack()
        groups = [take_parts(ROWS, index, group) for group in range(table.row_groups)]
        if groups == [[]]:
            packed.append(index)
            continue
        must(all(groups), "2.4", "a row group is missing or not in its place")
        found[index] = groups, take_parts(FREE_LIST, index, 0), None
    take_pack()
    must(not packed, "2.4", "a table has no block, or its pack is not in its place")
    must(
        take(CATALOG, 0, 0, 1),
        "2.4",
        "the second catalog, or a block before it, is not in its place",
    )
    must(at == len(known), "2.4", "a block of a known type follows the second catalog")
    return [found[index] for index in range(len(tables))]


def check_neighbours(blocks):
    """The parts of a row group or of a free list are adjacent."""
    ended, before = set(), None
    for block in blocks:
        here = place(block)[:3] if block.type in (ROWS, FREE_LIST) else None
        if here != before:
            ended.add(before)
        must(here is None or here not in ended, "2.4", "another block is between two parts")
        before = here
