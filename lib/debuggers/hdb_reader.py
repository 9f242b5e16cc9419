# Reads handles, tables and databases out of the memory of a program, for hdb_gdb.py and
# hdb_lldb.py. Calls no function of the program, so core files can be read, too.
#
# A debugger is an object with these methods; a type is what the debugger takes for one:
#   read(address, size)        bytes; raises an exception where no memory is
#   find_type(name)            a type, or None
#   type_name(type)            its name without const, references and typedefs
#   size_of(type)
#   find_member(type, name)    (offset, type of the member), also in base classes, or None
#   argument(type, index)      the type that is this argument of a template
#   base_offset(type, name)    where the base class of this name begins, or None
#   symbol_at(address)         the demangled name of the variable at this address, or None
#   address_of(name)           the address of a variable, or None
#   chosen_database()          the address of a database that the user named, or None
import re

# Where values lie in hdb's classes. tools/generate/natvis.py writes hdb.natvis by the same paths,
# and the tests look each of them up.
PATHS = {
    "hdb::Handle": {"bits": "bits_"},
    "hdb::Strong": {"bits": "handle_.bits_", "handle": "handle_"},
    "hdb::Ref": {"handle": "handle_"},
    "hdb::BoundHandle": {"handle": "handle_"},
    "hdb::Table": {"core": "core_"},
    "hdb::ComponentTable": {"core": "rows_.core_"},
    "hdb::BlobTable": {"core": "core_.table_", "allocated": "core_.allocated_"},
    "hdb::ResourceTable": {"table": "table_"},
    "hdb::Singleton": {"table": "table_"},
    "hdb::Database": {"tables": "tables_"},
    "hdb::Snapshot": {"data": "data_"},
    "hdb::History": {"frames": "frames_", "bytes": "bytes_"},
    "hdb::Sidecar": {"table": "table_", "entries": "entries_"},
    "hdb::Metadata": {"title": "title", "sequence": "sequence", "play_time_ms": "play_time_ms",
                      "date_unix_ms": "date_unix_ms", "values": "values"},
    "hdb::Error": {"code": "code", "what": "what", "offset": "offset", "where": "where",
                   "file": "file"},
    "hdb::Hash128": {"low": "low", "high": "high"},
    "hdb::HandleLayout": {"index_bits": "index_bits", "generation_bits": "generation_bits",
                          "type_bits": "type_bits"},
    "hdb::Box": {"object": "object_"},
    "hdb::OneOf": {"object": "object_", "index": "index_"},
    "tl::expected": {"has_value": "m_has_val", "value": "m_val", "error": "m_unexpect.m_val"},
    "hdb::detail::TableList": {"entries": "entries_"},
    "hdb::detail::TableEntry": {"name": "name", "content": "content", "made_from": "made_from",
                                "record": "record_type.key.anchor_", "handles": "key.anchor_",
                                "is_singleton": "is_singleton"},
    "hdb::detail::BlobCore": {"core": "table_"},
    "hdb::detail::TableCore": {
        "label": "label_", "dense": "dense_", "names": "names_", "type_id": "options_.type_id",
        "slot_count": "slots_.counters_.slot_count", "live_count": "slots_.counters_.live_count",
        "free_count": "slots_.counters_.free_count",
        "retired_count": "slots_.counters_.retired_count",
        "index_bits": "slots_.policy_.layout.index_bits",
        "generation_bits": "slots_.policy_.layout.generation_bits",
        "type_bits": "slots_.policy_.layout.type_bits",
        "is_component": "slots_.policy_.is_component", "owner": "owner_",
        "entries": "slots_.entries_.data_", "records": "records_.data_",
        "stride": "records_.stride_"},
}

VACANT = 0x80000000  # slot_tag::kVacant: in the tag of each slot that is not live
BLOBS = 3            # TableTemplate::blobs
MOST_TABLES = 100000
MOST_CHARACTERS = 2000
SLOTS_AT_ONCE = 4096


class Unreadable(Exception):
    """What the program's memory or debug information does not show; its text says why."""


class Object:
    """A value of a known type in memory."""

    def __init__(self, debugger, address, value_type):
        self.debugger, self.address, self.type = debugger, address, value_type

    def member(self, path):
        address, value_type = self.address, self.type
        for name in path.split("."):
            found = self.debugger.find_member(value_type, name)
            if found is None:
                raise Unreadable("%s has no debug information here" %
                                 self.debugger.type_name(value_type))
            address, value_type = address + found[0], found[1]
        return Object(self.debugger, address, value_type)

    def number(self):
        return number_at(self.debugger, self.address, self.debugger.size_of(self.type))

    def pointer(self):
        return number_at(self.debugger, self.address, self.debugger.pointer_size)

    def text(self):
        """Of a std::string of libstdc++ or libc++."""
        word = self.debugger.pointer_size
        if self.debugger.find_member(self.type, "_M_string_length") is not None:
            at, size = self.pointer(), number_at(self.debugger, self.address + word, word)
        else:
            first = self.debugger.read(self.address, 1)[0]
            at, size = self.address + 1, first >> 1
            if first & 1:
                at = number_at(self.debugger, self.address + 2 * word, word)
                size = number_at(self.debugger, self.address + word, word)
        raw = self.debugger.read(at, min(size, MOST_CHARACTERS)) if size else b""
        return raw.decode("utf-8", "backslashreplace")


def number_at(debugger, address, size):
    return int.from_bytes(debugger.read(address, size), debugger.byte_order)


def typed(debugger, address, name):
    value_type = debugger.find_type(name)
    if value_type is None:
        raise Unreadable("%s has no debug information here" % name)
    return Object(debugger, address, value_type)


def part(value, of, name):
    """The part of `value`, an Object of the class `of`, that PATHS calls `name`."""
    return value.member(PATHS[of][name])


def plain_name(name):
    """A name without what compilers write differently: spaces, suffixes of numbers."""
    return re.sub(r"\b(\d+)[ul]+\b", r"\1", name).replace(" ", "")


def template_arguments(name):
    """The arguments of a template by the name of the type."""
    depth, arguments, begin = 0, [], name.find("<") + 1
    for at in range(begin, len(name) if begin else 0):
        if name[at] in "<({[":
            depth += 1
        elif name[at] == "," and depth == 0:
            arguments.append(name[begin:at].strip())
            begin = at + 1
        elif name[at] in ">)}]":
            depth -= 1
            if depth < 0:
                arguments.append(name[begin:at].strip())
                break
    return arguments


class Layout:
    def __init__(self, index_bits, generation_bits, type_bits):
        self.widths = (index_bits, generation_bits, type_bits)

    @staticmethod
    def of_handle(type_name):
        found = re.search(r"Layout<(\d+)u?l?, ?(\d+)u?l?, ?(\d+)u?l?> ?>$", type_name)
        if not found:
            raise Unreadable("not a handle: " + type_name)
        return Layout(*map(int, found.groups()))

    def split(self, bits):
        """Index, generation and type id."""
        parts = []
        for width in self.widths:
            parts.append(bits & ((1 << width) - 1))
            bits >>= width
        return parts


def name_of(core):
    """The name of a table of a database, else an empty text."""
    label = part(core, "hdb::detail::TableCore", "label").text()
    return label[7:-1] if label.startswith("table '") else ""


def counted(number, what):
    return "%d %s%s" % (number, what, "" if number == 1 else "s")


class Table:
    """One table; `record` is the type of its records, or None where that is not known."""

    def __init__(self, core, record):
        self.core, self.record, self.debugger = core, record, core.debugger
        for name in ("dense", "slot_count", "live_count", "free_count", "retired_count", "type_id",
                     "stride", "is_component"):
            setattr(self, name, part(core, "hdb::detail::TableCore", name).number())
        self.layout = Layout(*(part(core, "hdb::detail::TableCore", name).number()
                               for name in ("index_bits", "generation_bits", "type_bits")))
        self.entries = part(core, "hdb::detail::TableCore", "entries").pointer()
        self.records = part(core, "hdb::detail::TableCore", "records").pointer()
        self.entry_size = 8 if self.dense else 4
        if self.slot_count >= 1 << 32 or self.live_count > self.slot_count:
            raise Unreadable("not a table: its counters make no sense")
        self.name = name_of(core)
        owner = part(core, "hdb::detail::TableCore", "owner").pointer()
        self.owner = name_of(Object(core.debugger, owner, core.type)) if owner else ""

    def entry(self, slot, raw=None, at=0):
        """Tag and position of a slot; `raw` holds its entry at `at`, unless it must be read."""
        raw = raw or self.debugger.read(self.entries + slot * self.entry_size, self.entry_size)
        order = self.debugger.byte_order
        tag = int.from_bytes(raw[at:at + 4], order)
        return tag, int.from_bytes(raw[at + 4:at + 8], order) if self.dense else slot

    def record_at(self, position):
        return self.records + position * self.stride

    def live(self):
        """(handle as text, address of the record) of each live slot, in the order of slots."""
        for first in range(0, self.slot_count, SLOTS_AT_ONCE):
            count = min(SLOTS_AT_ONCE, self.slot_count - first)
            raw = self.debugger.read(self.entries + first * self.entry_size,
                                     count * self.entry_size)
            for slot in range(first, first + count):
                tag, position = self.entry(slot, raw, (slot - first) * self.entry_size)
                if 0 < tag < VACANT:
                    yield self.handle_text(slot, tag), self.record_at(position)

    def handle_text(self, slot, generation):
        """As hdb::handle_name: monsters:7@1, or monsters:7@1.positions for a component."""
        text = "%d@%d" % (slot, generation)
        if self.owner:
            return "%s:%s.%s" % (self.owner, text, self.name)
        return self.name + ":" + text if self.name else text

    def find(self, bits):
        """The text of a handle, and the address of its record; None where it is not live."""
        index, generation, _ = self.layout.split(bits)
        text = self.handle_text(index, generation)
        if index >= self.slot_count:
            return "%s stale: the table has %s" % (text, counted(self.slot_count, "slot")), None
        tag, position = self.entry(index)
        if 0 < tag < VACANT and tag == generation:
            return text + " live", self.record_at(position)
        if 0 < tag < VACANT:
            return "%s stale: the slot holds %s" % (text, self.handle_text(index, tag)), None
        return text + " stale: the slot holds no record", None

    def summary(self):
        parts = [counted(self.live_count, "component" if self.is_component else "record"),
                 "dense" if self.dense else "stable"]
        if self.free_count:
            parts.append(counted(self.free_count, "free slot"))
        if self.retired_count:
            parts.append(counted(self.retired_count, "retired slot"))
        return "%s: %s" % (self.name or "a table", ", ".join(parts))


def table_of_value(value, of, record):
    """The Table of an Object that is an hdb::Table, hdb::ComponentTable or hdb::BlobTable."""
    return Table(part(value, of, "core"), record)


def type_of_anchor(debugger, anchor):
    """The name of the type whose key has this anchor; None if it has no symbol."""
    symbol = debugger.symbol_at(anchor) if anchor else None
    found = re.match(r"hdb::detail::type_identity<(.*)>$", symbol or "")
    return found.group(1).strip() if found else None


class Entry:
    """A table of a database, without its type."""

    def __init__(self, value):
        self.value, self.debugger = value, value.debugger

    def get(self, name):
        return part(self.value, "hdb::detail::TableEntry", name)

    def table(self):
        name = type_of_anchor(self.debugger, self.get("record").pointer())
        record = self.debugger.find_type(name) if name else None
        content = self.get("content").pointer()
        if self.get("made_from").number() == BLOBS:
            blobs = typed(self.debugger, content, "hdb::detail::BlobCore")
            return Table(part(blobs, "hdb::detail::BlobCore", "core"), record)
        return Table(typed(self.debugger, content, "hdb::detail::TableCore"), record)


def entries_of(debugger, list_address):
    """The tables of the hdb::detail::TableList at an address."""
    tables = typed(debugger, list_address, "hdb::detail::TableList")
    vector = part(tables, "hdb::detail::TableList", "entries")
    word = debugger.pointer_size  # a vector begins with its begin and end, a shared_ptr with where
    begin, end = vector.pointer(), number_at(debugger, vector.address + word, word)
    if not 0 <= end - begin <= MOST_TABLES * 2 * word:
        raise Unreadable("not a database: its list of tables makes no sense")
    for at in range(begin, end, 2 * word):
        yield Entry(typed(debugger, number_at(debugger, at, word), "hdb::detail::TableEntry"))


def known_databases(debugger):
    """The addresses of the lists of tables of all databases that can be found."""
    chosen = debugger.chosen_database()
    if chosen:
        yield part(typed(debugger, chosen, "hdb::Database"), "hdb::Database", "tables").address
        return
    head = debugger.address_of("hdb::detail::known_databases")
    word = debugger.pointer_size
    at = number_at(debugger, head, word) if head else 0
    for _ in range(MOST_TABLES):
        if not at:
            return
        yield number_at(debugger, at, word)
        at = number_at(debugger, at + word, word)


def tables_of_handle(debugger, type_name, bits):
    """The tables that may have issued a handle of this type with these bits."""
    layout = Layout.of_handle(type_name)
    wanted = plain_name(type_name)
    for address in known_databases(debugger):
        for entry in entries_of(debugger, address):
            if layout.widths[2]:
                table = entry.table()
                same = table.layout.widths == layout.widths and not table.is_component
                if same and table.type_id == layout.split(bits)[2]:
                    yield table
                continue
            name = type_of_anchor(debugger, entry.get("handles").pointer())
            if name and plain_name(name) == wanted:
                yield entry.table()


def find_handle(debugger, type_name, bits):
    """The text of a handle, the type of its record and the address; None where it is not live."""
    if bits == 0:
        return "null", None, None
    index, generation, type_id = Layout.of_handle(type_name).split(bits)
    bare = "%d@%d" % (index, generation)
    if type_id:
        bare += " of type id %d" % type_id
    try:
        tables = list(tables_of_handle(debugger, type_name, bits))
    except Unreadable as reason:
        return "%s (%s)" % (bare, reason), None, None
    if not tables:
        known = any(True for _ in known_databases(debugger))
        return "%s (%s)" % (bare, "no database has a table of these handles" if known else
                            "no database known; " + debugger.advice), None, None
    found = [(table,) + table.find(bits) for table in tables]
    live = [one for one in found if one[2] is not None] or found
    table, text, address = live[0]
    if len(live) > 1:
        text += " (or in another database)"
    return text, table.record if address is not None else None, address
