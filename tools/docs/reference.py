"""The reference: a page for each header that is promised, from what Doxygen writes as XML."""
import html
import os
import re
import xml.etree.ElementTree as xml

from markup import Fault, block

LABELS = re.compile(r"(^|[.:)] )((?:Requires|Errors|Complexity|Invalidates|Units|Source|Threads|"
                    r"Memory|Example|Bound):)(?= |$)")
FOLDERS = ("lib/include/", "schema/include/", "lib/extras/archive/include/",
           "lib/extras/entt/include/", "lib/extras/imgui/include/")
TAGS = {"bold": "b", "emphasis": "em", "itemizedlist": "ul", "orderedlist": "ol", "listitem": "li",
        "para": "p"}
SIGNATURE = ' class="sig"'
SIGNS = {"lsquo": "'", "rsquo": "'", "ndash": "-", "mdash": "-", "linebreak": "<br>", "sp": " "}


def text_of(node):
    return "" if node is None else "".join(node.itertext()).strip()


class Header:
    """A header: its opening comment, and what it declares."""

    def __init__(self, root, path):
        self.path = path
        self.name = re.sub(r"^.*/include/", "", path)
        self.page = "api-" + self.name[4:-4].replace("/", "-").replace("_", "-") + ".html"
        self.group = ("tools" if "/inspect/" in path else "archives" if "/archive/" in path else
                      "EnTT" if "/entt/" in path else "Dear ImGui" if "/imgui/" in path else
                      "games")
        self.entries = []  # (line, node): classes, functions and types outside of classes
        with open(os.path.join(root, path), encoding="utf-8") as file:
            self.about = re.match(r"((?://.*\n)*)", file.read())[1].replace("// ", "").strip()


class Reference:
    """All headers. `folder` is the XML of Doxygen; `pages` as for a Page."""

    def __init__(self, root, folder, pages, names):
        self.root, self.folder, self.pages, self.names = root, folder, pages, names
        self.headers = {}
        self.anchors = {}  # id of Doxygen -> page#anchor
        self.classes = {}  # id of Doxygen -> its node
        self.records = []  # (page#anchor, name, what it is), for the search
        self.inner = set()
        self.read()

    def read(self):
        index = xml.parse(os.path.join(self.folder, "index.xml")).getroot()
        compounds = [xml.parse(os.path.join(self.folder, item.get("refid") + ".xml")).find(
            "compounddef") for item in index
            if item.get("kind") in ("class", "struct", "namespace", "union")]
        for node in compounds:
            name = node.findtext("compoundname")
            if not re.match(r"hdb(::|$)", name):
                continue
            if node.get("kind") == "namespace":
                for member in node.iter("memberdef"):
                    self.add(member, f"{name}::{member.findtext('name')}")
            else:
                self.classes[node.get("id")] = node
                self.inner.update(i.get("refid") for i in node.iter("innerclass"))
        for key, node in self.classes.items():
            if key not in self.inner:
                self.add(node, node.findtext("compoundname"))
        for header in self.headers.values():
            header.entries.sort(key=lambda entry: entry[0])
            taken = {}
            for _, node in header.entries:
                self.give_anchors(header, node, taken)

    def add(self, node, name):
        if text_of(node.find("briefdescription")) == "" == text_of(node.find(
                "detaileddescription")) and node.tag == "compounddef":
            return
        place = node.find("location")
        name = place.get("file")
        path = next(folder + name for folder in FOLDERS
                    if os.path.exists(os.path.join(self.root, folder + name)))
        header = self.headers.setdefault(path, Header(self.root, path))
        header.entries.append((int(place.get("line")), node))

    def give_anchors(self, header, node, taken):
        name = node.findtext("compoundname") or node.findtext("qualifiedname")
        name = re.sub(r" ?<.*", "", name) if "operator" not in name else name
        anchor = re.sub(r"[^\w:~=<>!+*-]", "", name.removeprefix("hdb::")).replace("::", "-")
        count = taken[anchor] = taken.get(anchor, 0) + 1
        anchor += f"-{count}" if count > 1 else ""
        place = f"{header.page}#{anchor}"
        self.anchors[node.get("id")] = place
        self.names.places.setdefault(name, place)
        self.records.append((place, name.removeprefix("hdb::"),
                             text_of(node.find("briefdescription"))))
        for member in self.members(node):
            self.give_anchors(header, member, taken)
        for inner in node.findall("innerclass"):
            if inner.get("refid") in self.classes:
                self.give_anchors(header, self.classes[inner.get("refid")], taken)

    @staticmethod
    def members(node):
        return [] if node.tag != "compounddef" else [
            m for m in node.iter("memberdef")
            if m.get("prot") != "private" and m.get("kind") != "friend"]

    def html(self, header):
        """The body of a header's page, after its chapters are known."""
        users = self.names.used_by.get(header.page, {})
        out = [f"<h1><code>{header.name}</code></h1>\n<p>{html.escape(header.about)}</p>\n"]
        if users:
            links = ", ".join(f'<a href="{page}">{html.escape(title)}</a>'
                              for page, title in sorted(users.items(), key=lambda user: user[1]))
            out.append(f"<details><summary>Pages that use it: {len(users)}</summary>"
                       f"<p>{links}</p></details>\n")
        for _, node in header.entries:
            out.append(self.entry(node, 2))
        return "".join(out)

    def anchor(self, node):
        return self.anchors[node.get("id")].partition("#")[2]

    def entry(self, node, level):
        if node.tag == "memberdef":
            return self.member(node, level)
        name = node.findtext("compoundname").removeprefix("hdb::")
        bases = [self.text(base) for base in node.findall("basecompoundref")
                 if base.get("prot") == "public"]
        signature = (self.template(node) + f"{node.get('kind')} <b>{html.escape(name)}</b>"
                     + (" : public " + ", ".join(bases) if bases else ""))
        out = [f'<section class="class"><h{level} id="{html.escape(self.anchor(node))}">'
               f"{html.escape(name)}</h{level}>\n", block(signature, SIGNATURE),
               self.about(node)]
        for member in self.members(node):
            out.append(self.member(member, level + 1))
        for inner in node.findall("innerclass"):
            if inner.get("refid") in self.classes:
                out.append(self.entry(self.classes[inner.get("refid")], level + 1))
        return "".join(out) + "</section>\n"

    def member(self, node, level):
        name = html.escape(node.findtext("name"))
        about = self.about(node)
        kind = node.get("kind")
        if kind == "enum":
            rows = "".join(
                f"<dt><code>{html.escape(value.findtext('name'))}"
                f"{html.escape(' ' + text_of(value.find('initializer')))}</code></dt>"
                f"<dd>{self.about(value)}</dd>" for value in node.findall("enumvalue"))
            about += f"<dl>{rows}</dl>" if rows else ""
        anchor = html.escape(self.anchor(node))
        if level == 2:
            head = f'<h2 id="{anchor}">{name}</h2>\n'
            anchor = ""
        else:
            head = ""
        mark = f' id="{anchor}"' if anchor else ""
        return (f'<section class="member"{mark}>{head}'
                f"{block(self.signature(node), SIGNATURE)}{about}</section>\n")

    def template(self, node):
        params = node.find("templateparamlist")
        if params is None:
            return ""
        rule = node.find("requiresclause")
        return ("template &lt;" + ", ".join(self.param(p) for p in params.findall("param"))
                + "&gt;\n" + (f"requires {self.text(rule)}\n" if rule is not None else ""))

    def type_of(self, node):
        """The type as the sources write it, without macros for the compiler."""
        shown = re.sub(r"\bHDB_[A-Z_]+ ?", "", self.text(node.find("type")))
        return re.sub(r"(?<=&lt;) | (?=&gt;|&amp;|\*)", "", shown).strip()

    def param(self, node):
        name = node.findtext("declname") or ""
        default = node.find("defval")
        shown = self.type_of(node)
        if name:
            shown += f" {name}"
        array = node.findtext("array")
        return (shown + (html.escape(array) if array else "")
                + (f" = {self.text(default)}" if default is not None else ""))

    def signature(self, node):
        name = f"<b>{html.escape(node.findtext('name'))}</b>"
        kind = node.get("kind")
        type_ = self.type_of(node)
        if kind == "enum":
            return (f"enum {'class ' if node.get('strong') == 'yes' else ''}{name}"
                    + (f" : {type_}" if type_ else ""))
        if kind == "typedef":
            return f"{self.template(node)}using {name} = {type_}"
        out = self.template(node) + ("static " if node.get("static") == "yes" else "")
        out += f"{type_} {name}" if type_ else name
        if kind == "function":
            arguments = node.findtext("argsstring") or ""
            out += ("(" + ", ".join(self.param(p) for p in node.findall("param")) + ")"
                    + html.escape(arguments[arguments.rfind(")") + 1:].replace("=", " = ")))
        elif node.find("initializer") is not None:
            value = re.sub(r"\s+", " ", self.text(node.find("initializer")))
            out += f" {value}" if len(value) < 60 else ""
        return out

    def about(self, node):
        return "".join(self.blocks(node.find(tag)) for tag in (
            "briefdescription", "detaileddescription", "inbodydescription")
            if node.find(tag) is not None)

    def blocks(self, node):
        return "".join(self.block(child) for child in node)

    def block(self, node):
        if node.tag != "para":
            return self.text(node, inside=False)
        # Lists and code stand beside paragraphs, not in them.
        out, run = [], html.escape(node.text or "", quote=False)
        for child in node:
            if child.tag in ("programlisting", "itemizedlist", "orderedlist", "verbatim"):
                out += [self.paragraph(run), self.text(child, inside=False)]
                run = ""
            else:
                run += self.text(child, inside=False)
            run += html.escape(child.tail or "", quote=False)
        return "".join(out) + self.paragraph(run)

    def paragraph(self, text):
        text = text.strip()
        text = re.sub(r"(lib/docs/[\w/-]+\.md|schema/FORMAT\.md|ARCHITECTURE\.md)",
                      lambda m: f'<a href="{self.page_of(m[0])}">{m[0]}</a>', text)
        text = LABELS.sub(lambda m: m[1].rstrip() + f'</p>\n<p><b class="label">{m[2]}</b>', text)
        return f"<p>{text}</p>\n".replace("<p></p>\n", "") if text else ""

    def page_of(self, path):
        if path not in self.pages:
            raise Fault(f"the reference names {path}, which is not a page")
        return self.pages[path]

    def text(self, node, inside=True):
        """The text of a node with its links; with `inside`, of its content alone."""
        if node is None:
            return ""
        if not inside:
            if node.tag == "programlisting":
                code = "\n".join("".join(self.code_text(line)) for line in node.iter("codeline"))
                return self.names.highlight(code, "cpp")
            if node.tag == "verbatim":
                return block(html.escape((node.text or "").strip("\n"), quote=False))
            if node.tag == "ref":
                return self.reference(node)
            if node.tag == "computeroutput":
                return f"<code>{self.text(node)}</code>"
            if node.tag in SIGNS:
                return SIGNS[node.tag]
            if node.tag in ("simplesect", "title", "anchor", "ulink"):
                raise Fault(f"the reference has a <{node.tag}>, which tools/docs does not know")
        out = html.escape(node.text or "", quote=False)
        for child in node:
            out += self.block(child) if child.tag == "para" and node.tag == "listitem" else \
                self.text(child, inside=False)
            out += html.escape(child.tail or "", quote=False)
        tag = TAGS.get(node.tag) if not inside else None
        return f"<{tag}>{out}</{tag}>" if tag else out.strip() if inside else out

    @staticmethod
    def code_text(line):
        for node in line.iter():
            if node.tag == "sp":
                yield " "
            else:
                yield node.text or ""
            if node is not line:
                yield node.tail or ""

    def reference(self, node):
        words = html.escape("".join(node.itertext()), quote=False)
        place = self.anchors.get(node.get("refid"))
        return f'<a href="{html.escape(place)}">{words}</a>' if place else words
