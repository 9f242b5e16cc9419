"""Tests that both readers agree with the manifest of the conformance suite.

check_manifest.py HDBINSPECT FIXTURES [--write]

fixtures/manifest.txt lists every file with what a reader says of it: --write makes it anew from
what hdbinspect says. The second reader has no limits, knows no drafts, and does not look at strong
handles: of such files only its agreement that they are refused or sound counts.
"""

import subprocess
import sys
from pathlib import Path

from hdb_reader import read
from wire import NeedsNewer, Refused

HEAD = """# The conformance suite of the hdb snapshot format (schema/FORMAT.md, section 15).
# Each line is a file, what a reader of this version does with it, and the state hash of the footer:
#   accept deep       the file has the level deep
#   accept full       it has the level full, but not deep
#   refuse corrupt    a file that breaks a rule
#   refuse newer      a file that needs a newer reader
#   refuse draft      a file of a draft before 0.9
#   refuse limit      a file over the default limits of a reader
"""
REFUSED = {1: "refuse corrupt", 2: "refuse limit", 3: "refuse newer"}


def status_of(program, path, level):
    command = [program, "--quiet", "validate", f"--level={level}", path]
    return subprocess.run(command, capture_output=True, check=False).returncode


def line_of(program, fixtures, path):
    """What hdbinspect says of a file."""
    data = path.read_bytes()
    status = status_of(program, path, "deep")
    if status == 0:
        verdict = "accept deep"
    elif status == 1 and status_of(program, path, "full") == 0:
        verdict = "accept full"
    elif status == 3 and data[8:10] == b"\0\0" and data[10] < 9:
        verdict = "refuse draft"
    else:
        verdict = REFUSED[status]
    name = path.relative_to(fixtures).as_posix()
    return f"{name} {verdict} {state_hash(data) if verdict.startswith('accept') else '-'}"


def state_hash(data):
    """The state hash in the footer."""
    return f"{int.from_bytes(data[-32:-16], 'little'):032x}"


def second_verdict(path):
    """What the second reader says of a file: accept, refuse, or refuse newer."""
    try:
        read(path.read_bytes())
        return "accept"
    except NeedsNewer:
        return "refuse newer"
    except Refused as refused:
        return "accept" if refused.computed is not None else "refuse"  # it has the level full


def main():
    program, fixtures = sys.argv[1], Path(sys.argv[2])
    files = sorted(fixtures.rglob("*.hdb"), key=lambda path: path.as_posix())
    found = [line_of(program, fixtures, path) for path in files]
    manifest = fixtures / "manifest.txt"
    if "--write" in sys.argv:
        manifest.write_text(HEAD + "\n".join(found) + "\n", "utf-8")
    listed = [line for line in manifest.read_text("utf-8").splitlines() if line[:1] != "#"]
    failures = [f"not as hdbinspect says: {line}" for line in sorted(set(listed) ^ set(found))]
    for path, line in zip(files, found):
        second, verdict = second_verdict(path), line.split(" ", 1)[1]
        is_newer = second == "refuse newer"
        if verdict.split()[0] != second.split()[0] or is_newer != ("newer" in verdict):
            failures.append(f"the second reader says {second}: {line}")
    for failure in failures:
        print(failure)
    print(f"reader manifest: cases={len(files)} failures={len(failures)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
