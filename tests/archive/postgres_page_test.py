#!/usr/bin/env python3
"""Runs the commands of postgresql.md against a server, then tries what each role must not do.

postgres_page_test.py HDBINSPECT FIXTURES PAGE PROGRAMS_OF_POSTGRESQL

As root, the server and all commands run as the user postgres.
"""
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile

PROGRAM, FIXTURES, PAGE, POSTGRES = sys.argv[1:5]
USER = "postgres" if os.geteuid() == 0 else None
work = tempfile.mkdtemp(prefix="hdb_page_", dir="/tmp")
failures = 0


def commands():
    """The indented lines of the section, as one script."""
    with open(PAGE, encoding="utf-8") as file:
        section = file.read().split("## A server for archives\n")[1].split("\n## ")[0]
    lines = [line[4:] for line in section.splitlines() if line.startswith("    ")]
    assert len(lines) > 30, lines
    return "\n".join(lines).replace("db.example", "localhost") + "\n"


def run(script):
    how = {"env": {"PATH": f"{work}:{POSTGRES}:/usr/bin:/bin", "HOME": work, "PGHOST": work,
                   "PGPORT": PORT, "PGUSER": "postgres", "PGDATA": f"{work}/data", "LC_ALL": "C"}}
    if USER:
        how["user"], how["group"], how["extra_groups"] = USER, USER, []
    return subprocess.run(["bash", "-euc", script], cwd=work, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **how)


def check(name, good, ran):
    global failures
    if not good:
        failures += 1
        print(f"{name}: status {ran.returncode}\n{ran.stdout}")


def must(name, script, status=0, says=""):
    ran = run(script)
    check(name, ran.returncode == status and re.search(says, ran.stdout), ran)


def url(role, host="localhost", mode="verify-full"):
    certificate = f"sslrootcert={work}/hdb-server.crt"
    return f"'postgresql://hdb_{role}@{host}/saves?sslmode={mode}&{certificate}'"


def check_roles():
    for role, action, words, status, says in (
            ("reader", "list", "", 0, "gate/2"),
            ("reader", "verify", "", 0, "2 saves.*sound"),
            ("reader", "share", "", 0, "2 saves"),
            ("reader", "metrics", "", 0, "hdb_archive_saves 2"),
            ("reader", "copy", "copied.hdba", 0, "2 saves copied"),
            ("reader", "put", "third.hdb --number 3", 2, "permission denied"),
            ("reader", "remove", "gate/1", 2, "permission denied"),
            ("reader", "gc", "", 2, "permission denied"),
            ("writer", "put", "third.hdb --world gate --number 3", 0, "gate/3"),
            ("writer", "remove", "gate/1", 2, "permission denied"),
            ("writer", "thin", "--keep-last 1", 2, "permission denied"),
            ("writer", "gc", "--dry-run", 0, "would free 0 objects"),
            ("writer", "copy", "more.hdba", 0, "3 saves copied"),
            ("reader", "list", "", 0, "gate/1(?s:.*)gate/2(?s:.*)gate/3"),
            ("admin", "thin", "--keep-last 2 --dry-run", 0, "gate/1 would be removed"),
            ("admin", "remove", "gate/1", 0, "gate/1 removed"),
            ("writer", "gc", "", 2, "permission denied"),
            ("reader", "verify", "", 0, "2 saves.*sound"),
            ("admin", "gc", "", 0, "freed [1-9]"),
            ("reader", "verify", "", 0, "2 saves.*sound")):
        must(f"{role}: {action}", f"hdbinspect archive {action} {url(role)} {words}", status, says)
    must("back from a file", f"hdbinspect archive copy more.hdba {url('writer')}", 0,
         "1 save copied, 2 there before")


def check_tls():
    must("the name of another server", f"hdbinspect archive list {url('reader', '127.0.0.1')}", 2,
         "certificate")
    must("without TLS", f"hdbinspect archive list {url('reader', mode='disable')}", 2,
         "no pg_hba.conf entry")
    for action in ("list", "verify", "metrics", "thin --keep-last 1 --dry-run", "gc --dry-run",
                   "copy saves.hdba", "put third.hdb --world gate --number 3"):
        name, _, words = action.partition(" ")
        place = url("admin:admin-password")
        words = f"{words} {place}" if name == "copy" else f"{place} {words}"
        ran = run(f"hdbinspect archive {name} {words}")
        check(f"{name} shows no password", ran.returncode == 0 and "-password" not in ran.stdout,
              ran)
    must("a wrong password", f"PGPASSWORD=wrong hdbinspect archive list {url('reader')}", 2,
         "password authentication failed")


with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    PORT = str(free.getsockname()[1])
try:
    shutil.copy(PROGRAM, work)
    for name, fixture in (("first", "before"), ("second", "after"), ("third", "three_tables")):
        shutil.copy(f"{FIXTURES}/v0/{fixture}.hdb", f"{work}/{name}.hdb")
    if USER:
        for path in (work, *(os.path.join(work, name) for name in os.listdir(work))):
            shutil.chown(path, USER, USER)
    started = run("initdb -U postgres -A trust -E UTF8 --locale=C --no-sync >initdb.log && "
                  "sed -i '/^host/d' data/pg_hba.conf && "
                  f"pg_ctl -w -t 600 -l server.log -o '-k {work} -c listen_addresses=localhost' "
                  "start >start.log")
    check("a server", started.returncode == 0, started)
    page = run(commands())
    check("the commands of the page", page.returncode == 0, page)
    sound = re.findall(r"2 saves, [0-9]+ objects .*: sound", page.stdout)
    check("what pg_restore restored", len(sound) == 1, page)
    check_roles()
    check_tls()
finally:
    run("pg_ctl -m immediate stop")
    shutil.rmtree(work, ignore_errors=True)
print(f"postgres page: failures={failures}")
sys.exit(failures != 0)
