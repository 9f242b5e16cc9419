"""Tests each rule of FORMAT.md that a small file can break or just keep: check_rules.py HDBINSPECT

The second reader must accept the file or refuse it for the section that it breaks, and
hdbinspect must agree, also on whether the file needs a newer reader.
"""

import sys

import rules_catalog
import rules_components
import rules_content
import rules_dropped
import rules_extensions
import rules_frame
import rules_geometry
import rules_limits
import rules_names
import rules_newer
import rules_packs
from agree import disagreements
from check_fixtures import reason_for_refusal
from seal import reseal


RULES = (
    rules_geometry.RULES
    + rules_frame.RULES
    + rules_catalog.RULES
    + rules_content.RULES
    + rules_components.RULES
    + rules_packs.RULES
    + rules_extensions.RULES
    + rules_names.RULES
    + rules_dropped.RULES
    + rules_newer.RULES
    + rules_limits.RULES
)


def main():
    failures, files = [], []
    for rules in RULES:
        for what, section, made in rules():
            data, reason = (
                (made, reason_for_refusal(made)) if isinstance(made, bytes) else reseal(made)
            )
            files.append((what, data, reason))
            if (reason and reason.split(":")[0]) != (section and f"section {section}"):
                failures.append(
                    f"{what}: breaks {section or 'nothing'}, but the reader says {reason}"
                )
    failures += disagreements(sys.argv[1], files, exactly=True)
    for failure in failures:
        print(failure)
    print(f"reader rules: cases={len(files)} failures={len(failures)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
