"""Tests the package for shared-mime-info: the media types that desktops find for files.

check_media_type.py PACKAGE FIXTURES
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from support import OTHER_FILES, damaged_signatures, needs_program, report

MEDIA_TYPE = "application/vnd.hdb"


def expectations(fixtures):
    """Name and bytes of a file, and whether it has the media type."""
    for path in sorted(fixtures.glob("v*/*.hdb")) + sorted(fixtures.glob("v*/invalid/*.hdb")):
        yield path.stem, path.read_bytes(), True  # by content
        yield path.name, path.read_bytes(), True
    yield "unreadable.hdb", bytes(100), True  # by name
    for name, data in OTHER_FILES.items():
        yield name, data, False
    for name, data in damaged_signatures((fixtures / "v0/before.hdb").read_bytes()).items():
        yield name, data, False


def media_type_of(path, environment):
    """The media type that GLib finds for a file."""
    lines = subprocess.run(
        ["gio", "info", "--attributes=standard::content-type", path],
        capture_output=True,
        text=True,
        env=environment,
    ).stdout.splitlines()
    return next((line.split(": ")[1] for line in lines if "standard::content-type" in line), None)


def main():
    package, fixtures = sys.argv[1], Path(sys.argv[2])
    needs_program("update-mime-database", "shared-mime-info")
    needs_program("gio", "libglib2.0-bin")
    cases, failures = 1, []
    with tempfile.TemporaryDirectory() as folder:
        packages = Path(folder) / "share/mime/packages"
        packages.mkdir(parents=True)
        shutil.copy(package, packages / "hdb.xml")
        environment = dict(os.environ, XDG_DATA_HOME=f"{folder}/share", XDG_DATA_DIRS="/usr/share")
        done = subprocess.run(
            ["update-mime-database", packages.parent],
            capture_output=True,
            text=True,
            env=environment,
        )
        if done.returncode or done.stdout or done.stderr:
            failures.append(f"update-mime-database: {done.stdout}{done.stderr}")
        path = Path(folder) / "files"
        path.mkdir()
        for name, data, is_hdb in expectations(fixtures):
            cases += 1
            (path / name).write_bytes(data)
            found = media_type_of(path / name, environment)
            if (found == MEDIA_TYPE) != is_hdb or found is None:
                failures.append(f"{name}: its media type is {found}")
    report("media type", cases, failures)


if __name__ == "__main__":
    main()
