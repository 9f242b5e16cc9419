# What gdb and LLDB show of a program.
#   printers_test.py DEBUGGER live PROGRAM     at a breakpoint, compared with DEBUGGER.txt
#   printers_test.py DEBUGGER core PROGRAM     the same in a core file, without the program running
#   printers_test.py DEBUGGER garbage PROGRAM  with memory that holds no values: no printer fails
#   printers_test.py DEBUGGER unknown PROGRAM  where no database is known
#   printers_test.py DEBUGGER loads PROGRAM    gdb finds the printers by the name of the program
#   printers_test.py DEBUGGER calls PROGRAM    hdb::debug::show, called in the program
#   printers_test.py DEBUGGER works            whether the debugger runs Python, and programs
# DEBUGGER is the path of gdb or lldb. `live` with --write writes the file of expected texts.
import glob
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPTS = os.path.join(HERE, "../../lib/debuggers")
SKIPPED = 77
LLDB_UP_TO_LOOK = ["script thread = lldb.target.process.GetSelectedThread()",
                   "script look = [f for f in thread if 'look' in (f.name or '')][0]",
                   "script thread.SetSelectedFrame(look.idx) and None"]


def environment(debugger):
    """Debian puts the Python module of its LLDB where LLDB does not look. A debugger takes the
    modules of the Python that it finds first, which must be that of the system."""
    path = os.pathsep.join([os.path.dirname(debugger), "/usr/bin", os.environ.get("PATH", "")])
    result = dict(os.environ, LC_ALL="C.UTF-8", PATH=path, PYTHONDONTWRITEBYTECODE="1")
    folder = os.path.dirname(os.path.dirname(os.path.realpath(debugger)))
    modules = glob.glob(os.path.join(folder, "lib/python3.*/dist-packages"))
    if modules:
        result["PYTHONPATH"] = modules[-1]
    return result


class Session:
    """Commands for a debugger, and what it prints for each expression."""
    def __init__(self, debugger):
        self.debugger = debugger
        self.is_gdb = "gdb" in os.path.basename(debugger)
        self.name = "gdb" if self.is_gdb else "lldb"
        script = os.path.join(SCRIPTS, "hdb_%s.py" % self.name)
        self.commands = [("source " if self.is_gdb else "command script import ") + script]
        if self.is_gdb:
            self.commands += ["set width 0", "set pagination off"]

    def run_to_look(self, times=1):
        self.commands += ["break look" if self.is_gdb else "breakpoint set --name look", "run"]
        self.commands += ["continue"] * (times - 1)

    def show(self, expression):
        mark = "=== " + expression
        if self.is_gdb:
            self.commands += ["echo %s\\n" % mark, "print " + expression]
        else:
            self.commands += ["script print('%s')" % mark, "frame variable " + expression]

    def output(self, arguments):
        # A command that fails would end a file of commands in gdb, so each is an argument.
        options = ["-batch", "-nx"] if self.is_gdb else ["--batch", "--no-lldbinit"]
        for command in self.commands:
            options += ["-ex" if self.is_gdb else "-o", command]
        made = subprocess.run([self.debugger] + options + arguments, text=True, timeout=120,
                              env=environment(self.debugger), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return made.stdout

    def shown(self, arguments):
        """The text of each expression, in one line, without what differs from run to run."""
        output = self.output(arguments)
        texts = {}
        for piece in output.split("=== ")[1:]:
            expression, _, text = piece.partition("\n")
            if not self.is_gdb and expression.endswith("')"):
                continue  # the echo of the command
            lines = [line for line in text.split("\n") if not line.startswith("(lldb)")]
            text = " ".join(" ".join(lines).split())
            text = re.sub(r"^\$\d+ = ", "", text) if self.is_gdb else text.partition(" = ")[2]
            text = re.sub(r"^\(.*&\) @0x[0-9a-f]+: ", "", text)  # gdb, of a reference
            texts[expression] = re.sub(r"^0x[0-9a-f]+ ", "", text)
        return output, texts


def expected_texts(name):
    with open(os.path.join(HERE, name + ".txt"), encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line in file if not line.startswith("#")]
    return dict(line.split(" => ", 1) for line in lines if " => " in line)


def compare(wanted, found, output):
    """The number of texts that differ, which are printed."""
    failures = 0
    for expression, text in wanted.items():
        if found.get(expression) != text:
            failures += 1
            print("%s:\n  expected %s\n  found    %s" % (expression, text, found.get(expression)))
    if failures:
        print(output)
    return failures


def make_core(program, folder):
    """A core file of the program, which ended itself; None where the system makes none."""
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2)
    subprocess.run([program, "crash"], cwd=folder, stderr=subprocess.DEVNULL, check=False)
    files = glob.glob(os.path.join(folder, "core*"))
    return files[0] if files else None


def test_live(session, program, core=None):
    wanted = expected_texts(session.name)
    if core:
        # Up from the function that ended the program, and without the copy of the handle, which
        # optimized code may have dropped.
        session.commands += ["frame function look"] if session.is_gdb else LLDB_UP_TO_LOOK
        wanted = {key: text for key, text in wanted.items() if key.startswith("scene.")}
    else:
        session.run_to_look()
    for expression in wanted:
        session.show(expression)
    output, found = session.shown([program] + (["-c", core] if core else []))
    if "--write" in sys.argv:
        with open(os.path.join(HERE, session.name + ".txt"), "w", encoding="utf-8") as file:
            file.write("# What printers_test.py expects of %s: expression => text.\n" %
                       session.name)
            file.writelines("%s => %s\n" % (key, found.get(key)) for key in wanted)
    return len(wanted), compare(wanted, found, output)


def test_core(session, program):
    with tempfile.TemporaryDirectory() as folder:
        core = make_core(os.path.abspath(program), folder)
        if core is None:
            print("this system writes no core file here (kernel.core_pattern)")
            sys.exit(SKIPPED)
        return test_live(session, program, core)


def test_garbage(session, program):
    expressions = [key for key in expected_texts(session.name) if key.startswith("scene.")]
    session.run_to_look(times=2)
    for expression in expressions:
        session.show(expression)
    output, found = session.shown([program])
    failed = [key for key in expressions if not found.get(key)]
    failed += re.findall("Traceback.*|Python Exception.*", output)
    if failed:
        print(failed, output, sep="\n")
    return len(expressions), len(failed)


def test_unknown(session, program):
    """As in a release build, whose list of databases is empty: the user names one."""
    session.run_to_look()
    if session.is_gdb:
        session.commands.append("set {long}&'hdb::detail::known_databases' = 0")
        name_it = ["set $hdb = &scene.database"]
        advice = "set $hdb = &world.database"
    else:
        session.commands.append("expression hdb::detail::known_databases = nullptr")
        name_it = ["script print('=== the command')", "hdb-database &scene.database"]
        advice = "hdb-database world.database"
    session.show("scene.imp")
    session.commands += name_it
    session.show("scene.orc")
    output, found = session.shown([program])
    wanted = {"scene.imp": "0@1 (no database known; without assertions, %s)" % advice,
              "scene.orc": expected_texts(session.name)["scene.orc"]}
    return len(wanted), compare(wanted, found, output)


def test_loads(session, program):
    """As gdb finds them for an installed shared library: by a file beside it or in its folder."""
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copy(program, folder)
        with open(os.path.join(SCRIPTS, "autoload.py.in"), encoding="utf-8") as file:
            text = file.read().replace("@hdb_printers_dir@", os.path.relpath(SCRIPTS, folder))
        with open(copy + "-gdb.py", "w", encoding="utf-8") as file:
            file.write(text)
        wanted = {"scene.imp": expected_texts(session.name)["scene.imp"]}
        session.commands = ["set width 0"]
        session.run_to_look()
        session.show("scene.imp")
        output, found = session.shown(["-iex", "add-auto-load-safe-path " + folder, copy])
        return len(wanted), compare(wanted, found, output)


def test_calls(session, program):
    session.run_to_look()
    command = "call " if session.is_gdb else "expression "
    session.commands.append(command + 'hdb::debug::show("monsters", scene.orc.bits_)')
    output = session.output([program])
    found = '"monsters:1@1 live {hp: 70, target: monsters:0@1}"' in output
    if not found:
        print(output)
    return 1, 0 if found else 1


def main():
    session = Session(sys.argv[1])
    what = sys.argv[2]
    if what == "works":
        # Some systems do not let one program look into another.
        session.commands = (["starti", "python print(6 * 7)", "kill"] if session.is_gdb else
                            ["process launch --stop-at-entry", "script print(6 * 7)",
                             "process kill"])
        output = session.output(["/bin/true"])
        runs = "stopped" in output or "launched" in output
        sys.exit(0 if "42" in output.split() and runs else 1)
    tests = {"live": test_live, "core": test_core, "garbage": test_garbage,
             "unknown": test_unknown, "loads": test_loads, "calls": test_calls}
    cases, failures = tests[what](session, sys.argv[3])
    print("%s %s: cases=%d failures=%d" % (session.name, what, cases, failures))
    sys.exit(1 if failures or not cases else 0)


main()
