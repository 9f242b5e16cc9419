"""hdb/c.h for Python: the structures and calls that the tests need, by ctypes."""
import ctypes
from ctypes import POINTER, Structure, byref, c_char_p, c_int, c_int64, c_size_t, c_uint8, \
    c_uint16, c_uint32, c_uint64, c_void_p


class Layout(Structure):
    _fields_ = [("index_bits", c_uint8), ("generation_bits", c_uint8), ("type_bits", c_uint8)]


class Field(Structure):
    pass


Field._fields_ = [
    ("struct_size", c_size_t), ("name", c_char_p), ("kind", c_uint32), ("offset", c_size_t),
    ("stride", c_size_t), ("count", c_uint64), ("children", POINTER(Field)),
    ("child_count", c_size_t), ("table", c_char_p), ("layout", Layout), ("strong", c_uint8),
    ("utf8", c_uint8), ("versioned", c_uint8), ("class_version", c_uint32),
    ("value_names", POINTER(c_char_p)), ("value_numbers", POINTER(c_uint64)),
    ("value_count", c_size_t)]


class TableOptions(Structure):
    _fields_ = [
        ("struct_size", c_size_t), ("fields", POINTER(Field)), ("field_count", c_size_t),
        ("record_size", c_size_t), ("record_alignment", c_size_t), ("initial", c_void_p),
        ("initial_size", c_size_t), ("layout", Layout), ("storage", c_uint8),
        ("free_list", c_uint8), ("generations", c_uint8), ("overflow", c_uint8),
        ("names", c_uint8), ("scope", c_uint8), ("removal", c_uint8), ("is_singleton", c_uint8),
        ("type_id", c_uint16), ("max_records", c_uint64),
        ("owner", c_void_p)]


class Hash(Structure):
    _fields_ = [("low", c_uint64), ("high", c_uint64)]


class LoadOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("fork", c_uint8), ("keep_unknown", c_uint8),
                ("verify", c_uint8), ("exact_policies", c_uint8), ("threads", c_uint32),
                ("max_memory", c_uint64)]


class Info(Structure):
    _fields_ = [("struct_size", c_size_t), ("version_major", c_uint16),
                ("version_minor", c_uint16), ("file_bytes", c_uint64), ("file_id", Hash),
                ("state_hash", Hash), ("play_time_ms", c_uint64), ("date_unix_ms", c_int64),
                ("sequence", c_uint64), ("title", c_void_p)]


class Difference(Structure):
    _fields_ = [("struct_size", c_size_t), ("differs", c_uint8), ("added", c_uint64),
                ("removed", c_uint64), ("changed", c_uint64), ("reused", c_uint64)]


def sized(structure, **members):
    """A structure of options with its struct_size."""
    return structure(struct_size=ctypes.sizeof(structure), **members)


class HdbError(Exception):
    """What a call reported: `name` is that of the status."""

    def __init__(self, name, message, where):
        super().__init__(message)
        self.name, self.where = name, where


class Library:
    """Calls return their out-parameter; a status other than 0 is raised."""

    # name: (types of the arguments before the error, index of the out-parameter or None)
    _CALLS = {
        "database_create": ([POINTER(c_void_p)], 0),
        "table_create": ([c_void_p, c_char_p, POINTER(TableOptions), POINTER(c_void_p)], 3),
        "tables_create_from": ([c_void_p, c_char_p], None),
        "table_drop": ([c_void_p, c_char_p], None),
        "table_describe": ([c_void_p, POINTER(TableOptions)], None),
        "schema_json": ([c_void_p, POINTER(c_void_p)], 1),
        "insert": ([c_void_p, c_char_p, c_size_t, POINTER(c_uint64)], 3),
        "insert_named": ([c_void_p, c_char_p, c_size_t, c_char_p, c_size_t, POINTER(c_uint64)], 5),
        "insert_component": ([c_void_p, c_uint64, c_char_p, c_size_t], None),
        "edit": ([c_void_p, c_uint64, POINTER(c_void_p)], 2),
        "replace": ([c_void_p, c_uint64, c_char_p, c_size_t], None),
        "erase": ([c_void_p, c_uint64], None),
        "capture": ([c_void_p, POINTER(c_void_p)], 1),
        "restore": ([c_void_p, c_void_p, c_int], None),
        "snapshot_hash": ([c_void_p, POINTER(Hash)], 1),
        "save": ([c_void_p, c_char_p, c_void_p], None),
        "load": ([c_void_p, c_char_p, POINTER(LoadOptions), POINTER(c_void_p)], 3),
        "load_bytes": ([c_void_p, c_char_p, c_size_t, POINTER(LoadOptions), POINTER(c_void_p)], 4),
        "read_info": ([c_char_p, POINTER(Info)], None),
        "validate": ([c_char_p, c_int, POINTER(c_void_p)], None),
        "diff_files": ([c_char_p, c_char_p, c_uint64, POINTER(Difference), POINTER(c_void_p)], 4),
    }
    _PLAIN = {
        "error_status": (c_uint32, [c_void_p]),
        "error_message": (c_char_p, [c_void_p]),
        "error_where": (c_char_p, [c_void_p]),
        "error_free": (None, [c_void_p]),
        "status_name": (c_char_p, [c_uint32]),
        "free": (None, [c_void_p]),
        "version": (c_char_p, []),
        "database_free": (None, [c_void_p]),
        "snapshot_free": (None, [c_void_p]),
        "table_find": (c_void_p, [c_void_p, c_char_p]),
        "table_at": (c_void_p, [c_void_p, c_size_t]),
        "table_name": (c_char_p, [c_void_p]),
        "find": (c_void_p, [c_void_p, c_uint64, POINTER(c_size_t)]),
        "count": (c_uint64, [c_void_p]),
        "position_end": (c_uint64, [c_void_p]),
        "handle_at": (c_uint64, [c_void_p, c_uint64]),
        "find_named": (c_uint64, [c_void_p, c_char_p, c_size_t]),
    }

    def __init__(self, path):
        self._library = ctypes.CDLL(path)
        for name, (result, arguments) in self._PLAIN.items():
            function = getattr(self._library, "hdb_" + name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)
        for name, (arguments, out) in self._CALLS.items():
            function = getattr(self._library, "hdb_" + name)
            function.restype = c_uint32
            function.argtypes = arguments + [POINTER(c_void_p)]
            setattr(self, name, self._checked(function, arguments, out))

    def _checked(self, function, types, out):
        def call(*arguments):
            arguments, error = list(arguments), c_void_p()
            value = None
            if out is not None:
                value = types[out]._type_()
                arguments.insert(out, byref(value))
            status = function(*arguments, byref(error))
            if status != 0:
                assert error.value and self.error_status(error) == status
                raised = HdbError(self.status_name(status).decode(),
                                  self.error_message(error).decode(),
                                  self.error_where(error).decode())
                self.error_free(error)
                raise raised
            assert not error.value
            return value.value if hasattr(value, "value") else value
        return call

    def take_text(self, address):
        """The text of a `char**`, which is freed."""
        text = ctypes.string_at(address).decode()
        self.free(address)
        return text

    def record(self, table, handle):
        """The bytes of a record; None if there is none."""
        size = c_size_t()
        at = self.find(table, handle, byref(size))
        return None if at is None else ctypes.string_at(at, size.value)

    def records(self, table):
        """All (handle, bytes)."""
        handles = (self.handle_at(table, i) for i in range(self.position_end(table)))
        return [(handle, self.record(table, handle)) for handle in handles if handle]

    def tables(self, database):
        """All tables in the order of their names."""
        found = []
        while table := self.table_at(database, len(found)):
            found.append(table)
        return found

    def state_hash(self, database):
        """The state hash, captured now."""
        snapshot = self.capture(database)
        found = self.snapshot_hash(snapshot)
        self.snapshot_free(snapshot)
        return found.low, found.high

    def describe(self, table):
        """What hdb_table_describe fills."""
        options = sized(TableOptions)
        self.table_describe(table, byref(options))
        return options

    def info(self, path):
        """What hdb_read_info fills."""
        info = sized(Info)
        self.read_info(path, byref(info))
        self.free(info.title)
        return info
