#!/usr/bin/env python3
"""Prints the list of what hdb is made with, as SPDX 2.3 in JSON.

sbom.py [FILE]   (default: standard output)

What C++ code needs is in dependencies.json beside this file, with the versions that hdb is tested
with; what the page of hdbinspect has inside is in the lock file of its packages. The time in the
list is SOURCE_DATE_EPOCH, or that of the last commit.
"""
import base64
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

PROJECT = pathlib.Path(__file__).resolve().parents[2]
USES = {
    "library": ("DEPENDENCY_OF", "hdb::hdb and hdb::inspect use it"),
    "archive": ("OPTIONAL_DEPENDENCY_OF", "hdb::archive uses it for archives in files"),
    "postgres": ("OPTIONAL_DEPENDENCY_OF", "hdb::archive uses it for archives on servers"),
    "tools": ("OPTIONAL_DEPENDENCY_OF", "hdbinspect uses it"),
    "page": ("CONTAINED_BY", "the page of hdbinspect has it inside"),
    "build": ("BUILD_TOOL_OF", "the page of hdbinspect is built or tested with it"),
}


def version():
    text = (PROJECT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"^project\(hdb VERSION ([0-9.]+)", text, re.M)[1]


def dependencies():
    return json.loads((PROJECT / "tools/packaging/dependencies.json").read_text(encoding="utf-8"))


def npm_packages():
    """What the lock file of the page names, by use; without the builds of tools for one system."""
    lock = json.loads((PROJECT / "tools/viewer/package-lock.json").read_text(encoding="utf-8"))
    found = {"page": [], "build": []}
    for path, package in lock["packages"].items():
        if not path or package.get("optional"):
            continue
        name = path.rpartition("node_modules/")[2]
        kind, digest = package["integrity"].split("-", 1)
        found["build" if package.get("dev") else "page"].append(
            {"name": name, "version": package["version"], "licence": package["license"],
             "npm": "pkg:npm/" + name.replace("@", "%40") + "@" + package["version"],
             "checksum": {"algorithm": kind.upper(),
                          "checksumValue": base64.b64decode(digest).hex()}})
    return found


def package_of(part, where):
    name = part["name"]
    package = {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", f"{where}-{name}"),
        "name": name,
        "versionInfo": part["version"],
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": part["licence"],
        "licenseDeclared": part["licence"],
        "copyrightText": "NOASSERTION",
    }
    purl = part.get("npm") or ("debian" in part and "pkg:deb/debian/" + part["debian"])
    if purl:
        package["externalRefs"] = [{"referenceCategory": "PACKAGE-MANAGER",
                                    "referenceType": "purl", "referenceLocator": purl}]
    if "checksum" in part:
        package["checksums"] = [part["checksum"]]
    return package


def created():
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or subprocess.run(
        ["git", "-C", PROJECT, "log", "-1", "--format=%ct"], check=True, capture_output=True,
        text=True).stdout
    return datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc)


def document():
    own = package_of({"name": "hdb", "version": version(), "licence": "MIT"}, "package")
    own["primaryPackagePurpose"] = "LIBRARY"
    packages = [own]
    relationships = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                      "relatedSpdxElement": own["SPDXID"]}]
    parts = dependencies()
    for where, more in npm_packages().items():
        parts[where] = parts.get(where, []) + more
    for where, found in parts.items():
        relationship, comment = USES[where]
        for part in found:
            packages.append(package_of(part, where))
            relationships.append({"spdxElementId": packages[-1]["SPDXID"],
                                  "relationshipType": relationship,
                                  "relatedSpdxElement": own["SPDXID"], "comment": comment})
    digest = hashlib.sha256(json.dumps(packages).encode()).hexdigest()[:16]
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"hdb-{version()}",
        "documentNamespace": f"https://spdx.org/spdxdocs/hdb-{version()}-{digest}",
        "creationInfo": {"created": created().strftime("%Y-%m-%dT%H:%M:%SZ"),
                         "creators": ["Tool: hdb-sbom"]},
        "packages": packages,
        "relationships": relationships,
    }


if __name__ == "__main__":
    text = json.dumps(document(), indent=1, ensure_ascii=False) + "\n"
    if len(sys.argv) > 1:
        pathlib.Path(sys.argv[1]).write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)
