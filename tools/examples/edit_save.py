#!/usr/bin/env python3
"""Edits a save file: every record of a table whose field has a low value gets a higher one.

    edit_save.py slot1.hdb monsters hp 50     # no monster has fewer than 50 hp

Run it with tools/python in PYTHONPATH (tools/python/README.md says how the library is found).
"""
import argparse
import sys

try:
    import hdb
except ImportError as error:
    sys.exit(f"edit_save.py: {error}; see tools/python/README.md")


def raise_to(path, table, field, least):
    """Returns the handles of the records that were changed. The old file stays as PATH.1."""
    with hdb.open(path) as save:
        records = save[table]
        handles = records.handles()
        # One call reads the field of all records, so only those to be changed are looked at.
        low = [handle for handle, value in zip(handles, records.column(field)) if value < least]
        for handle in low:
            if not isinstance(records[handle][field], (int, float)):
                raise ValueError(f"field '{field}' of table '{table}' is not a number")
            records[handle][field] = least
        if low:
            save.save(backups=1)
        return low


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("save")
    parser.add_argument("table")
    parser.add_argument("field", help="a number, such as hp or pos.x")
    parser.add_argument("least", type=int)
    given = parser.parse_args()
    try:
        changed = raise_to(given.save, given.table, given.field, given.least)
    except (hdb.Error, ValueError) as error:
        sys.exit(f"edit_save.py: {error}")
    for handle in changed:
        print(f"{handle}: {given.field} is now {given.least}")


if __name__ == "__main__":
    main()
