# Evaluates every expression of hdb.natvis by gdb on a value of its type: so each member and type
# that it names exists, and each expression is C++. What Visual Studio makes of it is not tested.
#   natvis_test.py GDB PROGRAM NATVIS     NATVIS may be another file, to show that the test can fail
import re
import subprocess
import sys
import xml.etree.ElementTree as tree

SPACE = "{http://schemas.microsoft.com/vstudio/debugger/natvis/2010}"
# A value of each type that the program has where it calls look().
VALUES = {
    "hdb::Handle": "scene.imp", "hdb::Strong": "scene.strong", "hdb::Ref": "scene.sound",
    "hdb::BoundHandle": "scene.bound", "hdb::Table": "scene.monsters",
    "hdb::ComponentTable": "scene.positions", "hdb::BlobTable": "scene.meshes",
    "hdb::ResourceTable": "scene.sounds", "hdb::Singleton": "scene.clock",
    "hdb::Database": "scene.database", "hdb::Snapshot": "scene.snapshot",
    "hdb::History": "scene.history", "hdb::Sidecar": "scene.bodies",
    "hdb::Metadata": "scene.metadata",
    "hdb::detail::TableEntry": "*(hdb::detail::TableEntry*)(*(void**)"
                               "scene.database.tables_.entries_._M_impl._M_start)",
    "tl::expected<void": "scene.failed", "tl::expected": "scene.number",
    "hdb::Error": "scene.error", "hdb::Box": "scene.box", "hdb::OneOf": "scene.shape",
    "hdb::Hash128": "scene.hash", "hdb::HandleLayout": "scene.layout",
}
# The template arguments that $T1, $T2, ... stand for in those values.
ARGUMENTS = {"hdb::Handle": ["Monster", "32", "31", "0"], "hdb::Table": ["Monster"],
             "hdb::ComponentTable": ["Position"], "hdb::BlobTable": ["Mesh"],
             "hdb::OneOf": ["Shape", "Square"]}
WORDS = {"unsigned", "int", "long", "ull", "nullptr", "sizeof"}


def value_of(name):
    return VALUES.get(name.split(",")[0]) or VALUES[name.split("<")[0]]


def expressions_of(node):
    """(expression, whether a missing argument is allowed) of an element and those in it."""
    optional = node.get("Optional") == "true"
    texts = [node.get("Condition"), node.get("InitialValue")]
    tag = node.tag.replace(SPACE, "")
    if tag == "DisplayString":
        texts += re.findall(r"\{([^}]*)\}", node.text)
    elif tag in ("Item", "ExpandedItem", "Size", "ValuePointer", "Exec"):
        texts += [node.text] + re.findall(r"\{([^}]*)\}", node.get("Name") or "")
    for text in texts:
        if text:
            yield text, optional
    for child in node:
        yield from expressions_of(child)


def as_gdb(expression, value, arguments, variables):
    """The expression with the value before each name of a member."""
    expression = re.sub(r",(en|sb|Xb|x)$", "", expression)
    for index, argument in enumerate(arguments):
        expression = expression.replace("$T%d" % (index + 1), argument)
    def replaced(found):
        name = found.group()
        if name in variables:
            return "$" + name
        return name if name in WORDS or name in arguments else "(%s).%s" % (value, name)
    return re.sub(r"(?<![\w.>$])[A-Za-z_]\w*", replaced, expression)


def checks_of(natvis):
    """(name of the type, expression for gdb)"""
    for shown in tree.parse(natvis).getroot():
        name = shown.get("Name").replace(" ", "")
        value, arguments = value_of(name), ARGUMENTS.get(name.split("<")[0], [])
        variables = [node.get("Name") for node in shown.iter(SPACE + "Variable")]
        for text, optional in expressions_of(shown):
            made = as_gdb(text, value, arguments, variables)
            # Only an item that may be missing may ask for an argument that there is not.
            if "$T" in made and optional:
                continue
            yield name, made


def main():
    gdb, program, natvis = sys.argv[1:4]
    checks = list(checks_of(natvis))
    commands = ["set width 0", "set confirm off", "break look", "run", "set $slot = 0",
                "set $entries = (unsigned int*)scene.monsters.core_.slots_.entries_.data_"]
    for index, (_, expression) in enumerate(checks):
        commands += ["echo === %d\\n" % index, "print " + expression]
    options = ["-batch", "-nx"]
    for command in commands:
        options += ["-ex", command]
    output = subprocess.run([gdb] + options + [program], text=True, timeout=120, check=False,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT).stdout
    failures = 0
    for index, (name, expression) in enumerate(checks):
        text = output.partition("=== %d\n" % index)[2].split("\n=== ")[0].strip()
        if not text.startswith("$"):
            failures += 1
            print("%s: %s\n  %s" % (name, expression, text or output))
    unused = [value for name, value in VALUES.items()
              if not any(found.startswith(name) for found, _ in checks)]
    print("natvis: cases=%d failures=%d" % (len(checks), failures + len(unused)), *unused)
    sys.exit(1 if failures or unused or not checks else 0)


main()
