#!/usr/bin/env python3
"""The documentation site is whole.

check_site.py SITE          checks the site in this folder
check_site.py --self-test   shows that each rule can fail

Every link leads to a page and an anchor that exist, also those of the search; every page but the
first is in a list of contents; an id stands once. Nothing is asked of a network: styles, scripts
and images are files of the site. The whole has at most 5 MB.
"""
import json
import os
import re
import sys
import tempfile
from html.parser import HTMLParser
from urllib.parse import unquote

MOST_BYTES = 5_000_000
LOADS = {"link": "href", "script": "src", "img": "src", "iframe": "src", "source": "src",
         "video": "src", "audio": "src", "object": "data", "embed": "src", "form": "action"}


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loads, self.faults = set(), [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        name = found.get("id")
        if name in self.ids:
            self.faults.append(f"two elements have the id {name}")
        if name is not None:
            self.ids.add(name)
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        if LOADS.get(tag) in found:
            self.loads.append(found[LOADS[tag]])
        if "style" in found:
            self.loads += re.findall(r"url\(([^)]*)\)", found["style"])


def read(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return file.read()


def check(folder):
    """The number of links, and the faults."""
    files = sorted(os.listdir(folder))
    pages = {name: Page(read(folder, name)) for name in files if name.endswith(".html")}
    links = [(name, link) for name, page in pages.items() for link in page.links]
    index = re.fullmatch(r"window\.pages = (.*);\n", read(folder, "search.js"))
    links += [("search.js", entry[0]) for entry in json.loads(index[1])]
    faults = [f"{name}: {fault}" for name, page in pages.items() for fault in page.faults]
    for name, link in links:
        file, _, anchor = link.partition("#")
        file = unquote(file) or name
        if re.match(r"(https?|mailto):", link):
            continue
        if file not in pages:
            faults.append(f"{name}: no page {link}")
        elif anchor and unquote(anchor) not in pages[file].ids:
            faults.append(f"{name}: no anchor {link}")
    loads = [(name, load) for name, page in pages.items() for load in page.loads]
    for name in files:
        if name.endswith(".css"):
            text = read(folder, name)
            loads += [(name, load) for load in re.findall(r"url\(([^)]*)\)", text)]
            loads += [(name, load) for load in re.findall(r"@import\s+([^;]*)", text)]
        elif name.endswith(".js") and name != "search.js":
            loads += [(name, load) for load in re.findall(r"""["'`](https?:[^"'`]*)""",
                                                          read(folder, name))]
    faults += [f"{name}: loads {load}" for name, load in loads if load not in files]
    linked = {link.partition("#")[0] for _, link in links}
    faults += [f"{name}: no page has a link to it" for name in pages if name not in linked]
    size = sum(os.path.getsize(os.path.join(folder, name)) for name in files)
    if size > MOST_BYTES:
        faults.append(f"{size} bytes are more than {MOST_BYTES}")
    print(f"site: {len(pages)} pages, {size} bytes")
    return len(links), faults


def self_test():
    first = '<link rel="stylesheet" href="site.css"><a href="b.html#there">b</a>'
    good = {"a.html": first, "b.html": '<p id="there"><a href="a.html">a</a>',
            "site.css": "p { color: red }", "site.js": "'search.js'",
            "search.js": 'window.pages = [["b.html#there","b","b",""]];\n'}
    bad = {
        "a.html: no page c.html": ("a.html", first + '<a href="c.html">'),
        "a.html: no anchor b.html#here": ("a.html", first + '<a href="b.html#here">'),
        "search.js: no anchor": ("search.js", 'window.pages = [["a.html#x","","",""]];\n'),
        "two elements have the id there": ("b.html", good["b.html"] + '<p id="there">'),
        "loads https://x/y.js": ("a.html", first + '<script src="https://x/y.js"></script>'),
        "loads missing.png": ("a.html", first + '<img src="missing.png">'),
        "site.css: loads //x/f.woff": ("site.css", "@font-face { src: url(//x/f.woff) }"),
        "site.css: loads 'x.css'": ("site.css", "@import 'x.css';"),
        "site.js: loads http://x": ("site.js", "fetch('http://x')"),
        "c.html: no page has a link to it": ("c.html", ""),
        "bytes are more than": ("site.js", "/" * MOST_BYTES),
    }
    failures = 0
    for wanted in [None, *bad]:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**good, **dict([bad[wanted]] if wanted else [])}.items():
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            faults = check(folder)[1]
        if [wanted] != [wanted and next((wanted for fault in faults if wanted in fault), "")] or (
                not wanted and faults):
            failures += 1
            print(f"{wanted}: {faults}")
    print(f"site self-test: cases={len(bad) + 1} failures={failures}")
    return failures


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test() != 0
    cases, faults = check(sys.argv[1])
    print("\n".join(faults[:40] + [f"links: cases={cases} failures={len(faults)}"]))
    return bool(faults) or not cases


if __name__ == "__main__":
    sys.exit(main())
