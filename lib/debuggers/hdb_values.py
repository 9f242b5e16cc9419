# Texts and parts of what is neither a handle nor a table: errors, boxes, snapshots, histories,
# sidecars, metadata. By the debugger of hdb_reader.py; for hdb_gdb.py and hdb_lldb.py.
import datetime
import itertools

import hdb_reader as reader

MOST_FRAMES = 1000000
MOST_VALUES = 64        # of an hdb::Metadata
MOST_BYTES = 1 << 40    # of a vector
MOST_DEPTH = 64         # of a std::map


def error_text(error, code):
    """An hdb::Error as one line; `code` is the name of its code."""
    def get(name):
        return reader.part(error, "hdb::Error", name)
    offset = get("offset").number()
    where = (["byte %d" % offset] if offset != (1 << 64) - 1 else [])
    where += [text for text in [get("where").text()] if text]
    file = get("file").text()
    return "%s%s: %s%s" % (file + ": " if file else "", code.split("::")[-1], get("what").text(),
                           " (%s)" % ", ".join(where) if where else "")


def object_held(value, of):
    """Address and type of the object in an hdb::Box or hdb::OneOf; None, None if it is empty."""
    address = reader.part(value, of, "object").pointer()
    if not address:
        return None, None
    names = reader.template_arguments(value.debugger.type_name(value.type))
    index = reader.part(value, of, "index").number() if "index" in reader.PATHS[of] else 0
    if index >= len(names):
        raise reader.Unreadable("no value of its type")
    held = reader.typed(value.debugger, address, names[index])
    offset = value.debugger.base_offset(held.type, names[0]) if index else 0
    return address - (offset or 0), held.type


def hash_text(value):
    return "%016x%016x" % tuple(reader.part(value, "hdb::Hash128", name).number()
                                for name in ("high", "low"))


def layout_text(value):
    widths = [reader.part(value, "hdb::HandleLayout", name).number()
              for name in ("index_bits", "generation_bits", "type_bits")]
    return "%d index bits, %d generation bits, %d type id bits" % tuple(widths)


def snapshot_text(snapshot):
    """As much as is known of an hdb::Snapshot: its class for the data is private to the library."""
    debugger = snapshot.debugger
    address = reader.part(snapshot, "hdb::Snapshot", "data").pointer()
    if not address:
        return "an empty snapshot"
    if debugger.find_type("hdb::SnapshotData") is None:
        return "a snapshot (the library has no debug information)"
    data = reader.typed(debugger, address, "hdb::SnapshotData")
    text = "snapshot %d" % data.member("moment").number()
    states = data.member("states").pointer()
    if states:
        captured = reader.typed(debugger, states, "hdb::detail::CapturedTables")
        roll = reader.typed(debugger, captured.member("roll_").pointer(), "hdb::detail::TableRoll")
        names = members_of_roll(debugger, roll)
        text += " of %s: %s" % (reader.counted(len(names), "table"), ", ".join(names))
    return text


class Elements:
    """The elements of a std::vector, as Objects."""

    def __init__(self, vector, element_type):
        self.debugger, self.type, word = vector.debugger, element_type, vector.debugger.pointer_size
        size = self.debugger.size_of(element_type)
        begin, end = vector.pointer(), reader.number_at(self.debugger, vector.address + word, word)
        if not 0 <= end - begin <= MOST_BYTES or (end - begin) % size:
            raise reader.Unreadable("not a vector: its addresses make no sense")
        self.addresses = range(begin, end, size)

    def __iter__(self):
        return (reader.Object(self.debugger, at, self.type) for at in self.addresses)


def members_of_roll(debugger, roll):
    members = Elements(roll.member("members"), debugger.find_type("hdb::detail::TableRoll::Member"))
    names = []
    for member in itertools.islice(members, reader.MOST_TABLES):
        entry = reader.typed(debugger, member.pointer(), "hdb::detail::TableEntry")
        names.append(reader.part(entry, "hdb::detail::TableEntry", "name").text())
    return names


def frames_of(history):
    """(number, Object of the snapshot) of each frame of an hdb::History, from the oldest on."""
    frames = reader.part(history, "hdb::History", "frames")
    debugger, word = history.debugger, history.debugger.pointer_size
    frame = debugger.argument(frames.type, 0)
    if debugger.find_member(frames.type, "_M_impl") is None:
        raise reader.Unreadable("only the std::deque of libstdc++ is known")
    # An iterator: the element, begin and end of its block, and the entry of the block in a list.
    size, start = debugger.size_of(frame), frames.member("_M_impl._M_start").address
    at, _, block_end, block = (reader.number_at(debugger, start + n * word, word) for n in range(4))
    end = frames.member("_M_impl._M_finish").pointer()
    for _ in range(MOST_FRAMES):
        if at == end:
            return
        made = reader.Object(debugger, at, frame)
        yield made.member("number").number(), made.member("snapshot")
        at += size
        if at == block_end:
            block += word
            at = reader.number_at(debugger, block, word)
            block_end = at + max(512 // size, 1) * size
    raise reader.Unreadable("not a history: its frames make no sense")


def history_text(history):
    numbers = [number for number, _ in frames_of(history)]
    if not numbers:
        return "an empty history"
    size = reader.counted(reader.part(history, "hdb::History", "bytes").number(), "byte")
    count = reader.counted(len(numbers), "frame")
    return "%s: %d to %d, %s" % (count, numbers[0], numbers[-1], size)


class Sidecar:
    """The values of an hdb::Sidecar beside the records of its table."""

    def __init__(self, value):
        debugger, self.table = value.debugger, None
        vector = reader.part(value, "hdb::Sidecar", "entries")
        self.entries = Elements(vector, debugger.argument(vector.type, 0))
        address = reader.part(value, "hdb::Sidecar", "table").pointer()
        kind = debugger.argument(value.type, 1)
        of = debugger.type_name(kind).split("<")[0]
        if address and "core" in reader.PATHS.get(of, {}):
            self.table = reader.table_of_value(reader.Object(debugger, address, kind), of, None)

    def summary(self):
        text = reader.counted(len(self.entries.addresses), "value")
        return "%s beside %s" % (text, self.table.name or "a table") if self.table else text

    def pairs(self):
        """(handle as text, Object of the value) of each entry."""
        for entry in self.entries:
            handle = entry.member("handle")
            layout = reader.Layout.of_handle(handle.debugger.type_name(handle.type))
            index, generation, _ = layout.split(reader.part(handle, "hdb::Handle", "bits").number())
            text = (self.table.handle_text(index, generation) if self.table else
                    "%d@%d" % (index, generation))
            yield text, entry.member("value")


def texts_of_map(held):
    """The keys and values of a std::map of texts, in its order."""
    debugger, word = held.debugger, held.debugger.pointer_size
    if debugger.find_member(held.type, "_M_t") is None:
        raise reader.Unreadable("only the std::map of libstdc++ is known")
    string = debugger.argument(held.type, 0)
    root = held.member("_M_t._M_impl._M_header").address + word
    for node in itertools.islice(nodes_in_order(debugger, reader.number_at(debugger, root, word)),
                                 MOST_VALUES):
        at = node + 4 * word
        yield tuple(reader.Object(debugger, at + offset, string).text()
                    for offset in (0, debugger.size_of(string)))


def nodes_in_order(debugger, node, depth=0):
    """A node of a tree of libstdc++ and those below. It begins with its color, its parent, and its
    left and right nodes."""
    if not node or depth == MOST_DEPTH:
        return
    word = debugger.pointer_size
    yield from nodes_in_order(debugger, reader.number_at(debugger, node + 2 * word, word),
                              depth + 1)
    yield node
    yield from nodes_in_order(debugger, reader.number_at(debugger, node + 3 * word, word),
                              depth + 1)


def metadata_text(metadata):
    """An hdb::Metadata as one line."""
    title, sequence, played, date, held = (
        reader.part(metadata, "hdb::Metadata", name)
        for name in ("title", "sequence", "play_time_ms", "date_unix_ms", "values"))
    parts = ['"%s"' % title.text() if title.text() else "untitled"]
    parts += ["save %d" % sequence.number()] if sequence.number() else []
    seconds = played.number() // 1000
    parts += ["played %d:%02d:%02d" % (seconds // 3600, seconds // 60 % 60, seconds % 60)]
    milliseconds = date.number() - (date.number() >> 63 << 64)
    if milliseconds:
        day = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=milliseconds)
        parts += [day.strftime("%Y-%m-%d %H:%M:%S UTC")]
    return ", ".join(parts + ["%s: %s" % pair for pair in texts_of_map(held)])
