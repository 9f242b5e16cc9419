#!/usr/bin/env python3
"""G2: kills a saver at every system call of a save, and makes every call fail, with strace.

strace_test.py SAVER WAY

Another process then loads what is left: the old or the new save, whole. Exits with 77 (skipped) if
strace is missing or may not trace.
"""
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

SAVER, WAY = sys.argv[1:3]
MARKER = "hdb-crash-test-begins"
CALLS = ["openat", "mkdir", "mkdirat", "write", "pwrite64", "pread64", "fallocate", "ftruncate",
         "fsync", "fdatasync", "sync_file_range", "fchmod", "fchown", "flistxattr", "fgetxattr",
         "fsetxattr", "fremovexattr", "renameat", "renameat2", "linkat", "unlinkat", "close",
         "newfstatat", "fstat", "statx", "flock", "getdents64", "readlinkat", "getrandom"]
ERRORS = ["EIO", "ENOSPC", "EDQUOT", "EINTR", "EROFS", "EACCES", "EMFILE"]
# Exit statuses of the saver.
DURABLE, FAILED, REPLACED = 0, 3, 4
SKIPPED = 77
BATCH = 100
# The saves before the one that is disturbed: as many as fill the backups or the ring.
OLD = {"plain": 1, "backups": 3, "named": 2, "ring": 3}[WAY]
NEW = OLD + 1
TARGET = {"plain": "slot.hdb", "backups": "slot.hdb", "named": "slot-hero.hdb", "ring": None}[WAY]

scale = float(os.environ.get("HDB_TEST_SCALE") or 1)
stride = max(1, math.ceil(1 / scale)) if scale > 0 else 1
failures = []


class Case:
    def __init__(self, name, rules, kind, call):
        self.name, self.rules, self.kind, self.call = name, rules, kind, call
        self.folder = self.status = self.said = None

    def fail(self, text):
        failures.append(f"{WAY}: {self.name}: {text}")


def strace(log, rules, folder, check=False):
    command = ["strace", "-f", "-qq", "-o", log, "-e", "signal=none",
               "-e", "trace=" + ",".join("?" + call for call in CALLS + ["access", "faccessat"])]
    for rule in rules:
        command += ["-e", "inject=" + rule]
    return subprocess.run(command + [SAVER, "save", WAY, str(NEW), folder], text=True, check=check,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def skip_without_strace():
    if shutil.which("strace") is None:
        print("G2: skipped: strace is not installed; run tools/setup.sh --test")
        sys.exit(SKIPPED)
    tried = subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, text=True)
    if tried.returncode != 0:
        print("G2: skipped: strace may not trace here: " + tried.stderr.strip().split("\n")[-1])
        sys.exit(SKIPPED)


def calls_of_a_save(work, template):
    """The calls of an undisturbed save, each as (name, its number since the program's start), and
    how often each was called before."""
    folder, log = os.path.join(work, "undisturbed"), os.path.join(work, "log")
    shutil.copytree(template, folder)
    done = strace(log, [], folder)
    if done.returncode != DURABLE:
        sys.exit(f"{WAY}: the undisturbed save failed: {done.stdout} {done.stderr}")
    counts, calls, begun = {}, [], False
    for line in open(log):
        found = re.match(r"\d+ +(\w+)\((.*)", line)
        if not found:
            continue
        name, arguments = found.groups()
        if MARKER in arguments:
            begun = True
            continue
        counts[name] = counts.get(name, 0) + 1
        # The program's own report is not part of the save.
        if begun and name in CALLS and not re.match(r"1[,)]", arguments):
            calls.append((name, counts[name]))
    return calls


def cases_of(calls):
    for index, (name, number) in enumerate(calls):
        yield Case(f"killed at call {index} ({name} {number})",
                   [f"{name}:signal=KILL:when={number}"], "kill", name)
    for index, (name, number) in enumerate(calls):
        later = {}
        for other, count in calls[index:]:
            later.setdefault(other, count)
        # At least one error for each call.
        for error in [ERRORS[(index + i) % len(ERRORS)] for i in range(0, len(ERRORS), stride)]:
            label = f"call {index} ({name} {number}) fails with {error}"
            yield Case(label + " once", [f"{name}:error={error}:when={number}"], "once", name)
            yield Case(label + " for ever", [f"{name}:error={error}:when={number}+"], "for ever",
                       name)
            yield Case(label + ", as all later calls",
                       [f"{other}:error={error}:when={count}+" for other, count in later.items()],
                       "everything", name)


def ask(command, folders):
    """The lines of the saver, one for each folder: (text, the current version, files)."""
    words = [SAVER, command, WAY] + ([str(NEW + 1)] if command == "resave" else [])
    text = subprocess.run(words + folders, stdout=subprocess.PIPE, text=True, check=True).stdout
    answers = []
    for line in text.splitlines():
        current, _, files = line.partition(" ")
        answers.append((line, current, dict(file.rsplit("=", 1) for file in files.split())
                        if not line.startswith("failed") else {}))
    assert len(answers) == len(folders), text
    return answers


def content(folder):
    return {name: open(os.path.join(folder, name), "rb").read() for name in os.listdir(folder)}


def judge(case, answer, template):
    line, current, files = answer
    versions = set(files.values())
    if "-" in versions:
        case.fail(f"a file is not a whole save: {line}")
    if case.kind == "kill":
        if case.status not in (-9, 137, DURABLE):
            case.fail(f"the saver ended with {case.status}: {case.said}")
        allowed = {str(NEW)} if "durable" in case.said.split() else {str(OLD), str(NEW)}
        if current not in allowed:
            case.fail(f"the current save is {current}, not {allowed}: {line}")
        if current == str(OLD):
            # The backup that waits is a second name of the target.
            for name, version in template_versions.items():
                if files.get(name) != version:
                    case.fail(f"{name} is {files.get(name)} and was {version}: {line}")
    elif case.status == FAILED:
        if current != str(OLD):
            case.fail(f"the save failed, and the current save is {current}: {line}")
        left = content(case.folder)
        for name, old in template.items():
            if left.get(name) != old:
                case.fail(f"the save failed, and {name} is not as it was")
        for name in left.keys() - template.keys():
            # Removing it was refused; or the lock file, on whose state the answer was an error. The
            # next save removes it: see below.
            is_lock = name.endswith(".hdb.lock")
            may_stay = (case.kind == "everything" or case.call == "unlinkat" or
                        (is_lock and case.call in ("flock", "newfstatat", "fstat")))
            if not may_stay:
                case.fail(f"{name} is left behind")
    elif case.status in (DURABLE, REPLACED):
        if current != str(NEW):
            case.fail(f"the save succeeded, and the current save is {current}: {line}")
        # Whatever the error, it is never repeated: the kernel may have dropped the data.
        if case.call == "fsync" and case.status == DURABLE and "backups" not in case.said:
            case.fail("durable although the fsync of the file or the folder failed")
        if "backups" not in case.said and TARGET and OLD > 1:
            expected = {TARGET: str(NEW), TARGET + ".1": str(OLD)}
            if {name: files.get(name) for name in expected} != expected:
                case.fail(f"the backups are not moved up: {line}")
    else:
        case.fail(f"the saver ended with {case.status}: {case.said}")
    # Whatever happened, only the oldest save may be gone. In a ring that is the oldest of those
    # that could be read: the newest is never among them.
    kept = range(2 if current == str(NEW) else 1, OLD + 1)
    lost = [version for version in kept if OLD > 1 and str(version) not in versions]
    if WAY == "ring" and current == str(NEW) and case.kind != "kill":
        lost = [] if str(OLD) in versions and len(files) == OLD == len(versions) else [OLD]
    if lost:
        case.fail(f"lost saves {lost}: {line}")


def judge_next(case, answer):
    line, current, files = answer
    if current != str(NEW + 1) or "-" in files.values():
        case.fail(f"the next save: {line}")
    # A ring's other files keep what a crash left beside them until their own turn comes.
    if WAY != "ring" and any(name.startswith(".") for name in os.listdir(case.folder)):
        case.fail(f"the next save left {os.listdir(case.folder)}")


def run(cases, work, template_folder, template):
    for number, case in enumerate(cases):
        case.folder = os.path.join(work, str(number))
        shutil.copytree(template_folder, case.folder)
        done = strace(os.path.join(work, "log"), case.rules, case.folder)
        case.status, case.said = done.returncode, (done.stdout + done.stderr).strip()
    folders = [case.folder for case in cases]
    for case, answer in zip(cases, ask("observe", folders)):
        judge(case, answer, template)
    for case, answer in zip(cases, ask("resave", folders)):
        judge_next(case, answer)
    for folder in folders:
        shutil.rmtree(folder)


skip_without_strace()
place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
with tempfile.TemporaryDirectory(dir=place) as work:
    old = os.path.join(work, "old")
    os.mkdir(old)
    for version in range(1, OLD + 1):
        subprocess.run([SAVER, "save", WAY, str(version), old], check=True,
                       stdout=subprocess.DEVNULL)
    template_versions = ask("observe", [old])[0][2]
    template_bytes = content(old)
    calls = calls_of_a_save(work, old)
    assert len(calls) > 20, calls
    cases = list(cases_of(calls))
    for at in range(0, len(cases), BATCH):
        run(cases[at:at + BATCH], work, old, template_bytes)

for text in failures[:20]:
    print(text)
killed = sum(case.kind == "kill" for case in cases)
print(f"G2 killed at each of {killed} calls, {WAY}: cases={killed} "
      f"failures={len([f for f in failures if ' killed at ' in f])}")
print(f"G2 failing calls of the kernel, {WAY}: cases={len(cases) - killed} "
      f"failures={len([f for f in failures if ' killed at ' not in f])}")
sys.exit(1 if failures else 0)
