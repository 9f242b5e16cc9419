"""Databases: opened from save files, captured, and saved again."""
from __future__ import annotations

import ctypes
import operator
import os
import time
from ctypes import byref, c_void_p
from dataclasses import dataclass
from typing import Any, Iterator

from ._library import (Error, HdbHash, HdbInfo, HdbLoadOptions, HdbSaveOptions, NotFoundError,
                       encoded, library, sized)
from .tables import Table
from .values import Handle, split_handle

Path = str | os.PathLike[str]


@dataclass(frozen=True)
class Info:
    """What menus show of a save file."""

    title: str
    play_time_ms: int
    date_unix_ms: int
    sequence: int           #: Rises from save to save.
    file_bytes: int
    state_hash: str         #: As `hdbinspect info` prints it.
    version: tuple[int, int]  #: Of the format.


def _encoded(path: Path) -> bytes:
    """A path for the library, to which a zero byte would be the end of it."""
    found = os.fsencode(path)
    if b"\0" in found:
        raise ValueError(f"hdb: the path {path!r} has a zero byte")
    return found


def _number(name: str, value: Any, least: int, most: int) -> int:
    """An option in its range: a larger number would be cut to the bits that the library reads."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"hdb: {name} is an int, not {type(value).__name__}") from None
    if not least <= number <= most:
        raise ValueError(f"hdb: {name} is {number}, but may be from {least} to {most}")
    return number


def _read_info(path: Path) -> tuple[Info, HdbHash]:
    raw = sized(HdbInfo)
    library.read_info(_encoded(path), byref(raw))
    title = library.take_text(c_void_p(raw.title))
    return Info(title, raw.play_time_ms, raw.date_unix_ms, raw.sequence, raw.file_bytes,
                str(raw.state_hash), (raw.version_major, raw.version_minor)), raw.file_id


def read_info(path: Path) -> Info:
    """What menus show of a file. Reads a few KiB, whatever its size. Raises Error."""
    return _read_info(path)[0]


def open(path: Path) -> "Database":
    """Loads a save file, whatever tables it has. Close the result, or use it with `with`.
    Raises Error if the file does not exist or is damaged; a hostile file does no harm."""
    return Database(path)


class Snapshot:
    """A captured state of a database. Freed with the last reference to it."""

    def __init__(self, database: "Database") -> None:
        self._snapshot = c_void_p()
        library.capture(database._check_open(), byref(self._snapshot))

    def __del__(self) -> None:
        if getattr(self, "_snapshot", None):
            library.snapshot_free(self._snapshot)

    def state_hash(self) -> str:
        """Equal for equal states; as `hdbinspect info` prints it."""
        found = HdbHash()
        library.snapshot_hash(self._snapshot, byref(found))
        return str(found)


class Database:
    """The tables of a save file: save["monsters"]; iteration gives the tables by name.

    Tables and records are good until it is closed. Tables of blobs are not shown, and are saved
    again as they are."""

    def __init__(self, path: Path) -> None:
        self._database = c_void_p()
        self._path = os.fsdecode(path)
        self._tables: dict[str, Table] = {}
        library.database_create(byref(self._database))
        try:
            self._file_id = HdbHash()
            its_path = _encoded(self._path)
            library.tables_create_from(self._database, its_path)
            options = sized(HdbLoadOptions, keep_unknown=1, file_id=ctypes.pointer(self._file_id))
            library.load(self._database, its_path, byref(options), None)
            self.info: Info = read_info(path)  #: Of the file that was opened or saved last.
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Frees all records. What was not saved is lost."""
        if self._database:
            library.database_free(self._database)
            self._database = c_void_p()

    def __enter__(self) -> "Database":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_database", None):
            self.close()

    def _check_open(self) -> c_void_p:
        if not self._database:
            raise ValueError("hdb: the database is closed")
        return self._database

    # --- tables

    def table_names(self) -> list[str]:
        """The names of all tables, in ascending order."""
        names = []
        while table := library.table_at(self._check_open(), len(names)):
            names.append(library.table_name(table).decode())
        return names

    def __len__(self) -> int:
        return len(self.table_names())

    def __iter__(self) -> Iterator[Table]:
        return (self[name] for name in self.table_names())

    def __contains__(self, name: str) -> bool:
        return self._find(name) is not None

    def __getitem__(self, name: str) -> Table:
        pointer = self._find(name)
        if pointer is None:
            raise NotFoundError("not_found", f"{self._path}: it has no table '{name}'; it has "
                                + (", ".join(self.table_names()) or "no tables"),
                                file=self._path, next_step="give the name of a table that it has")
        if name not in self._tables:
            self._tables[name] = Table(self, pointer)
        return self._tables[name]

    def _find(self, name: str) -> Any:
        return library.table_find(self._check_open(), encoded(name, "the name of a table"))

    def _handle(self, text: str) -> Handle:
        """The handle in a field of a record."""
        if text.startswith("0x"):
            return Handle(None, int(text, 16))
        table, slot, generation = split_handle(text)
        return self[table].handle(slot, generation)

    # --- states

    def capture(self) -> Snapshot:
        """The present state, for `restore`; copies no record."""
        return Snapshot(self)

    def restore(self, snapshot: Snapshot) -> None:
        """Brings a captured state back: undo."""
        library.restore(self._check_open(), snapshot._snapshot, 0)

    def state_hash(self) -> str:
        """The state hash of the present state."""
        return self.capture().state_hash()

    def save(self, path: Path | None = None, *, title: str | None = None, backups: int = 0,
             level: int = 1, threads: int = 1) -> None:
        """Saves all tables, as one step: the old file stays until the new one is complete. Default:
        to the file that was opened or saved last; if another program has written that since, Error
        "superseded" is raised. `title`: what menus show (default: that of the file). `backups`: how
        many old files to keep, up to 10000. `level`: 1 to 19, of zstd. `threads`: 1 to 1024."""
        to = os.fsdecode(path) if path is not None else self._path
        info = self.info
        is_same = os.path.abspath(to) == os.path.abspath(self._path)
        new_id = HdbHash()
        options = sized(HdbSaveOptions,
                        title=encoded(info.title if title is None else title, "the title"),
                        play_time_ms=info.play_time_ms, date_unix_ms=int(time.time() * 1000),
                        sequence=info.sequence + 1, level=_number("level", level, 1, 19),
                        threads=_number("threads", threads, 1, 1024),
                        backups=_number("backups", backups, 0, 10000),
                        expected=self._file_id if is_same else HdbHash(),
                        file_id=ctypes.pointer(new_id))
        snapshot = self.capture()
        try:
            library.save(snapshot._snapshot, _encoded(to), byref(options))
        except Error as error:
            if error.code == "superseded":
                error.next_step = "nothing is lost: save to another path" + (
                    ", or open the file again to see what another program saved"
                    if os.path.exists(to) else "; the file was removed or moved away")
            raise
        self._path = to
        self._file_id = new_id
        self.info = read_info(to)

