"""Save files of hdb: read, edit and write them, without the program that made them.

    import hdb

    with hdb.open("slot1.hdb") as save:
        for monster in save["monsters"]:
            print(monster.handle, monster["hp"])
            monster["hp"] += 10
        save.save()

The package needs the shared library libhdb_c and nothing else; with NumPy, columns are arrays of
NumPy, and with pandas, tables are data frames. tools/python/README.md shows how to begin.
"""
from ._library import Error, NotFoundError, library_path, version
from .database import Database, Info, Snapshot, open, read_info
from .tables import Field, Record, Table
from .values import NULL, Handle, Variant

__all__ = [
    "Database", "Error", "Field", "Handle", "Info", "NULL", "NotFoundError", "Record", "Snapshot",
    "Table", "Variant", "library_path", "open", "read_info", "version",
]
