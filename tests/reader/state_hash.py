"""The state hash: shows whether two databases continue in the same way (FORMAT.md, sections 6,
7)."""

import struct

from catalog import DENSE, NOT_HASHED, ONE_RECORD
from content import LIVE
from wire import hash128, hash_bytes, u32s, varint_bytes


def state_hash(catalog, contents):
    """The state hash of the tables of a catalog, which have these contents."""
    state = bytearray()
    for table, content in zip(catalog.tables, contents):
        if not table.flags & NOT_HASHED:
            state += table_state(table, content)
    state += struct.pack("<H", catalog.highest_type_id)
    return hash128(bytes(state))


def table_state(table, content):
    state = bytearray(varint_bytes(len(table.name)) + table.name)
    state += struct.pack("<H", table.type_id) + hash_bytes(table.schema.fingerprint)
    state += bytes([table.flags & ONE_RECORD, *table.layout.bits])
    state += bytes([table.storage, table.free_policy, table.generations, table.overflow])
    state += struct.pack("<4Q", table.slots, table.live, table.retired, table.free)
    state += struct.pack("<2I", table.counter, table.highest_generation)
    state += table.tail
    state += hash_bytes(record_hash(content))
    state += hash_bytes(hash128(u32s(content.free_list)))
    state += hash_bytes(hash128(u32s(content.dense_order))) if table.storage == DENSE else bytes(16)
    return state


def record_hash(content):
    """The sum of the row hashes of all slots, as numbers of 128 bits."""
    total = 0
    for slot, (state, generation) in enumerate(zip(content.states, content.generations)):
        if state == LIVE:
            total += hash128(u32s([slot, generation]) + content.row_bytes[slot])
        else:
            # No generation of a live slot has bit 31: so a slot that is not live cannot pass for
            # one that is.
            total += hash128(u32s([slot, generation | 1 << 31]) + bytes([state]))
    return total % (1 << 128)
