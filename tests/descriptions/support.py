"""What the tests of the descriptions share: programs that may be missing, files that are damaged,
the end of a test."""

import os
import shutil
import sys

SKIPPED = 77  # CTest: the test was skipped


def needs(found, what, install):
    """Ends the test unless `found`: with CI=true it fails, else it is skipped."""
    if found:
        return
    print(f"descriptions: {what} is missing; install it: {install} (tools/setup.sh --ci does)")
    sys.exit(1 if os.environ.get("CI") == "true" else SKIPPED)


def needs_program(name, package):
    needs(shutil.which(name), name, f"apt-get install {package}")


def report(subject, cases, failures):
    """Prints the result of a test and ends it."""
    for failure in failures:
        print(failure[:2000])
    print(f"{subject}: cases={cases} failures={len(failures)}")
    sys.exit(1 if failures else 0)


def damaged_signatures(save):
    """Copies of a save whose signature a transfer has damaged, by what happened."""
    return {
        "line ends converted to LF": save.replace(b"\r\n", b"\n"),
        "line ends converted to CRLF": save.replace(b"\n", b"\r\n"),
        "top bits lost": bytes(byte & 0x7F for byte in save),
        "cut off within the signature": save[:7],
        "read as Latin-1 and written as UTF-8": save.decode("latin-1").encode(),
    }


# Files of other kinds: the name of each says what it is.
OTHER_FILES = {
    "empty": b"",
    "text": b"hdb snapshot\n",
    "PNG": bytes.fromhex("89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"),
    "HDF5": bytes.fromhex("894844460d0a1a0a") + bytes(64),
    "zeros": bytes(256),
    "a signature that is not at the beginning": b"\0\x89HDB\r\n\x1a\n" + bytes(200),
}
