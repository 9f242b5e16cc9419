"""The state hash: shows whether two databases continue in the same way (FORMAT.md, sections 6,
7)."""

import struct

from catalog import DENSE, LIFO, NOT_HASHED, ONE_RECORD
from content import LIVE
from extensions import hashed, list_bytes
from wire import hash128, hash_bytes, u32s, varint_bytes

PAGE = 4096  # entries of a free list that are hashed together


def state_hash(catalog, contents):
    """The state hash of the tables of a catalog, which have these contents."""
    state = bytearray()
    for table, content in zip(catalog.tables, contents):
        if not table.flags & NOT_HASHED:
            state += table_state(table, content)
    state += struct.pack("<H", catalog.highest_type_id)
    if hashed(catalog.extensions):
        state += list_bytes(hashed(catalog.extensions))
    return hash128(bytes(state))


def table_state(table, content):
    state = bytearray(varint_bytes(len(table.name)) + table.name)
    state += struct.pack("<H", table.type_id) + hash_bytes(table.schema.fingerprint)
    state += bytes([table.flags & ONE_RECORD, *table.layout.bits])
    state += bytes([table.storage, table.free_policy, table.generations, table.overflow])
    state += struct.pack("<4Q", table.slots, table.live, table.retired, table.free)
    state += struct.pack("<2I", table.counter, table.highest_generation)
    state += table.tail + list_bytes(hashed(table.extensions))
    state += hash_bytes(record_hash(table, content))
    state += hash_bytes(free_list_hash(table, content))
    return state


def row_seed(slot, generation, position):
    """The seed of a row hash, which tells slots, generations and positions apart."""
    mixed = (slot + (generation << 32)) * 0x9E3779B97F4A7C15 % (1 << 64)
    return ((mixed ^ mixed >> 32) + position) * 0xC2B2AE3D27D4EB4F % (1 << 64)


def free_list_hash(table, content):
    """The sum of the hashes of the pages of a free list. Under LIFO the pages begin at the slot
    that will be used last."""
    entries = content.free_list[::-1] if table.free_policy == LIFO else content.free_list
    total = 0
    for page in range(0, len(entries), PAGE):
        total += hash128(u32s(entries[page : page + PAGE]), seed=page // PAGE)
    return total % (1 << 128)


def record_hash(table, content):
    """The sum of the row hashes of all slots, as numbers of 128 bits."""
    positions = content.positions if table.storage == DENSE else {}
    total = 0
    for slot, (state, generation) in enumerate(zip(content.states, content.generations)):
        if state == LIVE:
            seed = row_seed(slot, generation, positions.get(slot, 0))
            total += hash128(content.row_bytes[slot], seed)
        else:
            # No generation of a live slot has bit 31: so a slot that is not live cannot pass for
            # one that is.
            total += hash128(bytes([state]), row_seed(slot, generation | 1 << 31, 0))
    return total % (1 << 128)
