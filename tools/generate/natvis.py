# Prints lib/debuggers/hdb.natvis, which shows hdb's types in Visual Studio, by the places of values
# that the scripts for gdb and LLDB use (PATHS in lib/debuggers/hdb_reader.py).
# Usage: tools/generate/natvis.py >lib/debuggers/hdb.natvis
import os
import sys
from xml.sax.saxutils import escape, quoteattr

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../lib/debuggers"))
import hdb_reader as reader  # noqa: E402: found by the line above

HEAD = """<?xml version="1.0" encoding="utf-8"?>
<!-- Shows the types of hdb in Visual Studio. Printed by tools/generate/natvis.py. -->
<AutoVisualizer xmlns="http://schemas.microsoft.com/vstudio/debugger/natvis/2010">"""
MOST_ALTERNATIVES = 8  # of an hdb::OneOf


def element(name, text, **attributes):
    made = "".join(" %s=%s" % (key, quoteattr(value)) for key, value in attributes.items())
    return "<%s%s>%s</%s>" % (name, made, escape(text), name)


def display(text, condition=None):
    return element("DisplayString", text, **({"Condition": condition} if condition else {}))


def item(name, expression, **more):
    return element("Item", expression, Name=name, **more)


def shown_as(expression):
    """Text and children are those of another value."""
    return [display("{%s}" % expression), "<Expand>", element("ExpandedItem", expression),
            "</Expand>"]


def handle():
    bits = reader.PATHS["hdb::Handle"]["bits"]
    slot = "%s & ((1ull << $T2) - 1)" % bits
    generation = "(%s >> $T2) & ((1ull << $T3) - 1)" % bits
    type_id = "(unsigned long long)%s >> ($T2 + $T3)" % bits
    return [display("null", "%s == 0" % bits),
            display("slot {%s}, generation {%s}" % (slot, generation)),
            "<Expand>", item("slot", slot), item("generation", generation),
            item("type id", type_id, Condition="$T4 != 0"), "</Expand>"]


def table(of):
    """Counters, and each record under its slot and generation."""
    core = {name: reader.PATHS[of]["core"] + "." + path
            for name, path in reader.PATHS["hdb::detail::TableCore"].items()}
    lines = [display("{%(label)s}: {%(live_count)s} live" % core), "<Expand>"]
    lines += [item(name.replace("_", " "), core[name])
              for name in ("live_count", "free_count", "retired_count", "slot_count")]
    for words, condition, position in ((2, core["dense"], "entries[2 * slot + 1]"),
                                       (1, "!" + core["dense"], "slot")):
        tag = "entries[%s]" % ("2 * slot" if words == 2 else "slot")
        lines += ['<CustomListItems Condition=%s>' % quoteattr(condition),
                  '<Variable Name="slot" InitialValue="0ull"/>',
                  '<Variable Name="entries" InitialValue=%s/>' % quoteattr(
                      "(unsigned int*)" + core["entries"]),
                  element("Size", core["live_count"]), "<Loop>",
                  '<Break Condition=%s/>' % quoteattr("slot == " + core["slot_count"]),
                  '<If Condition=%s>' % quoteattr("%s != 0 && %s < 0x80000000u" % (tag, tag)),
                  item("[{slot}@{%s}]" % tag, "*($T1*)(%s + %s * %s)" % (
                      core["records"], position, core["stride"])),
                  "</If>", "<Exec>++slot</Exec>", "</Loop>", "</CustomListItems>"]
    return lines + ["</Expand>"]


def one_of():
    paths = reader.PATHS["hdb::OneOf"]
    lines = [display("empty", paths["index"] + " == 0"),
             display("type {(int)%s} of its list" % paths["index"]), "<Expand>"]
    for index in range(1, MOST_ALTERNATIVES + 1):
        lines.append(item("object", "*($T%d*)%s" % (index + 1, paths["object"]), Optional="true",
                          Condition="%s == %d" % (paths["index"], index)))
    return lines + ["</Expand>"]


def error():
    paths = reader.PATHS["hdb::Error"]
    return [display("{%(code)s,en}: {%(what)s,sb}" % paths), "<Expand>"] + [
        item(name, path) for name, path in paths.items()] + ["</Expand>"]


def result(has_value):
    paths = reader.PATHS["tl::expected"]
    lines = [display("error: {%(error)s}" % paths, "!" + paths["has_value"]),
             display("{%(value)s}" % paths if has_value else "success"), "<Expand>"]
    if has_value:
        lines.append(item("value", paths["value"], Condition=paths["has_value"]))
    lines.append(item("error", paths["error"], Condition="!" + paths["has_value"]))
    return lines + ["</Expand>"]


def entry():
    paths = reader.PATHS["hdb::detail::TableEntry"]
    return [display("table {%(name)s}" % paths), "<Expand>",
            item("content", "*" + paths["content"]), "</Expand>"]


def history():
    paths = reader.PATHS["hdb::History"]
    return [display("{%(frames)s}, {%(bytes)s} bytes" % paths), "<Expand>",
            element("ExpandedItem", paths["frames"]), "</Expand>"]


def metadata():
    paths = reader.PATHS["hdb::Metadata"]
    return [display("{%(title)s}, save {%(sequence)s}" % paths), "<Expand>"] + [
        item(name, path) for name, path in paths.items()] + ["</Expand>"]


TYPES = {
    "hdb::Handle<*,hdb::Layout<*,*,*> >": handle(),
    "hdb::Strong<*,*>": shown_as(reader.PATHS["hdb::Strong"]["handle"]),
    "hdb::Ref<*,*,*>": shown_as(reader.PATHS["hdb::Ref"]["handle"]),
    "hdb::BoundHandle<*>": shown_as(reader.PATHS["hdb::BoundHandle"]["handle"]),
    "hdb::Table<*,*,*,*>": table("hdb::Table"),
    "hdb::ComponentTable<*,*,*>": table("hdb::ComponentTable"),
    "hdb::BlobTable<*,*,*>": table("hdb::BlobTable"),
    "hdb::ResourceTable<*,*,*>": shown_as("*" + reader.PATHS["hdb::ResourceTable"]["table"]),
    "hdb::Singleton<*>": shown_as("*" + reader.PATHS["hdb::Singleton"]["table"]),
    "hdb::Database": shown_as("%s.%s" % (reader.PATHS["hdb::Database"]["tables"],
                                         reader.PATHS["hdb::detail::TableList"]["entries"])),
    "hdb::detail::TableEntry": entry(),
    "hdb::Snapshot": shown_as(reader.PATHS["hdb::Snapshot"]["data"]),
    "hdb::History": history(),
    "hdb::Sidecar<*,*>": shown_as(reader.PATHS["hdb::Sidecar"]["entries"]),
    "hdb::Metadata": metadata(),
    "tl::expected<void,hdb::Error>": result(has_value=False),
    "tl::expected<*,hdb::Error>": result(has_value=True),
    "hdb::Error": error(),
    "hdb::Box<*>": shown_as(reader.PATHS["hdb::Box"]["object"]),
    "hdb::OneOf<*,*>": one_of(),
    "hdb::Hash128": [display("{%(high)s,Xb}{%(low)s,Xb}" % reader.PATHS["hdb::Hash128"])],
    "hdb::HandleLayout": [display(
        "{(int)%(index_bits)s} index bits, {(int)%(generation_bits)s} generation bits, "
        "{(int)%(type_bits)s} type id bits" % reader.PATHS["hdb::HandleLayout"])],
}


def main():
    print(HEAD)
    for name, lines in TYPES.items():
        print("  <Type Name=%s>" % quoteattr(name))
        depth = 2
        for line in lines:
            if line.startswith("</"):
                depth -= 1
            print("  " * depth + line)
            if not line.startswith("</") and not line.endswith("/>") and "</" not in line:
                depth += 1
        print("  </Type>")
    print("</AutoVisualizer>")


main()
