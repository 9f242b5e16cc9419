"""Markdown and C++ as HTML.

Headings get the anchors that GitHub gives them. Links to documents become links to their pages;
names of hdb, in text and in code, become links to the reference.
"""
import html
import os
import posixpath
import re

from markdown_it import MarkdownIt
from pygments.lexers import BashLexer, CMakeLexer, CppLexer, PythonLexer
from pygments.token import Comment, Keyword, Literal, Name

LEXERS = {"cpp": CppLexer, "c": CppLexer, "cmake": CMakeLexer, "python": PythonLexer,
          "sh": BashLexer}
CLASSES = ((Comment.Preproc, "p"), (Comment, "c"), (Keyword, "k"), (Literal, "s"),
           (Name.Builtin, "k"))


class Fault(Exception):
    """What a page says does not lead anywhere."""


def anchor_of(words):
    """The anchor of a heading."""
    return re.sub(r"[^\w -]", "", words.strip().lower()).replace(" ", "-")


def block(code, extra=""):
    """A block of code, which a keyboard can scroll."""
    return f'<pre tabindex="0"{extra}><code>{code}</code></pre>\n'


def table(inner):
    return ('<div class="table" tabindex="0" role="group" aria-label="Table">'
            f"<table>{inner}</table></div>")


class Names:
    """Where each name of the reference is described, and which pages use it."""

    def __init__(self):
        self.places = {}   # `hdb::Database::load` -> page#anchor
        self.used_by = {}  # page of the reference -> {page that names something of it: title}

    def link(self, name, shown, user=None):
        """`shown`, escaped, as a link if the name is known. `user` is the page and its title."""
        place = self.places.get(name)
        if place is None:
            return html.escape(shown, quote=False)
        if user:
            self.used_by.setdefault(place.partition("#")[0], {})[user[0]] = user[1]
        return f'<a href="{place}">{html.escape(shown, quote=False)}</a>'

    def code(self, text, user=None):
        """Code in a sentence. A call or a template is linked by its name."""
        match = re.match(r"(hdb(?:::\w+)+)(.*)", text, re.S)
        if not match:
            return f"<code>{html.escape(text, quote=False)}</code>"
        rest = html.escape(match[2], quote=False)
        return f"<code>{self.link(match[1], match[1], user)}{rest}</code>"

    def highlight(self, text, language, user=None):
        """A block of code in colours, with links from names of hdb."""
        lexer = LEXERS.get(language)
        if not lexer:
            return block(html.escape(text.rstrip("\n"), quote=False))
        out = []
        for kind, piece in lexer(stripnl=False).get_tokens(text.rstrip("\n")):
            style = next((style for group, style in CLASSES if kind in group), None)
            piece = html.escape(piece, quote=False)
            out.append(f'<span class="{style}">{piece}</span>' if style and piece.strip()
                       else piece)
        joined = "".join(out).rstrip("\n")
        return block(re.sub(r"\bhdb(?:::\w+)+", lambda m: self.link(m[0], m[0], user), joined))


class Page:
    """One document of the project as HTML."""

    def __init__(self, root, path, pages, names):
        """`pages` says which page a document, by its path in the project, becomes."""
        with open(os.path.join(root, path), encoding="utf-8") as file:
            self.tokens = MarkdownIt("commonmark").enable("table").parse(file.read())
        self.root, self.path, self.pages, self.names = root, path, pages, names
        self.files = set()     # files of the project that the page shows
        self.sections = []     # (anchor, heading, text), for the search
        self.title = self.words(self.tokens[1])

    @staticmethod
    def words(token):
        return "".join(child.content or " " for child in token.children or [])

    def html(self):
        out = []
        anchors = {}
        opened = []
        tokens = self.tokens
        for at, token in enumerate(tokens):
            kind = token.type
            if kind == "heading_open":
                words = self.words(tokens[at + 1])
                anchor = anchor_of(words)
                count = anchors[anchor] = anchors.get(anchor, -1) + 1
                anchor += f"-{count}" if count else ""
                self.sections.append([anchor, words, ""])
                out.append(f'<{token.tag} id="{anchor}">')
            elif kind == "inline":
                out.append(self.inline(token.children))
                if self.sections and tokens[at - 1].type != "heading_open":
                    self.sections[-1][2] += " " + self.words(token)
            elif kind in ("fence", "code_block"):
                language = token.info.strip()
                if kind == "code_block" and "hdbinspect" in token.content:
                    language = "text"
                out.append(self.names.highlight(token.content, language, self.user))
                if self.sections:
                    self.sections[-1][2] += " " + token.content
            elif kind == "table_open":
                opened.append(len(out))
            elif kind == "table_close":
                inner = "".join(out[opened[-1]:])
                del out[opened.pop():]
                out.append(table(inner) + "\n")
            elif kind == "th_open" and not tokens[at + 1].content:
                out.append("<td>")
            elif kind == "th_close" and not tokens[at - 1].content:
                out.append("</td>")
            elif kind == "hr":
                out.append("<hr>")
            elif kind in ("html_block", "html_inline"):
                raise Fault(f"{self.path}: HTML in Markdown")
            elif token.hidden:
                continue
            else:
                out.append(f"<{'/' if token.nesting < 0 else ''}{token.tag}>")
        return "".join(out)

    @property
    def user(self):
        return self.pages[self.path], self.title

    def inline(self, children):
        out = []
        for token in children:
            if token.type == "text":
                out.append(html.escape(token.content, quote=False))
            elif token.type == "code_inline":
                out.append(self.code(token.content))
            elif token.type == "link_open":
                out.append(f'<a href="{html.escape(self.target(token.attrs["href"]))}">')
            elif token.type == "image":
                place = posixpath.normpath(
                    posixpath.join(posixpath.dirname(self.path), token.attrs["src"]))
                self.files.add(place)
                out.append(f'<img src="{posixpath.basename(place)}" '
                           f'alt="{html.escape(token.content)}">')
            elif token.type == "softbreak":
                out.append("\n")
            else:
                out.append(f"<{'/' if token.nesting < 0 else ''}{token.tag}>")
        return "".join(out)

    def code(self, text):
        """A path of a document is a link to its page."""
        place = posixpath.normpath(posixpath.join(posixpath.dirname(self.path), text))
        page = self.pages.get(text) or self.pages.get(place)
        if page and page != self.pages[self.path]:
            return f'<a href="{page}"><code>{html.escape(text)}</code></a>'
        return self.names.code(text, self.user)

    def target(self, href):
        if re.match(r"[a-z]+:", href):
            return href
        path, _, anchor = href.partition("#")
        if path:
            path = posixpath.normpath(posixpath.join(posixpath.dirname(self.path), path))
            if path not in self.pages:
                raise Fault(f"{self.path}: no page has {href}")
            path = self.pages[path]
        return path + ("#" + anchor if anchor else "")


class Program:
    """One file of C, C++ or Python as HTML, with a link to each name of the reference. Its opening
    comment is the text above it."""

    def __init__(self, root, path, pages, names):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = file.read()
        self.language = "python" if path.endswith(".py") else "cpp"
        comment = re.match(r'(?:// .*\n)+|/\*.*?\*/\n|(?:#!.*\n)?""".*?"""\n', text,
                           0 if path.endswith(".cpp") else re.S)
        if not comment:
            raise Fault(f"{path}: no opening comment")
        marks = r'^#!.*|^// ?|/\*|\*/|"""'
        self.about = " ".join(re.sub(marks, "", comment[0], flags=re.M).split())
        self.code = text[comment.end():].lstrip("\n")
        self.names, self.files = names, set()
        self.title = posixpath.basename(path)
        self.user = pages[path], self.title
        # An anchor is the name of a file without its dot, as of a heading.
        self.sections = [[anchor_of(self.title), self.title, f"{self.about} {self.code}"]]

    def html(self):
        about = html.escape(self.about, quote=False)
        return (f'<h1 id="{self.sections[0][0]}">{self.title}</h1>\n<p>{about}</p>\n' +
                self.names.highlight(self.code, self.language, self.user))
