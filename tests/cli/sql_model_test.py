#!/usr/bin/env python3
"""sql_model_test.py HDBINSPECT FIXTURES

`export` and `sql` have each value of `dump --exact`, for all golden files: tables, columns and rows
are made again here from the lines of the dump. Invalid files end as `dump` ends.
"""
import glob
import json
import math
import os
import sqlite3
import subprocess
import sys
import tempfile

PROGRAM, FIXTURES = sys.argv[1:3]
SHORT = float(os.environ.get("HDB_TEST_SCALE", "1")) < 1
failures = []
cases = 0


def run(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, check=False)


def check(name, good, detail=""):
    global cases
    cases += 1
    if not good:
        failures.append(name)
        print(f"{name}: {detail}")


def free_name(wanted, taken):
    base = ("hdb_" if wanted.lower().startswith("sqlite_") else "") + wanted
    name, number = base, 1
    while name.lower() in taken:
        number += 1
        name = f"{base}_{number}"
    taken.add(name.lower())
    return name


class Table:
    def __init__(self, name, first):
        self.name, self.names, self.columns, self.rows, self.tables = name, set(), [], [], {}
        for column in first:
            self.add(column)

    def add(self, column):
        self.columns.append(free_name(column, self.names))
        return len(self.columns) - 1


class Model:
    """What the tables of a file must be."""

    def __init__(self, file):
        lines = [json.loads(line) for line in run("dump", "--exact", file).stdout.splitlines()]
        schemas = [line["record"] for line in lines if line["type"] == "exact_schema"]
        kept = [line for line in lines if line["type"] == "exact_table"]
        self.taken = {"saves"}
        self.tables = [Table(free_name(line["table"], self.taken),
                             ["save", "handle", "slot", "generation"]) for line in kept]
        self.handle_tables = {line["table"] for line in kept}
        for line, table in zip(kept, list(self.tables)):
            place = self.plan(schemas[line["schema"]], "", table, 0)
            prefix = line.get("owner") or line["table"]
            for slot in lines:
                if slot["type"] != "exact_slot" or slot["table"] != line["table"] or \
                        slot["state"] != "live":
                    continue
                handle = f"{prefix}:{slot['slot']}@{slot['generation']}"
                row = [None] * len(table.columns)
                row[:4] = 1, handle, slot["slot"], slot["generation"]
                place(slot["fields"], row, (1, handle))
                table.rows.append(row)

    def plan(self, field, path, table, depth):
        """Adds the columns of a field; returns what puts a value into a row."""
        kind, children = field["kind"], field.get("children", [])
        inner = lambda name: f"{path}.{name}" if path else name
        if kind == "struct":
            parts = [(child["name"], self.plan(child, inner(child["name"]), table, depth))
                     for child in children]

            def put(value, row, owner):
                for name, part in parts:
                    part(value[name], row, owner)
        elif kind == "optional":
            may_be_null = children[0]["kind"] in ("struct", "array", "list", "map", "variant",
                                                  "optional", "handle", "f32", "f64")
            at = table.add(path + "?") if may_be_null else None
            part = self.plan(children[0], path, table, depth)

            def put(value, row, owner):
                if at is not None:
                    row[at] = int(value is not None)
                if value is not None:
                    part(value[0], row, owner)
        elif kind == "variant":
            at = table.add(path)
            parts = [self.plan(child, f"{path}<{i}>", table, depth)
                     for i, child in enumerate(children)]
            types = [child.get("type_name", "") for child in children]

            def put(value, row, owner):
                tag = value["tag"]
                row[at] = types[tag] if types[tag] and types.count(types[tag]) == 1 else tag
                parts[tag](value["value"], row, owner)
        elif kind in ("array", "list", "map"):
            below = Table(free_name(f"{table.name}.{path}", self.taken),
                          ["save", "handle"] + ["i"] * (depth + 1))
            self.tables.append(below)
            if kind == "map":
                parts = [self.plan(child, name, below, depth + 1)
                         for child, name in zip(children, ("key", "value"))]
            else:
                name = "" if children[0]["kind"] == "struct" else "value"
                parts = [self.plan(children[0], name, below, depth + 1)]

            def put(value, row, owner):
                for i, element in enumerate(value):
                    new = [None] * len(below.columns)
                    where = (*owner, i)
                    new[:len(where)] = where
                    if kind == "map":
                        parts[0](element["key"], new, where)
                        parts[1](element["value"], new, where)
                    else:
                        parts[0](element, new, where)
                    below.rows.append(new)
        elif kind == "handle":
            at = table.add(path)
            table.add(path + ".slot")
            table.add(path + ".generation")

            def put(value, row, owner):
                row[at] = value
                if value is not None and not value.startswith("0x"):
                    row[at + 1:at + 3] = map(int, value.rpartition(":")[2].split("@"))
        else:
            at = table.add(path)

            def put(value, row, owner):
                row[at] = self.scalar(field, value)
        return put

    def scalar(self, field, value):
        kind = field["kind"]
        if kind in ("string", "opaque"):
            return bytes.fromhex(value["hex"]) if isinstance(value, dict) else value
        if kind in ("f32", "f64"):
            number = float(value["f"] if isinstance(value, dict) else
                           "nan" if str(value).startswith("NaN") else value)
            return None if math.isnan(number) else number
        if kind == "enum":
            for each in field.get("values", []):
                if int(each["number"]) == int(value):
                    return each["name"]
            return str(value) if field.get("values") else int(value)
        number = int(value)
        return str(number) if number >= 1 << 63 else number


def tables_of(path):
    base = sqlite3.connect(path)
    names = [row[0] for row in base.execute(
        "select name from sqlite_schema where type = 'table' order by rowid")]
    found = {}
    for name in names:
        quoted = name.replace('"', '""')
        cursor = base.execute(f'select * from "{quoted}"')
        found[name] = ([column[0] for column in cursor.description], [list(r) for r in cursor])
    check("sound " + path, base.execute("pragma integrity_check").fetchone() == ("ok",))
    base.close()
    return found


def as_json(value):
    """The value that `sql --json` prints."""
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, int) and abs(value) > 1 << 53:
        return str(value)
    return value


def check_file(file, out):
    made = run("export", file, "-o", out, "--force")
    check(f"export {file}", made.returncode == 0, made.stderr)
    found = tables_of(out)
    model = Model(file)
    info = json.loads(run("--json", "info", file).stdout)
    row = dict(zip(found["saves"][0], found["saves"][1][0])) if made.returncode == 0 else {}
    check(f"saves {file}", all(str(row[name]) == str(info[key]) for name, key in (
        ("file", "file"), ("title", "title"), ("play_time_ms", "play_time_ms"),
        ("sequence", "sequence"), ("state_hash", "state_hash"), ("file_bytes", "bytes"))), row)
    check(f"tables {file}", sorted(found) == sorted(["saves"] + [t.name for t in model.tables]),
          list(found))
    for table in model.tables:
        columns, rows = found.get(table.name, ([], []))
        # Rows of a list inside of another one come in the order in which they end.
        check(f"columns {file} {table.name}", columns == table.columns, columns)
        check(f"rows {file} {table.name}", sorted(rows, key=repr) == sorted(table.rows, key=repr),
              (rows[:2], table.rows[:2]))
        quoted = table.name.replace('"', '""')
        lines = run("--json", "sql", file, f'select * from "{quoted}"').stdout.splitlines()
        answer = [list(json.loads(line)["fields"].values()) for line in lines]
        check(f"sql {file} {table.name}",
              answer == [[as_json(value) for value in row] for row in rows], answer[:2])
        # A part of the columns: the others are not read.
        column = columns[len(columns) // 2].replace('"', '""')
        lines = run("--json", "sql", file, f'select "{column}" from "{quoted}"').stdout.splitlines()
        answer = [list(json.loads(line)["fields"].values())[0] for line in lines]
        check(f"one column {file} {table.name}",
              answer == [as_json(row[len(columns) // 2]) for row in rows], answer[:2])


def check_several(files, out):
    """Columns of any of the files; NULL in those that lack one."""
    made = run("export", *files, "-o", out, "--force")
    check("several", made.returncode == 0, made.stderr)
    together = tables_of(out)
    check("saves", [row[1] for row in together["saves"][1]] == files, together["saves"])
    for number, file in enumerate(files, 1):
        run("export", file, "-o", out, "--force")
        for name, (columns, rows) in tables_of(out).items():
            if name == "saves":
                continue
            all_columns, all_rows = together[name]
            wanted = [dict(zip(columns, row)) for row in rows]
            got = [dict(zip(all_columns, row)) for row in all_rows if row[0] == number]
            check(f"several {file} {name}", len(wanted) == len(got) and all(
                str(b[key]) == str({**a, "save": number}.get(key))
                for a, b in zip(wanted, got) for key in b), (wanted[:1], got[:1]))


QUERIES = """
select count(*) from monsters join weapons using (save)
select count(*) from monsters natural join weapons
select count(*) from monsters m natural join "monsters.loot"
select M.hp, l.value from MONSTERS m left join [monsters.loot] l using (HANDLE, save) order by 1, 2
select count(*) from monsters a join monsters b using (hp)
select w.name from weapons w where w.handle in (select weapon from monsters)
select count(*) from monsters where exists (select 1 from weapons)
select (select count(*) from clock), (select max(damage) from weapons)
with w(h) as (select handle from weapons) select hp from monsters join w on weapon = h
select hp from monsters group by hp having count(*) > 1 union all select damage from weapons
select count(*) from monsters, weapons
select rowid, max(`pos.x`) over (order by hp, rowid) from monsters
select 1 from weapons
select * from monsters natural join saves
select * from monsters join saves using (save)
select (1, 'monsters:3@1', 0, 'gold') in "monsters.loot", (1, 2, 3, 4) in "monsters.loot"
select hp in (select damage from weapons) from monsters where 'gold' in (select value from
 "monsters.loot" l where l.handle = monsters.handle)
""".strip().replace("\n ", " ").splitlines()


def check_queries(file, out):
    """A query over what it names finds what it finds in all tables."""
    run("export", file, "-o", out, "--force")
    base = sqlite3.connect(out)
    for query in QUERIES:
        wanted = [[as_json(value) for value in row] for row in base.execute(query)]
        answered = run("--json", "sql", file, query)
        rows = [list(json.loads(line)["fields"].values())
                for line in answered.stdout.splitlines()]
        check(f"query {query}", wanted and rows == wanted, (answered.stderr, rows[:3], wanted[:3]))
    base.close()


def check_invalid(file, out):
    wanted = run("dump", file).returncode
    made = run("export", file, "-o", out)
    check(f"invalid {file}", made.returncode == wanted, made.stderr)
    check(f"nothing left of {file}", os.path.exists(out) == (wanted == 0))
    if os.path.exists(out):
        os.remove(out)
    worst = 0
    listed = run("--json", "ls", file).stdout.splitlines()
    for table in [json.loads(line)["table"] for line in listed] or ["saves"]:
        quoted = table.replace('"', '""')
        answered = run("sql", file, f'select * from "{quoted}"')
        worst = max(worst, answered.returncode)
    check(f"invalid, sql {file}", worst == wanted, (worst, wanted))


def field(kind, name="", children=(), **more):
    made = {"name": name, "kind": kind, **more}
    return {**made, "children": list(children)} if children else made


def make_hard(out):
    """Every kind inside of every other, and names that SQL would take for something else."""
    mood = {"values": [{"number": 0, "name": "calm"}, {"number": 1, "name": "it's \"odd\""}]}
    text = field("string", utf8=False)
    handle = {"handle_table": "monsters", "strong": False, "layout": "<32,31>"}
    inner = [field("list", "loot", [field("list", "", [field("i32")])]),
             field("map", "by_name", [text, field("list", "", [field("optional", "", [
                 field("f64")])])]),
             field("optional", "maybe", [field("struct", "", [
                 field("i8", "x"), field("optional", "y", [field("handle", **handle)])])]),
             field("optional", "twice", [field("optional", "", [field("u64")])]),
             field("enum", "mood", [field("u8")], **mood),
             field("array", "pairs", [field("variant", "", [
                 field("i32"), field("struct", type_name="Hit", children=[field("i32", "hp")]),
                 field("list", "", [field("bool")]),
                 field("struct", type_name="Hit", children=[field("i32", "hp")]),
                 field("struct", type_name="Miss", children=[field("i8", "by")])])], count=2)]
    odd = ["save", "SAVE", "handle", "i", "a.b", 'x"y', "Robert'); drop table saves;--", "rowid",
           "maybe.x", "Loot"]
    record = field("struct", "", inner + [field("i32", name) for name in odd])
    record.pop("name")
    values = {"loot": [[1, 2], [], [3]],
              "by_name": [{"key": "a", "value": [["NaN"], None, [1.5]]}, {"key": "", "value": []}],
              "maybe": [{"x": 1, "y": [None]}], "twice": [None], "mood": 1,
              "pairs": [{"tag": 1, "value": {"hp": -3}}, {"tag": 2, "value": [True, False]}],
              **{name: number for number, name in enumerate(odd)}}
    empty = {"loot": [], "by_name": [], "maybe": None, "twice": None, "mood": 7,
             "pairs": [{"tag": 3, "value": {"hp": 4}}, {"tag": 4, "value": {"by": 2}}],
             **{name: -1 for name in odd}}
    full = {**empty, "maybe": [{"x": 0, "y": ["monsters:0@1"]}],
            "twice": [["18446744073709551615"]]}
    names = sorted(["monsters", "monsters.loot", "Monsters", "saves", "Saves", "sqlite_schema",
                    'quo"te', "select", "Robert'); drop table saves;--"])
    lines = [json.loads(line) for line in
             run("dump", "--exact", FIXTURES + "/v0/empty.hdb").stdout.splitlines()]
    lines[0].update(schemas=1, tables=len(names))
    made = [lines[0], {"type": "exact_schema", "v": 1, "schema": 0, "record": record}]
    tables, slots = [], []
    for name in names:
        tables.append({"type": "exact_table", "v": 1, "table": name, "schema": 0, "type_id": 0,
                       "storage": "stable", "layout": "<32,31>", "free_list": "lifo",
                       "generations": "per_slot", "overflow": "retire", "names": "none",
                       "singleton": False, "hashed": True, "group_slots": 64, "slots": 3, "live": 3,
                       "retired": 0, "free": 0, "counter": 0, "highest_generation": 1,
                       "flush_cursor": 0})
        slots += [{"type": "exact_slot", "v": 1, "table": name, "state": "live", "generation": 1,
                   "slot": slot, "fields": fields}
                  for slot, fields in enumerate((values, empty, full))]
    end = {**lines[-1], "slots": len(slots), "records": len(slots)}
    done = subprocess.run([PROGRAM, "import", "-", "-o", out], capture_output=True, check=False,
                          input="".join(json.dumps(line) + "\n"
                                        for line in made + tables + slots + [end]).encode())
    check("make_hard", done.returncode == 0, done.stderr)


with tempfile.TemporaryDirectory() as work:
    output = os.path.join(work, "out.sqlite")
    hard = os.path.join(work, "hard.hdb")
    make_hard(hard)
    check_file(hard, output)
    os.remove(hard)
    everything = sorted(glob.glob(FIXTURES + "/**/*.hdb", recursive=True))
    if SHORT:  # a quarter of the invalid files
        invalid = [each for each in everything if "/invalid/" in each]
        everything = sorted({*everything} - {*invalid} | {*invalid[::4]})
    for each in everything:
        if SHORT and "/v0/" in each:
            continue  # v0.10 has the same states
        if "/invalid/" in each or "/regress/" in each:
            check_invalid(each, os.path.join(work, "invalid.sqlite"))
        if "/invalid/" not in each and run("dump", "--exact", each).returncode == 0:
            check_file(each, output)
    check_queries(FIXTURES + "/v0/before.hdb", output)
    check_several(sorted(glob.glob(FIXTURES + "/v0/ages/*.hdb")), output)
    check_several(sorted(glob.glob(FIXTURES + "/v0/series/*.hdb")), output)
    left = sorted(os.listdir(work))
    check("files left", left == ["out.sqlite"], left)
print(f"cases={cases} failures={len(failures)}")
sys.exit(1 if failures or cases < 500 else 0)
