"""python3 -m hdb SAVE: what is in a save file, in a few lines."""
from __future__ import annotations

import datetime
import sys

from . import Error, open as open_save


def summary(path: str) -> str:
    """Title, size, date and state hash of a file, and its tables."""
    with open_save(path) as save:
        info = save.info
        lines = [f"{path}: format {info.version[0]}.{info.version[1]}, {info.file_bytes} bytes"]
        if info.title:
            lines.append(f"title: {info.title}")
        if info.date_unix_ms:
            date = datetime.datetime.fromtimestamp(info.date_unix_ms / 1000, datetime.timezone.utc)
            lines.append(f"saved: {date:%Y-%m-%d %H:%M:%S} UTC")
        lines.append(f"state hash: {info.state_hash}")
        for table in save:
            fields = ", ".join(field.name for field in table.fields)
            lines.append(f"{table.name}: {len(table)} records ({fields})")
        return "\n".join(each.encode("unicode_escape").decode() if not each.isprintable() else each
                         for each in lines)


def main() -> int:
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        print("usage: python3 -m hdb SAVE\nPrints what is in a save file. For more: hdbinspect.")
        return 0 if sys.argv[1:] in (["-h"], ["--help"]) else 2
    try:
        print(summary(sys.argv[1]))
    except Error as error:
        print(f"hdb: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
