"""Compares the verdicts of the second reader and of `hdbinspect validate`: sound or not, and
whether a newer reader is needed."""

import json
import subprocess
import tempfile
from pathlib import Path

FILES_A_RUN = 250
STATE_HASH_MISMATCH = "state_hash_mismatch"
NEWER = "newer"  # added to the names of findings
DANGLING = "dangling_strong"  # not a rule of the format: the reader does not resolve handles


def disagreements(program, files, exactly=False):
    """The disagreements of the two readers. A file is its name, its bytes, and the reason why the
    reader refuses it, or None. If a file breaks one rule only, the readers agree `exactly`: also on
    whether it needs a newer reader."""
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        paths = [f"{folder}/{at}.hdb" for at in range(len(files))]
        for path, (_, data, _) in zip(paths, files):
            Path(path).write_bytes(data)
        findings = []
        for at in range(0, len(paths), FILES_A_RUN):
            findings += inspected(program, paths[at : at + FILES_A_RUN])
    for (what, _, reason), found in zip(files, findings):
        failure = disagreement(reason, found)
        if exactly and not failure and (", newer:" in str(reason)) != (NEWER in found):
            failure = f"hdbinspect finds {', '.join(found)}, but the reader says {reason}"
        failures += [f"{what}: {failure}"] if failure else []
    return failures


def inspected(program, paths):
    """The names of the findings of `hdbinspect validate --level=deep` for each of several files."""
    lines = subprocess.run(
        [program, "--json", "validate", "--level=deep", *paths], capture_output=True
    ).stdout.splitlines()
    found, ended = {path: set() for path in paths}, set()
    for line in map(json.loads, lines):
        if line["type"] == "validation":
            ended.add(line["file"])
        elif line["type"] != "references" and line["name"] != DANGLING:
            found[line["file"]].add(line["name"])
            if "with a newer version of hdb" in line.get("next", ""):
                found[line["file"]].add(NEWER)
    return [found[path] if found[path] or path in ended else {"nothing printed"} for path in paths]


def disagreement(reason, findings):
    """The disagreement of the two readers, or None. If the reader refuses a file, a wrong state
    hash is not counted."""
    if reason is None:
        return f"hdbinspect finds {', '.join(findings)}, the reader nothing" if findings else None
    counted = findings if reason.startswith("section 7:") else findings - {STATE_HASH_MISMATCH}
    return None if counted else f"only the reader refuses: {reason}"
