#!/usr/bin/env python3
"""Checks NDJSON on standard input against the JSON Schemas in a folder: json_check.py FOLDER
[TYPE...]

Every line must be an object whose `type` has a schema, fit it, and have no member that it does not
describe. Each TYPE must come up. The validator is Debian's python3-jsonschema, which knows nothing
of how the lines were made.
"""
import json
import os
import sys

try:
    import jsonschema
except ImportError:
    sys.exit("json_check.py: no python3-jsonschema; run tools/setup.sh --test")

folder = sys.argv[1]
validators = {}


def validator_of(kind):
    if kind not in validators:
        path = os.path.join(folder, f"{kind}.schema.json")
        if "/" in kind or not os.path.exists(path):
            raise ValueError(f"no schema for type {kind}")
        with open(path, encoding="utf-8") as file:
            schema = json.load(file)
        chosen = jsonschema.validators.validator_for(schema, default=None)
        if chosen is None:
            raise ValueError(f"{path}: $schema names no draft")
        chosen.check_schema(schema)
        validators[kind] = chosen(schema)
    return validators[kind]


def object_of(pairs):
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise ValueError(f"a member twice: {names}")
    return dict(pairs)


def no_constant(text):
    raise ValueError(f"{text} is no JSON")


def fault_of(line, seen):
    try:
        value = json.loads(
            line.decode("utf-8"), object_pairs_hook=object_of, parse_constant=no_constant
        )
        if not isinstance(value, dict) or not isinstance(value.get("type"), str):
            return "no object with a type"
        validator = validator_of(value["type"])
    except (ValueError, jsonschema.SchemaError) as error:
        return str(error)
    for error in validator.iter_errors(value):
        return f"{error.message} at {'/'.join(map(str, error.absolute_path)) or 'the top'}"
    # Schemas allow more members, so that programs accept later versions; what we print must be
    # described.
    unknown = set(value) - set(validator.schema["properties"])
    if unknown:
        return f"members not in the schema: {', '.join(sorted(unknown))}"
    seen.add(value["type"])
    return None


kinds = set()
cases = 0
failures = 0
for text in sys.stdin.buffer:
    cases += 1
    fault = fault_of(text, kinds)
    if fault is not None:
        failures += 1
        print(f"{fault}\n  {text[:2000]!r}")
for wanted in sys.argv[2:]:
    if wanted not in kinds:
        failures += 1
        print(f"no object of type {wanted} was printed")
print(f"cases={cases} failures={failures}")
sys.exit(0 if failures == 0 and cases != 0 else 1)
