# Pretty printers of hdb for gdb: handles with their records, tables, databases, results.
# gdb loads this file by itself where hdb is installed; else: source hdb_gdb.py
import os
import sys

import gdb
import gdb.printing

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import hdb_reader as reader  # noqa: E402: found by the line above
import hdb_values as values  # noqa: E402


class Debugger:
    """What hdb_reader asks of a debugger."""
    advice = "without assertions, set $hdb = &world.database"

    def __init__(self):
        pointer = gdb.lookup_type("void").pointer()
        self.pointer_size = pointer.sizeof
        big = "big endian" in gdb.execute("show endian", to_string=True)
        self.byte_order = "big" if big else "little"
        self.members, self.symbols = {}, {}

    def read(self, address, size):
        return gdb.selected_inferior().read_memory(address, size).tobytes()

    def find_type(self, name):
        try:
            return gdb.lookup_type(name)
        except gdb.error:
            return None

    def type_name(self, value_type):
        return str(plain_type(value_type))

    def size_of(self, value_type):
        return value_type.sizeof

    def find_member(self, value_type, name):
        value_type = plain_type(value_type)
        key = (str(value_type), name)
        if key not in self.members:
            self.members[key] = self.look_for(value_type, name)
        return self.members[key]

    def look_for(self, value_type, name):
        if value_type.code not in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
            return None
        for field in value_type.fields():
            if not hasattr(field, "bitpos"):  # a static member
                continue
            at = field.bitpos // 8
            if field.name == name:
                return at, field.type
            if field.is_base_class or not field.name:
                found = self.look_for(plain_type(field.type), name)
                if found is not None:
                    return at + found[0], found[1]
        return None

    def argument(self, value_type, index):
        return plain_type(value_type).template_argument(index)

    def base_offset(self, value_type, name):
        for field in plain_type(value_type).fields():
            if field.is_base_class and str(plain_type(field.type)) == name:
                return field.bitpos // 8
        return None

    def symbol_at(self, address):
        if address not in self.symbols:
            text = gdb.execute("info symbol %d" % address, to_string=True)
            self.symbols[address] = text.rsplit(" in section ", 1)[0].strip()
        return self.symbols[address]

    def address_of(self, name):
        try:
            return int(gdb.parse_and_eval("(unsigned long)&'%s'" % name))
        except gdb.error:
            return None

    def chosen_database(self):
        chosen = gdb.convenience_variable("hdb")
        return int(chosen) if chosen is not None else None


class Kept:
    """The Debugger with what it found, until the program ends or gdb reads other symbols."""
    debugger = None

    @staticmethod
    def get():
        if Kept.debugger is None:
            Kept.debugger = Debugger()
        return Kept.debugger

    @staticmethod
    def forget(_):
        Kept.debugger = None


for event in ("new_objfile", "clear_objfiles", "exited"):
    getattr(gdb.events, event).connect(Kept.forget)


def plain_type(value_type):
    value_type = value_type.strip_typedefs()
    if value_type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        value_type = value_type.target().strip_typedefs()
    return value_type.unqualified()


def object_of(value):
    if value.address is None or value.is_optimized_out:
        raise reader.Unreadable("optimized out")
    return reader.Object(Kept.get(), int(value.address), plain_type(value.type))


# What a printer meets where memory or debug information is not what it should be. Only what the
# user asks for, such as Ctrl-C, ends one.
FAULTS = (reader.Unreadable, gdb.error, RuntimeError, ValueError, TypeError, LookupError,
          OverflowError)


def value_at(address, value_type):
    """The value, or a text if it cannot be read: gdb would end the whole print there."""
    value = gdb.Value(address).cast(value_type.pointer()).dereference()
    return guarded(lambda: value.fetch_lazy() or value)


def guarded(call):
    """The result of a call, or a text that says why there is none."""
    try:
        return call()
    except FAULTS as reason:
        return "<%s>" % reason


class Records:
    """While a record is printed: handles in it do not show their records again."""
    depth = 0

    @staticmethod
    def of(children):
        # An editor asks for some children and keeps the others for later: the mark ends with the
        # command. (In a gdb that only runs a few commands, the event could come after its end.)
        if IS_RUN_BY_EDITOR and Records.depth == 0:
            gdb.post_event(Records.forget)
        Records.depth += 1
        try:
            yield from up_to_fault(children)
        finally:
            Records.depth = max(0, Records.depth - 1)

    @staticmethod
    def forget():
        Records.depth = 0


def is_run_by_editor():
    """Whether gdb speaks to an editor (gdb/MI), by how it was started."""
    try:
        with open("/proc/self/cmdline", "rb") as file:
            words = file.read().split(b"\0")
    except OSError:
        return False
    return any(word.split(b"=")[-1].startswith(b"mi") and (b"=" in word or len(word) <= 3)
               for word in words if word.startswith((b"-", b"mi")))


IS_RUN_BY_EDITOR = is_run_by_editor()


def up_to_fault(children):
    """Children as gdb asks for them; the text of the value says what is wrong."""
    try:
        yield from children
    except FAULTS:
        return


class Printer:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return guarded(self.text)


class HandlePrinter(Printer):
    """A handle, with its record as a child."""
    def __init__(self, value):
        super().__init__(value)
        self.record = None
        self.inside = Records.depth > 0
        self.shown = guarded(self.find)

    def find(self):
        if self.value.is_optimized_out:
            raise reader.Unreadable("optimized out")
        text, record, address = reader.find_handle(
            Kept.get(), str(plain_type(self.value.type)), int(self.value["bits_"]))
        if record is not None and not self.inside:
            self.record = value_at(address, record)
        return text

    def text(self):
        return self.shown

    def children(self):
        record = [("record", self.record)] if self.record is not None else []
        return Records.of(record)


class ShownText:
    """A text without children: editors show `{...}` for a value that has some."""
    def __init__(self, text):
        self.text = text

    def to_string(self):
        return self.text


def print_handle(value):
    printer = HandlePrinter(value)
    return printer if printer.record is not None else ShownText(printer.shown)


class TablePrinter(Printer):
    of = "hdb::Table"

    def table(self):
        record = self.value.type.strip_typedefs().template_argument(0)
        return reader.table_of_value(object_of(self.value), self.of, record)

    def text(self):
        return self.table().summary()

    def children(self):
        return Records.of(self.pairs())

    def pairs(self):
        table = self.table()
        for text, address in table.live():
            yield text + " key", text  # no two children of an editor have one name
            yield text, value_at(address, table.record) if table.record else "<type not known>"

    def display_hint(self):
        return "map"


class ComponentTablePrinter(TablePrinter):
    of = "hdb::ComponentTable"


class BlobTablePrinter(TablePrinter):
    of = "hdb::BlobTable"


class OverTablePrinter(TablePrinter):
    """What refers to a table: ResourceTable, Singleton."""
    def __init__(self, value):
        super().__init__(value["table_"].dereference())


class UntypedTablePrinter(TablePrinter):
    """A table of a database."""
    def table(self):
        return reader.Entry(object_of(self.value)).table()


class DatabasePrinter(Printer):
    def entries(self):
        database = object_of(self.value)
        tables = reader.part(database, "hdb::Database", "tables")
        return reader.entries_of(database.debugger, tables.address)

    def text(self):
        return "a database of " + reader.counted(sum(1 for _ in self.entries()), "table")

    def children(self):
        return up_to_fault((reader.part(entry.value, "hdb::detail::TableEntry", "name").text(),
                          value_at(entry.value.address, entry.value.type))
                         for entry in self.entries())


class ResultPrinter(Printer):
    """The value or the error."""
    def has_value(self):
        return bool(self.value["m_has_val"])

    def text(self):
        if not self.has_value():
            return "error: " + ErrorPrinter(self.value["m_unexpect"]["m_val"]).text()
        return "success" if self.is_status() else "a value"

    def is_status(self):
        return self.value.type.strip_typedefs().template_argument(0).code == gdb.TYPE_CODE_VOID

    def children(self):
        def pairs():
            if self.has_value() and not self.is_status():
                yield "value", self.value["m_val"]
        return up_to_fault(pairs())


class ErrorPrinter(Printer):
    def text(self):
        return values.error_text(object_of(self.value), str(self.value["code"]))


class TextPrinter(Printer):
    """A value that one function of hdb_reader makes a text of."""
    def __init__(self, value, make):
        super().__init__(value)
        self.make = make

    def text(self):
        return self.make(object_of(self.value))


class HistoryPrinter(Printer):
    """The frames with their snapshots."""
    def text(self):
        return values.history_text(object_of(self.value))

    def children(self):
        return up_to_fault(("[%d]" % number, value_at(snapshot.address, snapshot.type))
                           for number, snapshot in values.frames_of(object_of(self.value)))


class SidecarPrinter(Printer):
    """The values under the handles of their records."""
    def text(self):
        return values.Sidecar(object_of(self.value)).summary()

    def children(self):
        return Records.of(self.pairs())

    def pairs(self):
        for text, held in values.Sidecar(object_of(self.value)).pairs():
            yield text + " key", text
            yield text, value_at(held.address, held.type)

    def display_hint(self):
        return "map"


class BoxPrinter(Printer):
    """The object, or that there is none."""
    of = "hdb::Box"

    def target(self):
        return values.object_held(object_of(self.value), self.of)

    def text(self):
        _, held = self.target()
        return "empty" if held is None else str(held)

    def children(self):
        def pairs():
            address, held = self.target()
            if held is not None:
                yield "object", value_at(address, held)
        return up_to_fault(pairs())


class OneOfPrinter(BoxPrinter):
    of = "hdb::OneOf"


def make_printers():
    printers = gdb.printing.RegexpCollectionPrettyPrinter("hdb")
    for name, pattern, make in (
            ("Handle", "^hdb::Handle<.*>$", print_handle),
            ("Strong", "^hdb::(Strong|Ref|BoundHandle)<.*>$",
             lambda v: print_handle(v["handle_"])),
            ("Table", "^hdb::Table<.*>$", TablePrinter),
            ("ComponentTable", "^hdb::ComponentTable<.*>$", ComponentTablePrinter),
            ("BlobTable", "^hdb::BlobTable<.*>$", BlobTablePrinter),
            ("OverTable", "^hdb::(ResourceTable|Singleton)<.*>$", OverTablePrinter),
            ("TableEntry", "^hdb::detail::TableEntry$", UntypedTablePrinter),
            ("Database", "^hdb::Database$", DatabasePrinter),
            ("Result", "^tl::expected<.*, hdb::Error>$", ResultPrinter),
            ("Error", "^hdb::Error$", ErrorPrinter),
            ("Box", "^hdb::Box<.*>$", BoxPrinter),
            ("OneOf", "^hdb::OneOf<.*>$", OneOfPrinter),
            ("Snapshot", "^hdb::Snapshot$", lambda v: TextPrinter(v, values.snapshot_text)),
            ("History", "^hdb::History$", HistoryPrinter),
            ("Sidecar", "^hdb::Sidecar<.*>$", SidecarPrinter),
            ("Metadata", "^hdb::Metadata$", lambda v: TextPrinter(v, values.metadata_text)),
            ("Hash128", "^hdb::Hash128$", lambda v: TextPrinter(v, values.hash_text)),
            ("HandleLayout", "^hdb::HandleLayout$",
             lambda v: TextPrinter(v, values.layout_text))):
        printers.add_printer(name, pattern, make)
    return printers


gdb.printing.register_pretty_printer(None, make_printers(), replace=True)
