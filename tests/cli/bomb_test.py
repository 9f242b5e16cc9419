#!/usr/bin/env python3
"""Files of a few KB that claim gigabytes are refused, or read, within 256 MiB of memory or what the
largest row group takes once; a load may take 1 GiB. A value of which not all was asked for is cut.

bomb_test.py HDBINSPECT BOMBS
"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

LIMIT_MIB = 256
# What a command takes beside a large row group.
BESIDE_MIB = 96
# Processor seconds: the slowest of these commands takes a few.
HANGS = 600


def run(command):
    """Runs a command; its exit status, the begin and size of its output, and its peak memory in
    MiB. A command that hangs is ended."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            [str(word) for word in command], stdout=output, stderr=subprocess.STDOUT,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (HANGS, HANGS)))
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        size = output.seek(0, os.SEEK_END)
        output.seek(0)
        text = output.read(2000).decode(errors="replace")
    return process.returncode, text.strip(), size, usage.ru_maxrss / 1024


def stride():
    """Each n-th file is tried: as scaled_stride() of the tests in C++."""
    scale = float(os.environ.get("HDB_TEST_SCALE", "1"))
    return 1 if scale >= 1 else 4


def is_cut(lost, file):
    """Whether the list has the size stated in --help, and its last line counts the rest."""
    bound = (256 << 20) + 64 * file.stat().st_size
    listed = 0
    with open(lost, "rb") as lines:
        for listed, last in enumerate(lines):
            pass
    rest = json.loads(last)
    whole = {"records_4M": 4_000_000, "handles_3M": 3_000_001}[file.stem]
    return (bound - 500 < lost.stat().st_size < bound + 200 and rest["type"] == "lost_rest"
            and listed + rest["records"] + rest["references"] == whole)


# What a command may print of a value that is larger, and a page of HTML hold.
MOST_OUTPUT = 8 << 20


def group_mib(file):
    """The size of the row group of a file whose name states it in millions of bytes."""
    return 300e6 / (1 << 20) if "300M" in file.name else 0


def commands(inspect, bombs, file, is_short):
    """What is run with a file: name, command, most MiB of memory (None: of the tool), and whether
    all of a value was asked for."""
    kind = file.name.split("_")[0]
    kind = file.name.split("_")[1] if kind == "list" else kind
    other = file.with_name("list_u8_60M.hdb")
    page = ["-o", file.with_suffix(".html"), "--force"]
    yield "validate", [inspect, "validate", "--level=deep", file], None, False
    yield "get", [inspect, "get", file, "t:0@1"], None, False
    yield "diff", [inspect, "diff", file, other], None, False
    yield "load", [bombs, "load", kind, file], 1024 + 64, False
    if file.stem not in ["list_u8_ones"] + ["list_bool_60M", "text_60M"] * (not is_short):
        return
    for name in ("info", "ls", "schema"):
        yield name, [inspect, name, file], None, False
    yield "diff ndjson", [inspect, "diff", "--format=ndjson", file, other], None, False
    yield "diff html", [inspect, "diff", "--format=html", file, other], None, False
    yield "log", [inspect, "log", other, file, "t:0@1"], None, False
    yield "blame", [inspect, "blame", other, file, "t:0@1"], None, False
    yield "plot", [inspect, "plot", other, file, "t:0@1", *page], None, False
    yield "report", [inspect, "report", file, *page], None, False
    yield "grep", [inspect, "grep", file, "list != null"], None, False
    yield "bisect", [inspect, "bisect", other, file, "list != null"], None, False
    yield "compat", [inspect, "compat", other, file], None, False
    yield "convert", [inspect, "convert", "--estimate", file], None, False
    yield "repair", [inspect, "repair", "--dry-run", file], None, False
    if is_short:
        return
    yield "dump ndjson", [inspect, "dump", "--format=ndjson", file], None, True
    yield "get json", [inspect, "get", "--json", file, "t:0@1"], None, True
    for form in ("json", "csv"):
        yield f"dump {form}", [inspect, "dump", f"--format={form}", file], None, True
    yield "dump exact", [inspect, "dump", "--exact", file], None, True


def main():
    inspect, bombs = sys.argv[1], sys.argv[2]
    is_short = stride() > 1
    cases, failures = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([bombs, "make", folder], check=True)
        files = sorted(pathlib.Path(folder).glob("*.hdb"))[::stride()]
        for file in files:
            for name, command, most_mib, whole in commands(inspect, bombs, file, is_short):
                status, text, size, peak = run(command)
                cases += 1
                first = text.split("\n")[0][:80]
                print(f"{name:11} {file.name:18} {file.stat().st_size:6} bytes, status {status}, "
                      f"{peak:5.0f} MiB, {size:11,} bytes of output: {first}")
                page = file.with_suffix(".html")
                if page.exists():
                    size = max(size, page.stat().st_size)
                most = max(most_mib or 0, LIMIT_MIB, group_mib(file) + BESIDE_MIB)
                if (status < 0 or status > 3 or peak > most
                        or (size > MOST_OUTPUT and not whole)):
                    failures += 1
                    print("  FAILED")
        for file in sorted(pathlib.Path(folder).glob("*.damaged")):
            lost = file.with_suffix(".ndjson")
            status, text, _, peak = run([inspect, "repair", file, "--dry-run", "--lost", lost])
            cases += 1
            print(f"{'repair':11} {file.name:18} {file.stat().st_size:6} bytes, status {status}, "
                  f"{peak:5.0f} MiB, list of {lost.stat().st_size} bytes: "
                  + text.splitlines()[0])
            if status != 1 or peak > LIMIT_MIB or not is_cut(lost, file):
                failures += 1
                print("  FAILED")
    print(f"G10 bombs: cases={cases} failures={failures}")
    return 1 if failures or cases < 30 / stride() else 0


if __name__ == "__main__":
    sys.exit(main())
