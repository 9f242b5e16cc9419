#!/usr/bin/env python3
"""Builds the documentation site.

site.py PROJECT XML MAN OUT

XML is what Doxygen writes of the public headers, MAN the folder of the manual pages of hdbinspect
(may be missing), OUT the folder of the site, which is made again. Every page is complete without
scripts; site.js adds the search and the choice of light or dark. Nothing is asked of a network.
"""
import html
import json
import os
import re
import shutil
import subprocess
import sys

from markup import Fault, Names, Page, Program
from reference import Reference

HERE = os.path.dirname(os.path.abspath(__file__))
BEGIN = ["README.md", "lib/docs/guide.md"]
MORE = ["lib/docs/captures.md", "lib/docs/managers.md", "lib/docs/pointers.md",
        "lib/docs/designs.md", "lib/docs/compiling.md"]
INSIDE = ["schema/FORMAT.md", "schema/EXACT_DUMP.md", "ARCHITECTURE.md", "CONTRIBUTING.md",
          "tests/RELIABILITY.md", "SECURITY.md", "CHANGELOG.md"]
REFERENCE = "lib/docs/reference/main.md"
EXAMPLES = "tools/examples"
PYTHON = "tools/python/README.md"


def documents(root):
    """Groups of the navigation: a name and the documents in it, by their paths in the project."""
    def listed(folder, endings=".md"):
        return sorted(f"{folder}/{name}" for name in os.listdir(os.path.join(root, folder))
                      if name.endswith(endings))
    extras = [path for name in sorted(os.listdir(os.path.join(root, "lib/extras")))
              if os.path.isdir(os.path.join(root, "lib/extras", name))
              for path in listed(f"lib/extras/{name}")]
    others = [path for path in listed("lib/docs") if path not in BEGIN + MORE]
    index = f"{EXAMPLES}/README.md"
    examples = [index] + [path for path in listed(EXAMPLES, (".c", ".cpp", ".md", ".py"))
                          if path != index]
    return [("Begin", BEGIN), ("Guide", listed("lib/docs/guide")), ("Examples", examples),
            ("More", MORE + others + extras + [PYTHON]), ("Inside", INSIDE)]


def page_of(path):
    if path == "README.md":
        return "index.html"
    if path == PYTHON:
        return "python.html"
    if path.startswith(EXAMPLES + "/"):
        name = os.path.basename(path).partition(".")[0].replace("_", "-")
        return "examples.html" if name == "README" else f"example-{name}.html"
    name = re.sub(r"^\d+-", "", os.path.basename(path)[:-3]).lower().replace("_", "-")
    return ("api" if path == REFERENCE else name) + ".html"


def manual(path):
    """A manual page as HTML, with headings below that of the page."""
    with open(path, "rb") as file:
        text = subprocess.run(["mandoc", "-T", "html", "-O", "fragment"], stdin=file, check=True,
                              stdout=subprocess.PIPE).stdout.decode()
    text = re.sub(r'<table class="(head|foot)">.*?</table>', "", text, flags=re.S)
    text = re.sub(r"<(/?)h([12])\b", lambda m: f"<{m[1]}h{int(m[2]) + 1}", text)
    text = re.sub(r'<a class="permalink"[^>]*>(.*?)</a>', r"\1", text, flags=re.S)
    text = re.sub(r"(<br/>\s*)+(?=<br/>|<pre|</section|<p)", "", text)
    text = re.sub(r"(</pre>)\s*(<br/>\s*)+", r"\1\n", text)
    return text.replace("<pre", '<pre tabindex="0"')


class Site:
    def __init__(self, root, xml, man, out):
        self.root, self.xml, self.man, self.out = root, xml, man, out
        self.groups = documents(root)
        self.index = []  # [page#anchor, title, page's title, text], for the search
        with open(os.path.join(HERE, "page.html"), encoding="utf-8") as file:
            self.frame = file.read()

    def build(self):
        paths = [path for _, group in self.groups for path in group] + [REFERENCE]
        pages = {path: page_of(path) for path in paths}
        if len(set(pages.values())) != len(pages):
            raise Fault("two documents become the same page")
        names = Names()
        reference = Reference(self.root, self.xml, pages, names)
        shutil.rmtree(self.out, ignore_errors=True)
        os.makedirs(self.out)
        texts = {path: (Page if path.endswith(".md") else Program)(self.root, path, pages, names)
                 for path in paths}
        bodies = {path: page.html() for path, page in texts.items()}
        headers = sorted(reference.headers.values(), key=lambda header: header.name)
        manuals = sorted(os.listdir(self.man)) if os.path.isdir(self.man) else []
        self.nav = [(name, [(pages[path], texts[path].title) for path in group])
                    for name, group in self.groups]
        self.nav[0][1][0] = ("index.html", "hdb")
        self.nav[2][1][0] = ("examples.html", "Overview")
        if manuals:
            self.nav.insert(4, ("Commands", [(name[:-2] + ".html", name[:-2].replace(
                "hdbinspect-", "")) for name in manuals]))
        self.nav.insert(3, ("Reference", [("api.html", "Overview")] + [
            (header.page, header.name[4:-4]) for header in headers]))

        for path, page in texts.items():
            body = bodies[path]
            if path == REFERENCE:
                body += self.overview(reference, headers)
            self.write(pages[path], page.title, body)
            self.index += [[pages[path] + ("#" + anchor if at else ""), words, page.title,
                            " ".join(text.split())]
                           for at, (anchor, words, text) in enumerate(page.sections)]
        for header in headers:
            self.write(header.page, header.name, reference.html(header))
            self.index.append([header.page, header.name, "Reference", header.about])
        self.index += [[place, name, "Reference", about]
                       for place, name, about in reference.records]
        for name in manuals:
            body = manual(os.path.join(self.man, name))
            title = name[:-2].replace("-", " ", 1)
            self.write(name[:-2] + ".html", title, f"<h1>{title}</h1>{body}")
            words = html.unescape(" ".join(re.sub(r"<[^>]*>", " ", body).split()))
            self.index.append([name[:-2] + ".html", title, "Commands", words])
        for source in sorted({file for page in texts.values() for file in page.files}):
            shutil.copy(os.path.join(self.root, source), self.out)
        for name in ("site.css", "site.js"):
            shutil.copy(os.path.join(HERE, name), self.out)
        with open(os.path.join(self.out, "search.js"), "w", encoding="utf-8") as file:
            file.write("window.pages = " + json.dumps(self.index, ensure_ascii=False,
                                                      separators=(",", ":")) + ";\n")

    @staticmethod
    def overview(reference, headers):
        """What each header declares."""
        out = []
        for group in sorted({header.group for header in headers},
                            key=["games", "tools", "archives", "EnTT", "Dear ImGui"].index):
            out.append(f'<h2 id="{group}">Headers for {group}</h2>\n<dl>')
            for header in headers:
                if header.group == group:
                    first = header.about.split(". ")[0].rstrip(".")
                    out.append(f'<dt><a href="{header.page}"><code>{header.name}</code></a></dt>'
                               f"<dd>{html.escape(' '.join(first.split()))}.</dd>")
            out.append("</dl>\n")
        return "".join(out)

    def write(self, page, title, body):
        nav = []
        here = ' aria-current="page"'
        for name, links in self.nav:
            opened = " open" if page in [link for link, _ in links] or name == "Guide" else ""
            items = "".join(
                f'<li><a href="{link}"{here if link == page else ""}>{html.escape(words)}</a></li>'
                for link, words in links)
            nav.append(f"<details{opened}><summary>{name}</summary><ul>{items}</ul></details>\n")
        text = self.frame
        for mark, value in (("TITLE", html.escape(title if page == "index.html" else
                                                  f"{title} - hdb")),
                            ("NAVIGATION", "".join(nav)), ("BODY", body)):
            text = text.replace("{" + mark + "}", value, 1)
        with open(os.path.join(self.out, page), "w", encoding="utf-8") as file:
            file.write(text)


def main():
    try:
        Site(*(os.path.abspath(argument) for argument in sys.argv[1:])).build()
    except Fault as fault:
        sys.exit(f"site.py: {fault}")


if __name__ == "__main__":
    main()
