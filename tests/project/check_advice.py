#!/usr/bin/env python3
# Checks that what error texts, help and documents name exists.
"""check_advice.py SOURCE HDBINSPECT COMPILER..., or --self-test in place of SOURCE

Reads the string literals of lib, schema and hdbinspect, and the code in documents. Names as
`SaveOptions::file.lock_timeout` must compile (COMPILER has the flags that hdb needs). Commands as
`hdbinspect repair FILE -o OUT` must be commands and options of the program; whole ones, with words
as FILE, are run and must not fail.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HEADERS = ["hdb.hpp", "archive.hpp", "archive_backend.hpp", "atomic_file.hpp", "autosaver.hpp",
           "blob_table.hpp", "bound_handle.hpp", "byte_io.hpp", "cereal_boxes.hpp", "changes.hpp",
           "chunk_cache.hpp", "component_table.hpp", "file_system.hpp", "history.hpp",
           "import.hpp", "inspect.hpp", "inspect/image.hpp", "live_table.hpp", "migration.hpp",
           "page_source.hpp", "resource_table.hpp", "save_directory.hpp", "sidecar.hpp",
           "sync_test.hpp"]
# Templates are named without their arguments.
ARGUMENTS = {"Table": "<Record>", "ComponentTable": "<Record, Table<Record>>",
             "BlobTable": "<Record>", "ResourceTable": "<Record>", "Strong": "<Record>",
             "Ref": "<Record>", "Handle": "<Record>", "BoundHandle": "<Table<Record>>",
             "Sidecar": "<int, Table<Record>>", "Singleton": "<Record>", "Migration": ""}
OTHERS = {"std", "cereal", "entt", "Torch", "Mood", "Short", "v1"}  # the last four: of the guide
NAME = re.compile(r"(?<![\w:])((?:\w+::)*[A-Z]\w*)::([a-z_]\w*(?:\.[a-z_]\w*)*)(?!\w|::)")
COMMAND = re.compile(r"hdbinspect ((?:[^\s;,`()<>\\\"]+ ?)+)")
# Words after the name of the program in sentences about it.
PROSE = {"and", "are", "also", "can", "cannot", "depends", "does", "file", "has", "have", "is",
         "need", "needs", "of", "on", "only", "options", "page", "prints", "program", "read",
         "reads", "reports", "save", "shows", "takes", "that", "there", "to", "was", "with",
         "writes"}


def literals(text):
    """Each text of a C++ source, with adjacent literals as one."""
    string = r'"(?:[^"\\\n]|\\.)*"'
    for found in re.finditer(rf"(?<!include ){string}(?:\s*{string})*", text):
        yield "".join(part[1:-1] for part in re.findall(string, found.group()))


def codes(text):
    """The code in the sentences of a Markdown document. (Blocks are compiled and run elsewhere.)"""
    sentences = re.sub(r"^    .*$", "", text, flags=re.M)
    for found in re.finditer(r"`((?:[^`\n]|\n(?!\n))+)`", sentences):
        yield " ".join(found.group(1).split())


def comments(text):
    """The comments of a header."""
    for found in re.finditer(r"(?:^ *//.*\n)+", text, re.M):
        yield " ".join(re.sub(r"^ *//[/ ]*", "", found.group(), flags=re.M).split())


def all_texts(source):
    for folder in ("lib", "schema", "tools/hdbinspect"):
        for parent, _, files in os.walk(os.path.join(source, folder)):
            for file in files:
                path = os.path.join(parent, file)
                if not file.endswith((".cpp", ".hpp", ".def", ".md")):
                    continue
                with open(path, encoding="utf-8") as opened:
                    content = opened.read()
                kinds = [codes] if file.endswith(".md") else [literals]
                if "/include/" in path and "/detail/" not in path:
                    kinds.append(comments)
                for read in kinds:
                    for text in read(content):
                        yield os.path.relpath(path, source), text
    for file in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"):
        with open(os.path.join(source, file), encoding="utf-8") as opened:
            for text in codes(opened.read()):
                yield file, text


class Tool:
    """The commands and options that hdbinspect has, by its own help."""

    def __init__(self, program, work, sample):
        self.program, self.work, self.sample = program, work, sample
        self.archive = os.path.join(work, "archive.hdba")
        self.options = {}
        self.runs = 0
        listing = self.ask("--help").split("Commands:\n")[1].split("\n\n")[0]
        for name in re.findall(r"^  ([a-z][a-z-]*) ", listing, re.M):
            page = self.ask(name, "--help")
            lines = page.split("\nUsage: ")[1]
            self.options[name] = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", lines))
        refusal = subprocess.run([program, "archive", "-", "-"], text=True, check=False,
                                 stderr=subprocess.PIPE).stderr
        actions = refusal.split("is not one of ")[1].split("\n")[0]
        self.actions = set(re.findall(r"[a-z]+", actions))
        subprocess.run([program, "archive", "put", self.archive, sample, "--world", "w"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def ask(self, *words):
        return subprocess.run([self.program, *words], check=True, text=True,
                              stdout=subprocess.PIPE).stdout

    def fault(self, text):
        """What is wrong with a command line; empty if nothing is."""
        words = text.strip().rstrip(".").split()
        command, taken = words[0], [words[0]]
        if command in PROSE or not re.fullmatch(r"[a-z][a-z-]*", command):
            return ""
        if command not in self.options:
            return f"hdbinspect has no command '{command}'"
        for word in words[1:]:
            is_action = (command == "archive" and len(taken) == 1 and
                         re.fullmatch(r"[a-z]+", word) is not None)
            if is_action and word not in self.actions:
                return f"hdbinspect archive has no '{word}'"
            if not (is_action or word.startswith("-") or re.match(r"[A-Z]{2}", word)):
                if not word.isalpha():  # an argument, and not the rest of a sentence
                    return ""
                break
            option = re.match(r"--?[a-z][a-z-]*", word)
            if option and option.group() not in self.options[command]:
                return f"hdbinspect {command} has no option '{option.group()}'"
            taken.append(word)
        if not any(word in ("FILE", "ARCHIVE") or "@WORLD" in word for word in taken):
            return ""
        self.runs += 1
        archive = os.path.join(self.work, f"archive{self.runs}.hdba")
        shutil.copy(self.archive, archive)  # a command may remove its save
        meanings = {"FILE": self.sample, "OUT": os.path.join(self.work, str(self.runs)),
                    "ARCHIVE": archive, "TABLE": "t", "ARCHIVE@WORLD/NUMBER": archive + "@w/1",
                    "NEW": os.path.join(self.work, f"{self.runs}.hdba"),
                    "NAME.hdba": os.path.join(self.work, f"{self.runs}.hdba")}
        line = [self.program] + [meanings.get(word, word) for word in taken]
        done = subprocess.run(line, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              check=False)
        return "" if done.returncode in (0, 1) else f"{' '.join(taken)}: {done.stderr.strip()}"


def compile_faults(names, enumerations, compiler, work):
    """The names that hdb does not have."""
    lines = [f"#include <hdb/{header}>" for header in HEADERS]
    lines += ["#include <utility>", "using namespace hdb;", "using namespace hdb::detail;",
              "struct Record { int value = 0; };"]
    first = len(lines) + 1
    for number, (owner, member) in enumerate(names):
        kind = owner.split("::")[-1]
        whole = owner + ARGUMENTS.get(kind, "")
        if kind in enumerations:
            use = f"{owner}::{member}"
        elif "." in member:
            use = f"std::declval<{whole}&>().{member}"
        else:
            use = f"&{whole}::{member}"
        lines.append(f"void use_{number}() {{ static_cast<void>({use}); }}"
                     if "declval" not in use else f"using Use{number} = decltype({use});")
    path = os.path.join(work, "names.cpp")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    done = subprocess.run([*compiler, "-fsyntax-only", "-w", path], text=True, check=False,
                          env={**os.environ, "LC_ALL": "C"}, stderr=subprocess.PIPE)
    missing = re.compile(r"names\.cpp:(\d+):\d+: error: .*(is not a member|no member named|"
                         r"has not been declared|has no member|undeclared|no type named|"
                         r"does not name)")
    found = {}
    for line in done.stderr.splitlines():
        match = missing.search(line)
        # An error of a name that exists is of its use: it has several overloads, or is private.
        if match and int(match.group(1)) < first:
            sys.exit(done.stderr)
        if match:
            found["::".join(names[int(match.group(1)) - first])] = line.split("error: ")[1]
    if "fatal error" in done.stderr:
        sys.exit(done.stderr)
    return found


def check(texts, enumerations, tool, compiler):
    places, faults = {}, []
    for place, text in texts:
        for owner, member in NAME.findall(text):
            if owner.split("::")[0] not in OTHERS and "_" not in owner:
                places.setdefault((owner, member), place)
        for line in COMMAND.findall(text):
            fault = tool.fault(line)
            if fault:
                faults.append(f"{place}: {fault}")
    missing = compile_faults(list(places), enumerations, compiler, tool.work)
    faults += [f"{place}: {'::'.join(name)}: {missing['::'.join(name)]}"
               for name, place in places.items() if "::".join(name) in missing]
    return faults, len(places)


def enumerations_of(source):
    names = set()
    for folder in ("lib/include", "lib/extras", "schema/include"):
        for parent, _, files in os.walk(os.path.join(source, folder)):
            for file in files:
                with open(os.path.join(parent, file), encoding="utf-8") as opened:
                    names.update(re.findall(r"enum class (\w+)", opened.read()))
    return names


def main():
    is_self_test = sys.argv[1] == "--self-test"
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
    program, compiler = sys.argv[2], [word for word in sys.argv[3:] if word]
    enumerations = enumerations_of(source)
    sample = os.path.join(source, "fixtures/v0/before.hdb")
    with tempfile.TemporaryDirectory() as work:
        tool = Tool(program, work, sample)
        if is_self_test:
            wrong = ["raise SaveOptions::lock_timeout", "use SaveOption::file",
                     "set TimelineMode::branch", "run hdbinspect mend FILE",
                     "run hdbinspect repair FILE --out OUT", "hdbinspect archive sort ARCHIVE",
                     "run hdbinspect convert FILE"]
            sound = ["raise SaveOptions::file.lock_timeout", "Database::load, TimelineMode::fork",
                     "run hdbinspect repair FILE -o OUT; hdbinspect reads it"]
            for text in wrong:
                assert check([("a", text)], enumerations, tool, compiler)[0], text
            for text in sound:
                assert not check([("a", text)], enumerations, tool, compiler)[0], text
            return 0
        faults, count = check(all_texts(source), enumerations, tool, compiler)
    print("\n".join(faults))
    print(f"advice: names={count} commands run={tool.runs} failures={len(faults)}")
    return 1 if faults or count < 50 or tool.runs < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
