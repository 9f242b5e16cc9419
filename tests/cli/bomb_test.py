#!/usr/bin/env python3
"""Files of a few KB that claim gigabytes are refused, or checked, within 256 MiB of memory and 10 s
of a processor.

bomb_test.py HDBINSPECT BOMBS [LIMIT_MIB]
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def run(command):
    """Runs a command; its exit status, output, peak memory in MiB and processor seconds."""
    # AddressSanitizer keeps up to 256 MiB of freed memory, which is not what is measured here.
    options = os.environ.get("ASAN_OPTIONS", "").split(":") + ["quarantine_size_mb=1"]
    environment = {**os.environ, "ASAN_OPTIONS": ":".join(filter(None, options))}
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT,
                                   env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read(2000).decode(errors="replace")
    seconds = usage.ru_utime + usage.ru_stime
    return process.returncode, text.strip(), usage.ru_maxrss / 1024, seconds


def stride():
    """Each n-th file is tried: as scaled_stride() of the tests in C++."""
    scale = float(os.environ.get("HDB_TEST_SCALE", "1"))
    return 1 if scale >= 1 else 2


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


def main():
    inspect, bombs = sys.argv[1], sys.argv[2]
    limit_mib = int(sys.argv[3]) if len(sys.argv) > 3 else 256
    most_seconds = 10 if limit_mib == 256 else 100  # sanitizers take their time
    cases, failures = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([bombs, "make", folder], check=True)
        files = sorted(pathlib.Path(folder).glob("*.hdb"))
        files = files[::stride()]
        for file in files:
            kind = file.name.split("_")[0]
            kind = file.name.split("_")[1] if kind == "list" else kind
            for name, command in {
                "validate": [inspect, "validate", "--level=deep", file],
                "get": [inspect, "get", file, "t:0@1"],
                "diff": [inspect, "diff", file, file.with_name("list_u8_60M.hdb")],
                "load": [bombs, "load", kind, file],
            }.items():
                status, text, peak, seconds = run([str(word) for word in command])
                cases += 1
                first = text.split("\n")[0][:110]
                print(f"{name:8} {file.name:20} {file.stat().st_size:6} bytes, status {status}, "
                      f"{peak:5.0f} MiB, {seconds:4.1f} s: {first}")
                if status < 0 or status > 3 or peak > limit_mib or seconds > most_seconds:
                    failures += 1
                if "300M" in file.name and status in (0, 1) and name == "validate":
                    failures += 1  # it must be refused, not checked
                    print("  was not refused")
        for file in sorted(pathlib.Path(folder).glob("*.damaged")):
            lost = file.with_suffix(".ndjson")
            command = [inspect, "repair", file, "--dry-run", "--lost", lost]
            status, text, peak, seconds = run(command)
            cases += 1
            print(f"{'repair':8} {file.name:20} {file.stat().st_size:6} bytes, status {status}, "
                  f"{peak:5.0f} MiB, {seconds:4.1f} s, list of {lost.stat().st_size} bytes: "
                  + text.splitlines()[0])
            if (status != 1 or peak > limit_mib or seconds > most_seconds
                    or not is_cut(lost, file)):
                failures += 1
    print(f"G10 bombs: cases={cases} failures={failures}")
    return 1 if failures or cases < 30 / stride() else 0


if __name__ == "__main__":
    sys.exit(main())
