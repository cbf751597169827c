#!/usr/bin/env python3
"""The documentation site: it builds without a warning, and its pages are whole.

    test/docs/site.py [--keep-built]     --keep-built tests the site that is there

Every link leads somewhere, to its anchor, too; nothing is fetched from elsewhere; the search index has every page; no
Markdown is left in a page that the site's Markdown did not understand; each picture of the pages is there for light and
for dark. Where chromium is installed it looks at some pages (look.py). It is a
skip where mkdocs or dot is missing: `sh tools/deps.sh docs`.
"""
# limit: 480

import fcntl
import html
import html.parser
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
SITE = os.path.join(BUILD, "site", "html")
MADE = ("haddock/", "source/")
SKIP = 77


class Page(html.parser.HTMLParser):
    """What a page refers to, its identifiers, and the text of its paragraphs."""

    LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src"}

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.links, self.loaded, self.names, self.left = [], [], set(), []
        self.code = 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.code += tag in ("pre", "code", "script", "style")
        self.names.update(filter(None, (attributes.get("id"), tag == "a" and attributes.get("name"))))
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        if tag in self.LOADED and attributes.get(self.LOADED[tag]) and attributes.get("rel") != "canonical":
            self.loaded.append(attributes[self.LOADED[tag]])

    def handle_endtag(self, tag):
        self.code -= tag in ("pre", "code", "script", "style")

    def handle_data(self, data):
        if not self.code:
            # A table, a list, a fence or a link that was taken for text.
            self.left += re.findall(r"\|-{3,}:?\||\n[-*] \S.*|\n\d+\. \S.*|```|\]\([^)\s]*\)", data)


class MadePage:
    """The same of a page that Haddock or tools/site/source.py makes. These have more elements than all others together,
    each with its attributes in quotation marks, and no Markdown."""

    TAG = re.compile(r"<(a|%s)\b([^>]*)>" % "|".join(Page.LOADED))
    ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')

    def __init__(self, text):
        self.links, self.loaded, self.left = [], [], []
        self.names = set(re.findall(r' id="([^"]*)"', text))
        for tag, rest in self.TAG.findall(text):
            attributes = {name: html.unescape(value) for name, value in self.ATTRIBUTE.findall(rest)}
            if tag != "a" and Page.LOADED[tag] in attributes:
                self.loaded.append(attributes[Page.LOADED[tag]])
            elif tag == "a" and "href" in attributes:
                self.links.append(attributes["href"])


def pages():
    found = {}
    for folder, _, names in os.walk(SITE):
        for name in names:
            if name.endswith(".html"):
                path = os.path.join(folder, name)
                name = os.path.relpath(path, SITE)
                with open(path, encoding="utf-8") as f:
                    found[name] = (MadePage if name.startswith(MADE) else Page)(f.read())
    return found


def check_links(found):
    """One line for each link that leads nowhere, and for each thing that a page loads from elsewhere."""
    for name, page in sorted(found.items()):
        for address in page.loaded + page.links:
            if re.match(r"(https?:)?//", address):
                if address in page.loaded:
                    yield "%s loads %s from elsewhere" % (name, address)
                continue
            if re.match(r"[a-z]+:", address):
                continue
            path, _, anchor = address.partition("#")
            path = urllib.parse.unquote(path)
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
            if name == "404.html" and path.startswith("/"):
                target = path[1:] or "index.html"
            if os.path.isdir(os.path.join(SITE, target)):
                target = posixpath.normpath(posixpath.join(target, "index.html"))
            if not os.path.isfile(os.path.join(SITE, target)):
                yield "%s: a link to %s, which does not exist" % (name, address)
            elif anchor and target in found and address in page.links:
                if urllib.parse.unquote(anchor) not in found[target].names and anchor != "__top":
                    yield "%s: a link to %s; there is no such anchor" % (name, address)


def check_search(found):
    """The search index has the text of every page of mkdocs."""
    with open(os.path.join(SITE, "search", "search_index.json"), encoding="utf-8") as f:
        indexed = {entry["location"].partition("#")[0]: entry for entry in json.load(f)["docs"]}
    own = {name for name in found if not name.startswith(MADE)} - {"404.html", "all.html"}
    # The first page is there under the empty address in some versions of mkdocs.
    for name in sorted(own):
        if name not in indexed and not (name == "index.html" and "" in indexed):
            yield "the search index lacks %s" % name
    if not own:
        yield "there are no pages"


def check_text(found):
    for name, page in sorted(found.items()):
        if name.startswith(MADE):
            continue
        for left in page.left:
            yield "%s: this was no Markdown to the site: %s" % (name, left[:80])
        forms = [image.rpartition("#")[2] for image in page.loaded if "/pictures/" in "/" + image]
        if forms.count("only-light") != forms.count("only-dark") or set(forms) - {"only-light", "only-dark"}:
            yield "%s: a picture is not there for light and for dark" % name


def check_diagrams(found):
    for name in sorted(n for n in os.listdir(os.path.join(ROOT, "docs", "diagrams")) if n.endswith(".svg")):
        prefix = name[:-4] + "-"
        if not any(identifier.startswith(prefix) for identifier in found["internals/design.html"].names):
            yield "docs/diagrams/%s is not in internals/design.html" % name


def build():
    """Builds the site as `make docs` does; one test at a time may use cabal."""
    os.makedirs(os.path.join(BUILD, "test"), exist_ok=True)
    with open(os.path.join(BUILD, "test", "docs.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return subprocess.run(["make", "-s", "docs-build"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env=dict(os.environ, BUILD=os.path.relpath(BUILD, ROOT)), text=True)


def main():
    if subprocess.run(["sh", "tools/deps.sh", "--check", "docs"], cwd=ROOT, stderr=subprocess.DEVNULL).returncode:
        print("needs mkdocs-material and graphviz: sh tools/deps.sh docs")
        return SKIP
    if "--keep-built" not in sys.argv:
        done = build()
        print(done.stdout)
        if done.returncode:
            return 1
    found = pages()
    wrong = [line for check in (check_links, check_search, check_text, check_diagrams) for line in check(found)]
    if not wrong and shutil.which("chromium"):
        sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
        import look
        wrong += look.wrong(SITE)
    elif not shutil.which("chromium"):
        print("left out: no browser looked at it, since chromium is not installed: sh tools/deps.sh browser")
    for line in wrong:
        print(line)
    print("%d pages, %d links, %d things wrong" % (len(found), sum(len(p.links) for p in found.values()), len(wrong)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
