# A page of hdbinspect read strictly: every element closed where it must be, attributes and texts
# collected.
import html.parser
import re

VOID = {"meta", "link", "br", "img", "hr", "input"}
SELF_CLOSED = {"path", "rect", "line", "circle"}
HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}


class Element:
    def __init__(self, tag, attributes, parent):
        self.tag = tag
        self.attributes = attributes
        self.parent = parent
        self.children = []
        self.texts = []

    def all(self, tag=None):
        for child in self.children:
            if tag is None or child.tag == tag:
                yield child
            yield from child.all(tag)

    def text(self):
        return "".join(part if isinstance(part, str) else part.text() for part in self.texts)

    def classes(self):
        return (self.attributes.get("class") or "").split()


class Page(html.parser.HTMLParser):
    def __init__(self, markup):
        super().__init__(convert_charrefs=True)
        self.root = Element("#root", {}, None)
        self.open = self.root
        self.faults = []
        self.feed(markup)
        self.close()
        if self.open is not self.root:
            self.faults.append(f"<{self.open.tag}> is never closed")

    def add(self, tag, attributes):
        names = [name for name, _ in attributes]
        if len(names) != len(set(names)):
            self.faults.append(f"<{tag}> has an attribute twice: {names}")
        element = Element(tag, dict(attributes), self.open)
        self.open.children.append(element)
        self.open.texts.append(element)
        return element

    def handle_starttag(self, tag, attributes):
        if tag in VOID:
            self.faults.append(f"<{tag}> is not closed by itself")
        self.open = self.add(tag, attributes)

    def handle_startendtag(self, tag, attributes):
        if tag not in VOID | SELF_CLOSED:
            self.faults.append(f"<{tag}/> may not be closed by itself")
        self.add(tag, attributes)

    def handle_endtag(self, tag):
        if self.open.tag != tag:
            self.faults.append(f"</{tag}> in <{self.open.tag}>, line {self.getpos()[0]}")
            return
        self.open = self.open.parent

    def handle_data(self, data):
        self.open.texts.append(data)

    def handle_comment(self, data):
        self.faults.append(f"a comment: {data[:60]}")

    def handle_pi(self, data):
        self.faults.append(f"an instruction: {data[:60]}")


def unsafe(code):
    return (
        (code < 0x20 and code not in (0x0A,))
        or 0x7F <= code <= 0x9F
        or code in (0xAD, 0x61C, 0xFEFF, 0xFFFD)
        or 0x200B <= code <= 0x200F
        or 0x2028 <= code <= 0x202E
        or 0x2060 <= code <= 0x206F
    )


def faults_of(markup, style, script):
    """What is wrong with a page; `style` and `script` are the only ones that it may have."""
    page = Page(markup)
    faults = list(page.faults)
    for character in set(markup):
        if unsafe(ord(character)):
            faults.append(f"an unsafe character U+{ord(character):04X}")
    elements = list(page.root.all())
    ids = [e.attributes["id"] for e in elements if "id" in e.attributes]
    if len(ids) != len(set(ids)):
        faults.append("an id twice: " + ", ".join(sorted({i for i in ids if ids.count(i) > 1})[:5]))
    for e in elements:
        for name, value in e.attributes.items():
            if name.startswith("on"):
                faults.append(f"<{e.tag}> has {name}")
            if name in (
                "src",
                "href",
                "action",
                "data",
                "srcset",
                "xlink:href",
                "formaction",
                "poster",
            ):
                if not (value.startswith("#") or value.startswith("data:")):
                    faults.append(f"<{e.tag} {name}={value[:60]}> leads out of the page")
                if value.startswith("#") and value[1:] not in ids:
                    faults.append(f"<{e.tag} {name}={value[:60]}> leads nowhere")
            if name in ("aria-labelledby", "aria-describedby") and value not in ids:
                faults.append(f"<{e.tag} {name}={value}> names nothing")
            if name == "style" and re.search(r"url\(|expression|@import", value):
                faults.append(f"<{e.tag} style={value[:60]}> loads something")

    def only(tag, content):
        found = list(page.root.all(tag))
        if len(found) != 1 or found[0].text().strip() != content.strip():
            faults.append(f"{len(found)} <{tag}> or another one than the tool's")

    only("style", style)
    only("script", script)
    for tag in (
        "iframe",
        "object",
        "embed",
        "form",
        "base",
        "input",
        "frame",
        "use",
        "image",
        "foreignobject",
    ):
        if any(page.root.all(tag)):
            faults.append(f"a <{tag}>")
    policies = [
        e.attributes.get("content") or ""
        for e in page.root.all("meta")
        if e.attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    if len(policies) != 1 or not policies[0].startswith("default-src 'none';"):
        faults.append("no policy that forbids loading")
    for svg in page.root.all("svg"):
        first = svg.children[0] if svg.children else None
        if first is None or first.tag != "title" or not first.text().strip():
            faults.append("a picture without a title")
        if svg.attributes.get("role") != "img" or svg.attributes.get("tabindex") != "0":
            faults.append("a picture that the keyboard does not reach")
        figure = svg.parent
        while figure is not None and figure.tag != "figure":
            figure = figure.parent
        holder = figure if figure is not None else page.root
        if not any(
            any(d.all("table")) for d in list(holder.all("details")) + sibling_details(figure)
        ):
            faults.append("a picture without its table: " + (first.text() if first else ""))
    levels = [int(e.tag[1]) for e in elements if e.tag in HEADINGS]
    if levels.count(1) != 1 or levels[0] != 1:
        faults.append("not one first heading")
    for a, b in zip(levels, levels[1:]):
        if b > a + 1:
            faults.append(f"a heading h{b} under h{a}")
    for cell in page.root.all("th"):
        if "scope" not in cell.attributes:
            faults.append("a head of a table without scope: " + cell.text()[:40])
    for table in page.root.all("table"):
        heads = [len(row.children) for part in table.all("thead") for row in part.all("tr")]
        for row in (row for part in table.all("tbody") for row in part.all("tr")):
            if len(row.children) != heads[0]:
                faults.append(f"a row of {len(row.children)} cells under {heads[0]} heads")
    return page, faults


def sibling_details(figure):
    return [] if figure is None else [e for e in figure.parent.children if e.tag == "details"]
