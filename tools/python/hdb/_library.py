"""The shared library libhdb_c: found, opened, and its calls (hdb/c.h) as functions that raise."""
from __future__ import annotations

import ctypes
import ctypes.util
import os
import pathlib
import sys
from ctypes import (POINTER, Structure, byref, c_char_p, c_double, c_int, c_int64, c_size_t,
                    c_uint8, c_uint16, c_uint32, c_uint64, c_void_p)
from typing import Any


class Error(Exception):
    """What hdb says went wrong: str() is one line that says what, where and in which file."""

    def __init__(self, code: str, message: str, where: str = "", file: str = "",
                 next_step: str = "") -> None:
        super().__init__(message)
        self.code = code            #: The name of the error: "table_full", "file_not_found".
        self.message = message
        self.where = where          #: What was being read, written or called.
        self.file = file            #: The path of the file, or "".
        self.next_step = next_step  #: What a user can do about it, or "".

    def __str__(self) -> str:
        return self.message


class NotFoundError(Error, KeyError):
    """A table, record, field or file element that does not exist."""


class HdbLayout(Structure):
    _fields_ = [("index_bits", c_uint8), ("generation_bits", c_uint8), ("type_bits", c_uint8)]


class HdbField(Structure):
    pass


HdbField._fields_ = [
    ("struct_size", c_size_t), ("name", c_char_p), ("kind", c_uint32), ("offset", c_size_t),
    ("stride", c_size_t), ("count", c_uint64), ("children", POINTER(HdbField)),
    ("child_count", c_size_t), ("table", c_char_p), ("layout", HdbLayout), ("strong", c_uint8),
    ("utf8", c_uint8), ("versioned", c_uint8), ("class_version", c_uint32),
    ("value_names", POINTER(c_char_p)), ("value_numbers", POINTER(c_uint64)),
    ("value_count", c_size_t)]


class HdbTableOptions(Structure):
    _fields_ = [
        ("struct_size", c_size_t), ("fields", POINTER(HdbField)), ("field_count", c_size_t),
        ("record_size", c_size_t), ("record_alignment", c_size_t), ("initial", c_void_p),
        ("initial_size", c_size_t), ("layout", HdbLayout), ("storage", c_uint8),
        ("free_list", c_uint8), ("generations", c_uint8), ("overflow", c_uint8),
        ("names", c_uint8), ("scope", c_uint8), ("removal", c_uint8), ("is_singleton", c_uint8),
        ("type_id", c_uint16), ("max_records", c_uint64), ("owner", c_void_p),
        ("blob_capacity", c_uint64), ("blob_alignment", c_uint32), ("blob_compaction", c_uint8),
        ("is_resource", c_uint32)]


class HdbHash(Structure):
    _fields_ = [("low", c_uint64), ("high", c_uint64)]

    def __str__(self) -> str:
        return f"{self.high:016x}{self.low:016x}"


class HdbSaveOptions(Structure):
    _fields_ = [
        ("struct_size", c_size_t), ("title", c_char_p), ("play_time_ms", c_uint64),
        ("date_unix_ms", c_int64), ("sequence", c_uint64), ("level", c_uint32),
        ("threads", c_uint32), ("backups", c_uint32), ("expected", HdbHash),
        ("file_id", POINTER(HdbHash))]


class HdbLoadOptions(Structure):
    _fields_ = [
        ("struct_size", c_size_t), ("fork", c_uint8), ("keep_unknown", c_uint8),
        ("verify", c_uint8), ("exact_policies", c_uint8), ("threads", c_uint32),
        ("max_memory", c_uint64), ("file_id", POINTER(HdbHash)), ("unknown_values", c_uint32)]


class HdbInfo(Structure):
    _fields_ = [
        ("struct_size", c_size_t), ("version_major", c_uint16), ("version_minor", c_uint16),
        ("file_bytes", c_uint64), ("file_id", HdbHash), ("state_hash", HdbHash),
        ("play_time_ms", c_uint64), ("date_unix_ms", c_int64), ("sequence", c_uint64),
        ("title", c_void_p)]


#: The structures by their names in hdb/c.h; a test compares their members.
STRUCTURES = {
    "hdb_layout": HdbLayout, "hdb_field": HdbField, "hdb_table_options": HdbTableOptions,
    "hdb_hash": HdbHash, "hdb_save_options": HdbSaveOptions, "hdb_load_options": HdbLoadOptions,
    "hdb_info": HdbInfo}

_OUT = POINTER(c_void_p)
_STATUS = c_uint32  # hdb_status: the last parameter is an hdb_error**

#: The calls that the package uses: result and parameters, without the hdb_error** of a status.
SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "hdb_error_status": (c_uint32, [c_void_p]),
    "hdb_error_message": (c_char_p, [c_void_p]),
    "hdb_error_where": (c_char_p, [c_void_p]),
    "hdb_error_file": (c_char_p, [c_void_p]),
    "hdb_error_free": (None, [c_void_p]),
    "hdb_status_name": (c_char_p, [c_uint32]),
    "hdb_status_next_step": (c_char_p, [c_uint32]),
    "hdb_free": (None, [c_void_p]),
    "hdb_version": (c_char_p, []),
    "hdb_database_create": (_STATUS, [_OUT]),
    "hdb_database_free": (None, [c_void_p]),
    "hdb_tables_create_from": (_STATUS, [c_void_p, c_char_p]),
    "hdb_table_find": (c_void_p, [c_void_p, c_char_p]),
    "hdb_table_at": (c_void_p, [c_void_p, c_size_t]),
    "hdb_table_name": (c_char_p, [c_void_p]),
    "hdb_table_describe": (_STATUS, [c_void_p, POINTER(HdbTableOptions)]),
    "hdb_find": (c_void_p, [c_void_p, c_uint64, POINTER(c_size_t)]),
    "hdb_erase": (_STATUS, [c_void_p, c_uint64]),
    "hdb_clear": (_STATUS, [c_void_p]),
    "hdb_count": (c_uint64, [c_void_p]),
    "hdb_find_named": (c_uint64, [c_void_p, c_char_p, c_size_t]),
    "hdb_name": (c_void_p, [c_void_p, c_uint64, POINTER(c_size_t)]),
    "hdb_rename": (_STATUS, [c_void_p, c_uint64, c_char_p, c_size_t]),
    "hdb_get_json": (_STATUS, [c_void_p, c_uint64, c_char_p, _OUT]),
    "hdb_set_json": (_STATUS, [c_void_p, c_uint64, c_char_p, c_char_p]),
    "hdb_insert_json": (_STATUS, [c_void_p, c_char_p, c_size_t, c_char_p, POINTER(c_uint64)]),
    "hdb_insert_component_json": (_STATUS, [c_void_p, c_uint64, c_char_p]),
    "hdb_read_handles": (_STATUS, [c_void_p, c_void_p, c_uint64]),
    "hdb_column_kind": (_STATUS, [c_void_p, c_char_p, POINTER(c_uint32)]),
    "hdb_read_column": (_STATUS, [c_void_p, c_char_p, c_uint32, c_void_p, c_uint64]),
    "hdb_capture": (_STATUS, [c_void_p, _OUT]),
    "hdb_snapshot_free": (None, [c_void_p]),
    "hdb_restore": (_STATUS, [c_void_p, c_void_p, c_int]),
    "hdb_snapshot_hash": (_STATUS, [c_void_p, POINTER(HdbHash)]),
    "hdb_save": (_STATUS, [c_void_p, c_char_p, POINTER(HdbSaveOptions)]),
    "hdb_load": (_STATUS, [c_void_p, c_char_p, POINTER(HdbLoadOptions), _OUT]),
    "hdb_read_info": (_STATUS, [c_char_p, POINTER(HdbInfo)]),
}


def library_path() -> str:
    """Where libhdb_c is: the path in the environment variable HDB_LIBRARY; a library beside the
    package; else what the system finds. Raises ImportError if none is found."""
    if wanted := os.environ.get("HDB_LIBRARY"):
        return wanted
    pattern = {"win32": "*hdb_c*.dll", "darwin": "libhdb_c*.dylib"}.get(sys.platform,
                                                                      "libhdb_c.so*")
    if beside := sorted(pathlib.Path(__file__).parent.glob(pattern)):
        return str(beside[0])
    if found := ctypes.util.find_library("hdb_c"):
        return found
    raise ImportError("hdb: the shared library libhdb_c was not found. Install hdb, put the "
                      f"library in {pathlib.Path(__file__).parent}, or set HDB_LIBRARY to its path")


class Library:
    """The calls without the prefix hdb_. One that returns a status raises Error instead."""

    def __init__(self, path: str, signatures: dict[str, tuple[Any, list[Any]]]) -> None:
        try:
            library = ctypes.CDLL(path)
        except OSError as error:
            raise ImportError(f"hdb: cannot open the library '{path}': {error}; set HDB_LIBRARY to "
                              "the path of libhdb_c") from error
        for name, (result, parameters) in signatures.items():
            try:
                function = getattr(library, name)
            except AttributeError:
                raise ImportError(f"hdb: '{path}' has no {name}: it is older than this package; "
                                  "use the library of the same version") from None
            function.restype = result
            is_status = result is _STATUS and name != "hdb_error_status"
            function.argtypes = parameters + [_OUT] if is_status else parameters
            short = name.removeprefix("hdb_")
            setattr(self, short, self._raising(function) if is_status else function)

    def __getattr__(self, name: str) -> Any:  # for type checkers: all calls are set above
        raise AttributeError(name)

    def _raising(self, function: Any) -> Any:
        def call(*arguments: Any) -> None:
            error = c_void_p()
            if function(*arguments, byref(error)) != 0:
                raise self._error(error)
        return call

    def _error(self, error: c_void_p) -> Error:
        status = self.error_status(error)
        code = self.status_name(status).decode()
        texts = [each(error).decode(errors="replace")
                 for each in (self.error_message, self.error_where, self.error_file)]
        self.error_free(error)
        kind = NotFoundError if code == "not_found" else Error
        return kind(code, *texts, self.status_next_step(status).decode())

    def take_text(self, memory: c_void_p) -> str:
        """The text that a call returned, which is freed."""
        try:
            return ctypes.string_at(memory.value).decode()
        finally:
            self.free(memory)


library = Library(library_path(), SIGNATURES)


def version() -> str:
    """The version of the library: "0.1.0"."""
    return library.version().decode()


def encoded(text: Any, what: str, any_bytes: bool = False) -> bytes:
    """A text for the library. `what`: what it is, for errors. Unless `any_bytes`, the library reads
    it up to the first zero byte, so it has none."""
    if not isinstance(text, str):
        raise TypeError(f"hdb: {what} is a str, not {type(text).__name__}")
    if "\0" in text and not any_bytes:
        raise ValueError(f"hdb: {what} has a zero byte: {text!r}")
    return text.encode()


def sized(structure: Any, **members: Any) -> Any:
    """A structure of hdb/c.h with its size."""
    return structure(struct_size=ctypes.sizeof(structure), **members)
