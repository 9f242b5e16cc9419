#!/usr/bin/env python3
"""What hdbinspect takes, in time and memory, of saves far larger than memory should be.

Usage: large_file.py BUILD_FOLDER [--gibibytes 1,4] [--folder DIR] [--runs N] Writes saves of so
many GiB of raw records into DIR with hdb_large_file (they are removed at the end), runs each
command, and prints medians of the wall time, of the processor time, and the largest resident memory
of all runs.
"""

import argparse
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path


BUFFER = bytearray(
    1 << 20
)  # one for ever: what this program holds counts as memory of its children, too


def measured(command):
    """Wall seconds, processor seconds, peak MiB and exit status of one run, and the bytes that it
    printed."""
    begin = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        printed = 0
        while size := os.readv(process.stdout.fileno(), [BUFFER]):
            printed += size
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.monotonic() - begin
    return (
        wall,
        usage.ru_utime + usage.ru_stime,
        usage.ru_maxrss / 1024,
        process.returncode,
        printed,
    )


def tell(name, command, runs, expected):
    """Prints one line of figures."""
    results = [measured(command) for _ in range(runs)]
    wall, cpu = (statistics.median(result[at] for result in results) for at in (0, 1))
    peak = max(result[2] for result in results)
    wrong = [result[3] for result in results if result[3] != expected]
    rate = f"  {results[0][4] / wall / 1e6:8.1f} MB/s printed" if results[0][4] > 1e6 else ""
    print(
        f"  {name:28} {wall:9.3f} s  {cpu:9.3f} s processor  {peak:8.1f} MiB{rate}"
        + (f"  EXIT STATUS {wrong[0]}" if wrong else ""),
        flush=True,
    )


def main():
    """Measures one size after another."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("build", type=Path)
    parser.add_argument("--gibibytes", default="1,4")
    parser.add_argument("--folder", default=None)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    inspect = str(arguments.build / "tools/hdbinspect/hdbinspect")
    make = str(arguments.build / "tools/bench/hdb_large_file")
    for size in arguments.gibibytes.split(","):
        with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
            a, b, c = (f"{folder}/{name}.hdb" for name in "abc")
            subprocess.run([make, a, "--gibibytes", size], check=True)
            subprocess.run([make, b, "--gibibytes", size, "--change", "12345"], check=True)
            os.link(a, c)
            print(f"{size} GiB raw, {Path(a).stat().st_size / 2**20:.0f} MiB on disk")
            tell("info", [inspect, "info", a], arguments.runs, 0)
            tell("ls", [inspect, "ls", a], arguments.runs, 0)
            tell("diff, equal", [inspect, "diff", a, c], arguments.runs, 0)
            tell("diff, one record", [inspect, "diff", a, b], arguments.runs, 1)
            tell("dump --limit 1000", [inspect, "dump", "--limit", "1000", a], arguments.runs, 0)
            tell(
                "validate --level=quick",
                [inspect, "validate", "--level=quick", a],
                arguments.runs,
                0,
            )
            tell("validate", [inspect, "validate", a], arguments.runs, 0)
            tell("validate --level=deep", [inspect, "validate", "--level=deep", a], 1, 0)
            tell("dump", [inspect, "dump", a], 1, 0)


if __name__ == "__main__":
    main()
