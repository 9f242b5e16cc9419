"""Tests each rule of FORMAT.md that a small file can break or just keep: check_rules.py HDBINSPECT

The second reader must take the file for sound or refuse it for the section that it breaks, and hdbinspect must agree.
"""

import sys

import check_fixtures  # noqa: F401  (tells what to install)
import rules_catalog
import rules_content
import rules_frame
from agree import disagreements
from seal import reseal


def main():
    failures, files = [], []
    for rules in rules_frame.RULES + rules_catalog.RULES + rules_content.RULES:
        for what, section, parts in rules():
            data, reason = reseal(parts)
            files.append((what, data, reason))
            if (reason and reason.split(":")[0]) != (section and f"section {section}"):
                failures.append(f"{what}: breaks {section or 'nothing'}, but the reader says {reason}")
    failures += disagreements(sys.argv[1], files)
    for failure in failures:
        print(failure)
    print(f"reader rules: cases={len(files)} failures={len(failures)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
