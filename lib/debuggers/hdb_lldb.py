# Summaries of hdb for LLDB: handles with their records, tables, databases, results.
# In LLDB: command script import hdb_lldb.py. The command hdb-database names a database.
import itertools
import os
import re
import sys

import lldb

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import hdb_reader as reader  # noqa: E402: found by the line above
import hdb_values as values  # noqa: E402

MOST_RECORDS = 256  # that a table shows


class Debugger:
    """What hdb_reader asks of a debugger."""
    advice = "without assertions, hdb-database world.database"

    def __init__(self, value):
        self.target = value.target
        self.known = known_of(value.process)
        self.process = value.process
        self.pointer_size = self.target.GetAddressByteSize()
        big = self.target.GetByteOrder() == lldb.eByteOrderBig
        self.byte_order = "big" if big else "little"

    def read(self, address, size):
        error = lldb.SBError()
        read = self.process.ReadMemory(address, size, error)
        if error.Fail() or len(read) != size:
            raise reader.Unreadable("cannot read memory at 0x%x" % address)
        return read

    def find_type(self, name):
        if name not in self.known:
            found = [made for made in self.target.FindTypes(name)
                     if made.IsTypeComplete() and made.size]
            if not found:
                return None  # a library that is loaded later may have it
            self.known[name] = found[0]
        return self.known[name]

    def type_name(self, value_type):
        return plain_type(value_type).name

    def size_of(self, value_type):
        return value_type.size

    def find_member(self, value_type, name):
        value_type = plain_type(value_type)
        key = (value_type.name, name)
        if key not in self.known:
            self.known[key] = self.look_for(value_type, name)
        return self.known[key]

    def look_for(self, value_type, name):
        if not value_type.GetNumberOfFields() and not value_type.GetNumberOfDirectBaseClasses():
            value_type = self.find_type(value_type.name) or value_type
        for field in value_type.fields:
            if field.name == name:
                return field.GetOffsetInBytes(), field.type
        inside = [field for field in value_type.fields if not field.name] + list(value_type.bases)
        for within in inside:
            found = self.look_for(plain_type(within.type), name)
            if found is not None:
                return within.GetOffsetInBytes() + found[0], found[1]
        return None

    def argument(self, value_type, index):
        return plain_type(value_type).GetTemplateArgumentType(index)

    def base_offset(self, value_type, name):
        for base in plain_type(value_type).bases:
            if plain_type(base.type).name == name:
                return base.GetOffsetInBytes()
        return None

    def symbol_at(self, address):
        if address not in self.known:
            self.known[address] = self.look_for_symbol(address)
        return self.known[address]

    def look_for_symbol(self, address):
        name = self.target.ResolveLoadAddress(address).symbol.name
        if name:
            return name
        # LLDB 14 takes some variables for thread-local ones, which have the same addresses in the
        # file, and then finds no name.
        for module in self.target.modules:
            for at, name in anchors_of(module).items():
                if at + self.slide(module) == address:
                    return name
        return None

    def address_of(self, name):
        for context in self.target.FindSymbols(name):
            at = context.symbol.GetStartAddress().GetFileAddress()
            return at + self.slide(context.module)
        return None

    def slide(self, module):
        """How far the module lies from the addresses of its file."""
        header = module.GetObjectFileHeaderAddress()
        return header.GetLoadAddress(self.target) - header.GetFileAddress()

    def chosen_database(self):
        return CHOSEN.get(self.process.GetUniqueID())


KNOWN_TYPES = {}    # by process, which loads no other code under the same names
KNOWN_ANCHORS = {}  # by module
CHOSEN = {}         # by process, the address of the database that the user named


def known_of(process):
    """What find_type and find_member found in this process."""
    number = process.GetUniqueID()
    if number not in KNOWN_TYPES:
        KNOWN_TYPES.clear()
    return KNOWN_TYPES.setdefault(number, {})


def anchors_of(module):
    """The symbols by which hdb_reader knows types, by their addresses in the file."""
    key = (module.file.fullpath, module.GetUUIDString())
    if key not in KNOWN_ANCHORS:
        KNOWN_ANCHORS[key] = {
            symbol.GetStartAddress().GetFileAddress(): symbol.name for symbol in module.symbols
            if (symbol.name or "").startswith("hdb::detail::type_identity<")}
    return KNOWN_ANCHORS[key]


def plain_type(value_type):
    return value_type.GetDereferencedType().GetCanonicalType().GetUnqualifiedType() \
        if value_type.IsReferenceType() else value_type.GetCanonicalType().GetUnqualifiedType()


def object_of(value):
    value = value.GetNonSyntheticValue()
    if value.type.IsReferenceType():
        value = value.Dereference()
    address = value.GetLoadAddress()
    if address == lldb.LLDB_INVALID_ADDRESS:
        raise reader.Unreadable("optimized out")
    return reader.Object(Debugger(value), address, plain_type(value.type))


FAULTS = (reader.Unreadable, RuntimeError, ValueError, TypeError, LookupError, OverflowError,
          AttributeError)


def guarded(call):
    """A function for LLDB that never throws: the text says what is wrong."""
    def text(value, _):
        try:
            return call(value)
        except FAULTS as reason:
            return "<%s>" % reason
    return text


def handle_of(value):
    """Text, type and address of the record of a handle, or of what holds one in handle_."""
    value = value.GetNonSyntheticValue()
    held = value.GetChildMemberWithName("handle_")
    value = held.GetNonSyntheticValue() if held.IsValid() else value
    bits = value.GetChildMemberWithName("bits_")
    if not bits.IsValid() or bits.error.Fail():
        raise reader.Unreadable("optimized out")
    return reader.find_handle(Debugger(value), plain_type(value.type).name,
                              bits.GetValueAsUnsigned())


def table_of(value):
    value = value.GetNonSyntheticValue()
    within = value.GetChildMemberWithName("table_")
    value = within.Dereference().GetNonSyntheticValue() if within.IsValid() else value
    made = object_of(value)
    of = made.type.name.split("<")[0]
    if of == "hdb::detail::TableEntry":
        return reader.Entry(made).table()
    return reader.table_of_value(made, of, made.type.GetTemplateArgumentType(0))


def choose_database(debugger, expression, context, result, _):
    """hdb-database EXPRESSION: handles are looked up in this hdb::Database, or what points to one.
    Builds of hdb without assertions keep no list of their databases. Without an expression, the
    list is used again."""
    process = context.GetProcess()
    if not expression.strip():
        CHOSEN.pop(process.GetUniqueID(), None)
        return
    frame = context.GetFrame()
    value = frame.GetValueForVariablePath(expression)  # calls nothing, so it works in core files
    if not value.IsValid() or value.error.Fail():
        value = frame.EvaluateExpression(expression)
    try:
        if value.error.Fail():
            raise reader.Unreadable(" ".join((value.error.GetCString() or "no value").split()))
        value = value.GetNonSyntheticValue()
        if value.type.IsPointerType():
            value = value.Dereference()
        database = object_of(value)
        if database.type.name != "hdb::Database":
            raise reader.Unreadable("its type is " + (database.type.name or "not known"))
        CHOSEN[process.GetUniqueID()] = database.address
        result.AppendMessage(database_summary(value, None))
    except FAULTS as reason:
        result.SetError("hdb-database: '%s' is not an hdb::Database (%s); name one, or what points "
                        "to one, such as world.database" % (expression, reason))


def entries_of(value):
    database = object_of(value)
    tables = reader.part(database, "hdb::Database", "tables")
    return reader.entries_of(database.debugger, tables.address)


def held_by(value):
    """The value or the error of a result as an Object, and whether it is the value; no Object in
    a success of a Status."""
    result = object_of(value)
    if not reader.part(result, "tl::expected", "has_value").number():
        return reader.part(result, "tl::expected", "error"), False
    if result.debugger.find_member(result.type, "m_val") is None:
        return None, True
    return reader.part(result, "tl::expected", "value"), True


def result_text(value):
    held, is_value = held_by(value)
    if not is_value:
        return "error: " + text_of_error(value, held)
    return "a value" if held else "success"


def text_of_error(value, error):
    code = reader.part(error, "hdb::Error", "code")
    return values.error_text(error, str(
        value.CreateValueFromAddress("code", code.address, code.type).GetValue()))


def box_of(value):
    box = object_of(value)
    return values.object_held(box, box.type.name.split("<")[0])


def box_text(value):
    _, held = box_of(value)
    return "empty" if held is None else held.name


handle_summary = guarded(lambda value: handle_of(value)[0])
table_summary = guarded(lambda value: table_of(value).summary())
database_summary = guarded(lambda value: "a database of " + reader.counted(
    sum(1 for _ in entries_of(value)), "table"))
result_summary = guarded(result_text)
error_summary = guarded(lambda value: text_of_error(value, object_of(value)))
snapshot_summary = guarded(lambda value: values.snapshot_text(object_of(value)))
hash_summary = guarded(lambda value: values.hash_text(object_of(value)))
box_summary = guarded(box_text)
metadata_summary = guarded(lambda value: values.metadata_text(object_of(value)))
history_summary = guarded(lambda value: values.history_text(object_of(value)))
sidecar_summary = guarded(lambda value: values.Sidecar(object_of(value)).summary())
layout_summary = guarded(lambda value: values.layout_text(object_of(value)))


class Children:
    """Children of a value as LLDB asks for them: (name, address, type), none after a fault."""
    def __init__(self, value, _):
        self.value, self.made = value, []

    def update(self):
        try:
            self.made = list(self.make())
        except FAULTS:
            self.made = []
        return False

    def num_children(self):
        return len(self.made)

    def has_children(self):
        return bool(self.made)

    def get_child_index(self, name):
        names = [made[0] for made in self.made]
        return names.index(name) if name in names else -1

    def get_child_at_index(self, index):
        if not 0 <= index < len(self.made):
            return None
        name, address, value_type = self.made[index]
        return self.value.CreateValueFromAddress(name, address, value_type)


class HandleChildren(Children):
    """The record."""
    def make(self):
        _, record, address = handle_of(self.value)
        if record is not None and not self.is_in_record():
            yield "record", address, record

    def is_in_record(self):
        """A handle in a record does not show its record again."""
        path = lldb.SBStream()
        self.value.GetNonSyntheticValue().GetExpressionPath(path)
        return re.match(r"[&*(]*(record\b|\[)", path.GetData() or "") is not None


class TableChildren(Children):
    """The records."""
    def make(self):
        table = table_of(self.value)
        for text, address in table.live():
            if len(self.made) >= MOST_RECORDS or table.record is None:
                return
            yield "[%s]" % text, address, table.record


class DatabaseChildren(Children):
    """The tables."""
    def make(self):
        for entry in entries_of(self.value):
            name = reader.part(entry.value, "hdb::detail::TableEntry", "name").text()
            yield "[%s]" % name, entry.value.address, entry.value.type


class ResultChildren(Children):
    """The value."""
    def make(self):
        held, is_value = held_by(self.value)
        if is_value and held:
            yield "value", held.address, held.type


class HistoryChildren(Children):
    """The snapshots."""
    def make(self):
        for number, snapshot in values.frames_of(object_of(self.value)):
            yield "[%d]" % number, snapshot.address, snapshot.type


class SidecarChildren(Children):
    """The values."""
    def make(self):
        pairs = values.Sidecar(object_of(self.value)).pairs()
        for text, held in itertools.islice(pairs, MOST_RECORDS):
            yield "[%s]" % text, held.address, held.type


class BoxChildren(Children):
    """The object."""
    def make(self):
        address, held = box_of(self.value)
        if held is not None:
            yield "object", address, held


def __lldb_init_module(debugger, _):
    def add(pattern, summary, children=None):
        debugger.HandleCommand("type summary add -w hdb %s -x -F %s.%s '%s'" % (
            "-e" if children else "", __name__, summary, pattern))
        if children:
            debugger.HandleCommand("type synthetic add -w hdb -x -l %s.%s '%s'" % (
                __name__, children, pattern))
    add("^hdb::(Handle|Strong|Ref|BoundHandle)<.*>$", "handle_summary", "HandleChildren")
    add("^hdb::(Table|ComponentTable|BlobTable|ResourceTable|Singleton)<.*>$", "table_summary",
        "TableChildren")
    add("^hdb::detail::TableEntry$", "table_summary", "TableChildren")
    add("^hdb::Database$", "database_summary", "DatabaseChildren")
    add("^(tl::expected<.*, hdb::Error>|hdb::Result<.*>|hdb::Result|hdb::Status)$",
        "result_summary", "ResultChildren")
    add("^hdb::(Box|OneOf)<.*>$", "box_summary", "BoxChildren")
    add("^hdb::Sidecar<.*>$", "sidecar_summary", "SidecarChildren")
    add("^hdb::History$", "history_summary", "HistoryChildren")
    for name, summary in (("Error", "error"), ("Snapshot", "snapshot"), ("Hash128", "hash"),
                          ("Metadata", "metadata"), ("HandleLayout", "layout")):
        add("^hdb::%s$" % name, summary + "_summary")
    debugger.HandleCommand("type category enable hdb")
    debugger.HandleCommand("command script add -f %s.choose_database hdb-database" % __name__)
